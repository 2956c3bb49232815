import { ApiError } from '../../contract/errors.ts'
import { object, optional, text } from '../../contract/schema.ts'
import { findListing } from '../../sandbox/inventory/listings.ts'
import type { Listing } from '../../sandbox/inventory/types.ts'
import { normaliseDomain } from '../../sandbox/kernel/domain-name.ts'
import { ok } from '../../sandbox/wire/answer.ts'
import { type Fields, without } from './answers.ts'
import type { Defect } from './defect.ts'
import { type AnyInput, acceptingQuery, handling, showing } from './routes.ts'

const OPTIONAL_DOMAIN = object({ domain: optional(text()) })

/** Mistakes of the three reads about one domain. */
export const inventoryDefects: readonly Defect[] = [
  {
    id: 'detail-without-metadata',
    breaks: ['INV-06'],
    summary: 'Domain detail has no metadata.',
    ...showing('domains.detail', (body) => without(body, 'metadata')),
  },
  {
    id: 'detail-without-price',
    breaks: ['INV-06'],
    summary: 'Domain detail has no price.',
    ...showing('domains.detail', (body) => without(body, 'price_cents')),
  },
  {
    id: 'detail-of-unlisted-is-empty',
    breaks: ['INV-06'],
    summary: 'Detail of an unlisted name is 200 with nothing in it.',
    ...handling('domains.detail', (input, sound) =>
      insteadOfNotFound(() => sound(input), { domain: input.params['name'] }),
    ),
  },
  {
    id: 'availability-of-unlisted-is-not-found',
    breaks: ['INV-07'],
    summary: 'Availability of an unlisted name is 404.',
    ...showing('availability', (body, input) => {
      if (!listingOf(input)) throw new ApiError('not_found', 'the domain is not listed')
      return body
    }),
  },
  {
    id: 'availability-of-unlisted-is-yes',
    breaks: ['INV-07'],
    summary: 'Availability says yes to every name that it does not know.',
    ...showing('availability', (body, input) => (listingOf(input) ? body : { ...body, available: true })),
  },
  {
    id: 'availability-without-price',
    breaks: ['INV-07'],
    summary: 'Availability does not tell the price.',
    ...showing('availability', (body) => without(body, 'price_cents', 'currency')),
  },
  {
    id: 'availability-always-no',
    breaks: ['INV-07', 'INV-09'],
    summary: 'Availability says no to every domain.',
    ...showing('availability', (body) => ({ ...body, available: false })),
  },
  {
    id: 'pricing-of-unlisted-is-zero',
    breaks: ['INV-08'],
    summary: 'Pricing of an unlisted name is 200 with prices of zero.',
    ...handling('pricing', (input, sound) =>
      insteadOfNotFound(() => sound(input), {
        domain: input.query['domain'],
        buy_now_price_cents: 0,
        floor_price_cents: 0,
        currency: 'USD',
      }),
    ),
  },
  {
    id: 'pricing-without-price',
    breaks: ['INV-08'],
    summary: 'Pricing has no buy-now price.',
    ...showing('pricing', (body) => without(body, 'buy_now_price_cents')),
  },
  {
    id: 'pricing-without-floor',
    breaks: ['INV-08'],
    summary: 'Pricing has no floor price.',
    ...showing('pricing', (body) => without(body, 'floor_price_cents')),
  },
  {
    id: 'pricing-off-by-one-cent',
    breaks: ['INV-09'],
    summary: 'Pricing is one cent below what the other reads and orders say.',
    ...showing('pricing', (body) => lowered(body, 'buy_now_price_cents')),
  },
  {
    id: 'availability-price-differs',
    breaks: ['INV-09'],
    summary: 'Availability tells a price from which one cent is missing.',
    ...showing('availability', (body) => lowered(body, 'price_cents')),
  },
  {
    id: 'detail-price-differs',
    breaks: ['INV-09'],
    summary: 'Detail tells a price from which one cent is missing.',
    ...showing('domains.detail', (body) => lowered(body, 'price_cents')),
  },
  {
    id: 'availability-without-domain-is-no',
    breaks: ['INV-11'],
    summary: 'Availability without a domain answers 200 with no.',
    ...acceptingQuery('availability', OPTIONAL_DOMAIN, (input, sound) =>
      input.query['domain'] === undefined
        ? ok({ domain: null, available: false, price_cents: null, currency: null })
        : sound(input),
    ),
  },
  {
    id: 'pricing-without-domain-is-not-found',
    breaks: ['INV-11'],
    summary: 'Pricing without a domain is 404 not_found.',
    ...acceptingQuery('pricing', OPTIONAL_DOMAIN, (input, sound) => {
      if (input.query['domain'] === undefined) throw new ApiError('not_found', 'the domain is not listed')
      return sound(input)
    }),
  },
]

function listingOf({ world, query }: AnyInput): Listing | null {
  const name = normaliseDomain(String(query['domain']))
  const listing = name === null ? null : findListing(world, name)
  return listing?.listed ? listing : null
}

function insteadOfNotFound(sound: () => ReturnType<typeof ok>, body: Fields): ReturnType<typeof ok> {
  try {
    return sound()
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
