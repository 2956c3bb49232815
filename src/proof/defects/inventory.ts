import { ApiError } from '../../contract/errors.ts'
import { object, optional, text } from '../../contract/schema.ts'
import { findListing } from '../../sandbox/inventory/listings.ts'
import type { Listing } from '../../sandbox/inventory/types.ts'
import { normalizeDomain } from '../../sandbox/kernel/domain-name.ts'
import type { Fields } from './answers.ts'
import { type Defect, defect } from './defect.ts'
import { type AnyInput, accepting, altering, lacking, showing } from './routes.ts'

const OPTIONAL_DOMAIN = object({ domain: optional(text()) })

/** Answers that may drop the cents of a price, and where they show it. */
const CENTS = [
  ['pricing', 'pricing', 'buy_now_price_cents'],
  ['availability', 'availability', 'price_cents'],
  ['detail', 'domains.detail', 'price_cents'],
  ['recorded-order', 'orders.create', 'sale_price_cents'],
  ['order-detail', 'orders.detail', 'sale_price_cents'],
] as const

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
  defect('availability-of-unlisted-is-yes', ['INV-07'], {
    summary: 'Availability says yes to every name that it does not know.',
    ...showing('availability', (body, input) => (listingOf(input) ? body : { ...body, available: true })),
  }),
  defect('availability-without-price', ['INV-07'], {
    summary: 'Availability does not show the price.',
    ...lacking('availability', 'price_cents', 'currency'),
  }),
  defect('pricing-without-price', ['INV-08'], {
    summary: 'Pricing has no buy-now price.',
    ...lacking('pricing', 'buy_now_price_cents'),
  }),
  defect('pricing-without-floor', ['INV-08'], {
    summary: 'Pricing has no floor price.',
    ...lacking('pricing', 'floor_price_cents'),
  }),
  defect('pricing-floor-moves', ['INV-08'], {
    summary: 'The floor price is another one each time it is asked for.',
    ...altering('pricing', (_, { world }) => ({ floor_price_cents: (world.clock.nowMs() % 100_000) + 1 })),
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
  ...CENTS.map(([id, endpoint, name]) =>
    defect(`${id}-drops-odd-cents`, ['INV-09'], {
      summary: `The answer of ${endpoint} has prices in whole units.`,
      ...showing(endpoint, (body) => inWholeUnits(body, name)),
    }),
  ),
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

function inWholeUnits(fields: Fields, name: string): Fields {
  const price = fields[name]
  return typeof price === 'number' ? { ...fields, [name]: Math.floor(price / 100) * 100 } : fields
}

/** A cent less, where there is a price. */
export function lowered(fields: Fields, name: string): Fields {
  const price = fields[name]
  return typeof price === 'number' ? { ...fields, [name]: price - 1 } : fields
}
