import { ApiError } from '../../contract/errors.ts'
import { object, optional, text } from '../../contract/schema.ts'
import { findListing } from '../../sandbox/inventory/listings.ts'
import type { Listing } from '../../sandbox/inventory/types.ts'
import { normalizeDomain } from '../../sandbox/kernel/domain-name.ts'
import type { World } from '../../sandbox/kernel/world.ts'
import { crashing, type Fields } from './answers.ts'
import { type Defect, defect, perWorld, type Tampered } from './defect.ts'
import { type AnyInput, accepting, altering, eachOf, handling, isOfLaterPartner, lacking, showing } from './routes.ts'

const OPTIONAL_DOMAIN = object({ domain: optional(text()) })

/** Answers that may drop the cents of a price, and where they show it. */
const CENTS = [
  ['pricing', 'pricing', 'buy_now_price_cents'],
  ['availability', 'availability', 'price_cents'],
  ['detail', 'domains.detail', 'price_cents'],
  ['recorded-order', 'orders.create', 'sale_price_cents'],
  ['order-detail', 'orders.detail', 'sale_price_cents'],
  ['quote', 'quotes.create', 'price_cents'],
] as const

/** Answers that may show the price of a domain from a cache, and where. */
const FIRST_PRICES = [
  ['availability', 'availability', 'price_cents'],
  ['detail', 'domains.detail', 'price_cents'],
] as const

/** Mistakes of the three reads about one domain. */
export const inventoryDefects: readonly Defect[] = [
  defect('detail-without-price', ['INV-06'], {
    summary: 'Domain detail has no price.',
    ...lacking('domains.detail', 'price_cents'),
  }),
  defect('availability-of-unlisted-is-yes', ['INV-07'], {
    summary: 'Availability says yes to every name that it does not know.',
    ...showing('availability', (body, input) => (listingOf(input) ? body : { ...body, available: true })),
  }),
  ...(['availability', 'domains.detail'] as const).map((endpoint) =>
    defect(`${endpoint.replace('domains.', '')}-says-no-to-what-is-listed`, ['INV-09'], {
      summary: `The call ${endpoint} shows every domain as not available.`,
      ...altering(endpoint, () => ({ available: false })),
    }),
  ),
  defect('availability-beyond-ascii-crashes', ['INV-07'], {
    summary: 'Availability of a name with letters beyond ASCII is answered 500.',
    ...crashing(
      (_, { endpoint, query }) => endpoint === 'availability' && query.some(([, value]) => /[^\x20-\x7e]/.test(value)),
    ),
  }),
  ...FIRST_PRICES.map(([id, endpoint, name]) =>
    defect(`${id}-keeps-the-first-price`, ['INV-09'], {
      summary: `The answer of ${endpoint} has the price that it showed for a domain at first.`,
      ...keepingFirst((first) => showing(endpoint, (body, input) => first(body, name, input.world))),
    }),
  ),
  defect('search-keeps-the-first-price', ['INV-09'], {
    summary: 'Search shows the price that it showed for a domain at first.',
    ...keepingFirst((first) => eachOf('domains.search', (body, input) => first(body, 'price_cents', input.world))),
  }),
  defect('availability-once-yes-stays-yes', ['INV-09'], {
    summary: 'Availability says yes to a domain that it has said yes to, although it is sold.',
    ...keepingFirst((first) => showing('availability', (body, input) => first(body, 'available', input.world))),
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
  defect('pricing-off-by-one-cent', ['INV-09'], {
    summary: 'Pricing is one cent below what the other reads and orders say.',
    ...showing('pricing', (body) => lowered(body, 'buy_now_price_cents')),
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
  defect('availability-of-a-reserved-domain-is-not-found', ['INV-07'], {
    summary: 'Availability of a domain that is reserved, or sold, is 404 not_found.',
    ...handling('availability', (input, correct) => {
      const { world, query } = input
      const taken = world.db.prepare(
        "SELECT 1 FROM quotes WHERE domain = @name AND state = 'open' UNION SELECT 1 FROM orders WHERE domain = @name",
      )
      if (taken.get({ name: normalizeDomain(String(query['domain'])) }) !== undefined)
        throw new ApiError('not_found', 'the domain is not listed')
      return correct(input)
    }),
  }),
  ...(['domains.detail', 'pricing'] as const).map((endpoint) =>
    defect(`${endpoint.replace('.', '-')}-of-a-reserved-domain-crashes`, ['INV-09'], {
      summary: `A call of ${endpoint} about a domain that another partner has reserved is answered 500.`,
      ...handling(endpoint, (input, correct) => {
        const { world, query, params } = input
        const name = normalizeDomain(String(query['domain'] ?? params['name']))
        if (name !== null && isOfLaterPartner(input) && isReserved(world, name))
          throw new ApiError('internal_error', 'no owner')
        return correct(input)
      }),
    }),
  ),
  defect('unlisted-domain-is-for-sale-once-it-was-ordered', ['ORD-05'], {
    summary: 'A domain that is not listed is available once an order for it was refused.',
    ...openOnceOrdered(),
  }),
  defect('live-sites-have-no-metadata', ['INV-06'], {
    summary: 'The detail of a domain with a live site has no metadata.',
    ...altering('domains.detail', (body, input) => (hasLiveSite(body, input) ? { metadata: null } : {})),
  }),
  defect('availability-is-of-another-name', ['INV-09'], {
    summary: 'The availability of an unlisted name is answered for the same name below www.',
    ...altering('availability', ({ domain, available }) => (available ? {} : { domain: `www.${String(domain)}` })),
  }),
]

/** A server that notes the names which orders are for, and takes them for listed. */
function openOnceOrdered(): Tampered {
  const asked = perWorld(() => new Set<string>())
  return handling(['orders.create', 'availability'], (input, correct) => {
    const { world, query, body, call } = input
    const known = asked(world)
    if (call.endpoint === 'orders.create') {
      known.add(String((body as Fields)['domain']))
      return correct(input)
    }
    const reply = correct(input)
    const isAsked = known.has(String(query['domain'])) && findListing(world, String(query['domain'])) === null
    return isAsked ? { ...reply, body: { ...(reply.body as Fields), available: true } } : reply
  })
}

function isReserved({ db }: World, name: string): boolean {
  return db.prepare("SELECT 1 FROM quotes WHERE domain = @name AND state = 'open'").get({ name }) !== undefined
}

/** The value that a domain was shown with, in the place of what it has now. */
type Keep = (body: Fields, name: string, world: World) => Fields

/** @param changes how many of them are shown, before it stays as it is. */
function keepingFirst(server: (first: Keep) => Tampered, changes = 0): Tampered {
  const shown = perWorld(() => new Map<unknown, unknown[]>())
  return server((body, name, world) => {
    const known = shown(world)
    const values = known.get(body['domain']) ?? []
    known.set(body['domain'], values)
    if (values.length <= changes && values.at(-1) !== body[name]) values.push(body[name])
    return { ...body, [name]: values.at(-1) }
  })
}

function listingOf({ world, query }: AnyInput): Listing | null {
  const name = normalizeDomain(String(query['domain']))
  const listing = name === null ? null : findListing(world, name)
  return listing?.listed ? listing : null
}

/** Without odd cents, where there is a price. */
export function inWholeUnits(fields: Fields, name: string): Fields {
  const price = fields[name]
  return typeof price === 'number' ? { ...fields, [name]: Math.floor(price / 100) * 100 } : fields
}

/** A cent less, where there is a price. */
export function lowered(fields: Fields, name: string): Fields {
  const price = fields[name]
  return typeof price === 'number' ? { ...fields, [name]: price - 1 } : fields
}

function hasLiveSite({ domain }: Fields, { world }: AnyInput): boolean {
  return world.db.prepare('SELECT 1 FROM listings WHERE domain = ? AND live_site = 1').get(domain) !== undefined
}
