import { ApiError } from '../../contract/errors.ts'
import { object, optional, text } from '../../contract/schema.ts'
import { findListing } from '../../sandbox/inventory/listings.ts'
import type { Listing } from '../../sandbox/inventory/types.ts'
import { normalizeDomain } from '../../sandbox/kernel/domain-name.ts'
import { ok } from '../../sandbox/wire/route.ts'
import type { Fields } from './answers.ts'
import { type Defect, defect } from './defect.ts'
import { type AnyInput, accepting, altering, handling, lacking, showing } from './routes.ts'

const OPTIONAL_DOMAIN = object({ domain: optional(text()) })

/** Mistakes of the three reads about one domain. */
export const inventoryDefects: readonly Defect[] = [
  defect('detail-without-metadata', ['INV-06'], {
    summary: 'Domain detail has no metadata.',
    ...lacking('domains.detail', 'metadata'),
  }),
  defect('detail-without-price', ['INV-06'], {
    summary: 'Domain detail has no price.',
    ...lacking('domains.detail', 'price_cents'),
  }),
  defect('detail-of-unlisted-is-empty', ['INV-06'], {
    summary: 'Detail of an unlisted name is 200 with only its name.',
    ...handling('domains.detail', (input, correct) =>
      insteadOfNotFound(() => correct(input), { domain: input.params['name'] }),
    ),
  }),
  defect('availability-of-unlisted-is-not-found', ['INV-07'], {
    summary: 'Availability of an unlisted name is 404.',
    ...showing('availability', (body, input) => {
      if (!listingOf(input)) throw new ApiError('not_found', 'the domain is not listed')
      return body
    }),
  }),
  defect('availability-of-unlisted-is-yes', ['INV-07'], {
    summary: 'Availability says yes to every name that it does not know.',
    ...showing('availability', (body, input) => (listingOf(input) ? body : { ...body, available: true })),
  }),
  defect('availability-without-price', ['INV-07'], {
    summary: 'Availability does not show the price.',
    ...lacking('availability', 'price_cents', 'currency'),
  }),
  defect('availability-always-no', ['INV-07', 'INV-09'], {
    summary: 'Availability says no to every domain.',
    ...altering('availability', () => ({ available: false })),
  }),
  defect('pricing-of-unlisted-is-zero', ['INV-08'], {
    summary: 'Pricing of an unlisted name is 200 with prices of zero.',
    ...handling('pricing', (input, correct) =>
      insteadOfNotFound(() => correct(input), {
        domain: input.query['domain'],
        buy_now_price_cents: 0,
        floor_price_cents: 0,
        currency: 'USD',
      }),
    ),
  }),
  defect('pricing-without-price', ['INV-08'], {
    summary: 'Pricing has no buy-now price.',
    ...lacking('pricing', 'buy_now_price_cents'),
  }),
  defect('pricing-without-floor', ['INV-08'], {
    summary: 'Pricing has no floor price.',
    ...lacking('pricing', 'floor_price_cents'),
  }),
  defect('pricing-off-by-one-cent', ['INV-09'], {
    summary: 'Pricing is one cent below what the other reads and orders say.',
    ...showing('pricing', (body) => lowered(body, 'buy_now_price_cents')),
  }),
  defect('availability-price-differs', ['INV-09'], {
    summary: 'Availability shows a price that is one cent too low.',
    ...showing('availability', (body) => lowered(body, 'price_cents')),
  }),
  defect('detail-price-differs', ['INV-09'], {
    summary: 'Detail shows a price that is one cent too low.',
    ...showing('domains.detail', (body) => lowered(body, 'price_cents')),
  }),
  defect('availability-without-domain-is-no', ['INV-11'], {
    summary: 'Availability without a domain answers 200 with no.',
    ...accepting('availability', { query: OPTIONAL_DOMAIN }, (input, correct) =>
      input.query['domain'] === undefined
        ? ok({ domain: null, available: false, price_cents: null, currency: null })
        : correct(input),
    ),
  }),
  defect('pricing-without-domain-is-not-found', ['INV-11'], {
    summary: 'Pricing without a domain is 404 not_found.',
    ...accepting('pricing', { query: OPTIONAL_DOMAIN }, (input, correct) => {
      if (input.query['domain'] === undefined) throw new ApiError('not_found', 'the domain is not listed')
      return correct(input)
    }),
  }),
]

function listingOf({ world, query }: AnyInput): Listing | null {
  const name = normalizeDomain(String(query['domain']))
  const listing = name === null ? null : findListing(world, name)
  return listing?.listed ? listing : null
}

function insteadOfNotFound(correct: () => ReturnType<typeof ok>, body: Fields): ReturnType<typeof ok> {
  try {
    return correct()
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not_found') return ok(body)
    throw error
  }
}

/** A cent less, where there is a price. */
export function lowered(fields: Fields, name: string): Fields {
  const price = fields[name]
  return typeof price === 'number' ? { ...fields, [name]: price - 1 } : fields
}
