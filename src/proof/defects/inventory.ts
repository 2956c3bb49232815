import type { EndpointId } from '../../contract/endpoints.ts'
import { ApiError } from '../../contract/errors.ts'
import { object, optional, text } from '../../contract/schema.ts'
import { findListing } from '../../sandbox/inventory/listings.ts'
import type { World } from '../../sandbox/kernel/world.ts'
import { cents, crashing, domainIn, type Fields } from './answers.ts'
import { both, type Defect, defect, found, perWorld, type Tampered } from './defect.ts'
import {
  type AnyInput,
  accepting,
  altering,
  eachOf,
  handlingBefore,
  isOfLaterPartner,
  lacking,
  refusing,
  showing,
} from './routes.ts'

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

/** Mistakes of the three reads about one domain. */
export const inventoryDefects: readonly Defect[] = [
  defect('detail-without-price', ['INV-06'], {
    summary: 'Domain detail has no price.',
    ...lacking('domains.detail', 'price_cents'),
  }),
  defect('live-sites-have-no-metadata', ['INV-06'], {
    summary: 'The detail of a domain with a live site has no metadata.',
    ...altering('domains.detail', (_, { world, params }) =>
      findListing(world, domainIn({ domain: params['name'] }))?.liveSite ? { metadata: null } : {},
    ),
  }),
  defect('availability-of-unlisted-is-yes', ['INV-07'], {
    summary: 'Availability says yes to every name that it does not know.',
    ...altering('availability', (_, { world, query }) =>
      findListing(world, domainIn(query))?.listed ? {} : { available: true },
    ),
  }),
  defect('availability-beyond-ascii-crashes', ['INV-07'], {
    summary: 'Availability of a name with letters beyond ASCII is answered 500.',
    ...crashing(
      (_, { endpoint, query }) => endpoint === 'availability' && query.some(([, value]) => /[^\x20-\x7e]/.test(value)),
    ),
  }),
  defect('availability-without-price', ['INV-07'], {
    summary: 'Availability does not show the price.',
    ...lacking('availability', 'price_cents', 'currency'),
  }),
  defect('availability-of-a-reserved-domain-is-not-found', ['INV-07'], {
    summary: 'Availability of a domain that is reserved, or sold, is 404 not_found.',
    ...refusing(
      'availability',
      ({ world, query }) =>
        isReserved(world, query) ||
        found(world, 'SELECT 1 FROM orders WHERE domain = ?', domainIn(query)) !== undefined,
      'not_found',
      'the domain is not listed',
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
  ...(['availability', 'domains.detail'] as const).map((endpoint) =>
    defect(`${endpoint.replace('domains.', '')}-says-no-to-what-is-listed`, ['INV-09'], {
      summary: `The call ${endpoint} shows every domain as not available.`,
      ...altering(endpoint, () => ({ available: false })),
    }),
  ),
  ...(['availability', 'domains.detail', 'domains.search'] as const).map((endpoint) =>
    defect(`${endpoint.replace('domains.', '')}-keeps-the-first-price`, ['INV-09'], {
      summary: `The answer of ${endpoint} has the price that it showed for a domain at first.`,
      ...keepingFirst(endpoint, 'price_cents'),
    }),
  ),
  defect('availability-once-yes-stays-yes', ['INV-09'], {
    summary: 'Availability says yes to a domain that it has said yes to, although it is sold.',
    ...keepingFirst('availability', 'available'),
  }),
  defect('pricing-off-by-one-cent', ['INV-09'], {
    summary: 'Pricing is one cent below what the other reads and orders say.',
    ...altering('pricing', (body) => ({ buy_now_price_cents: cents(body, 'buy_now_price_cents') - 1 })),
  }),
  ...CENTS.map(([id, endpoint, name]) =>
    defect(`${id}-drops-odd-cents`, ['INV-09'], {
      summary: `The answer of ${endpoint} has prices in whole units.`,
      ...showing(endpoint, (body) => inWholeUnits(body, name)),
    }),
  ),
  ...(['domains.detail', 'pricing'] as const).map((endpoint) =>
    defect(`${endpoint.replace('.', '-')}-of-a-reserved-domain-crashes`, ['INV-09'], {
      summary: `A call of ${endpoint} about a domain that another partner has reserved is answered 500.`,
      ...refusing(
        endpoint,
        (input) => isOfLaterPartner(input) && isReserved(input.world, { domain: input.params['name'], ...input.query }),
        'internal_error',
        'no owner',
      ),
    }),
  ),
  defect('availability-is-of-another-name', ['INV-09'], {
    summary: 'The availability of an unlisted name is answered for the same name below www.',
    ...altering('availability', ({ domain, available }) => (available ? {} : { domain: `www.${String(domain)}` })),
  }),
  defect('pricing-without-domain-is-not-found', ['INV-11'], {
    summary: 'Pricing without a domain is 404 not_found.',
    ...accepting('pricing', { query: OPTIONAL_DOMAIN }, (input, correct) => {
      if (input.query['domain'] === undefined) throw new ApiError('not_found', 'the domain is not listed')
      return correct(input)
    }),
  }),
  defect('unlisted-domain-is-for-sale-once-it-was-ordered', ['ORD-05'], {
    summary: 'A domain that is not listed is available once an order for it was refused.',
    ...openOnceOrdered(),
  }),
]

/** A server that notes the names which orders are for, and takes them for listed. */
function openOnceOrdered(): Tampered {
  const asked = perWorld(() => new Set<unknown>())
  return both(
    handlingBefore('orders.create', ({ world, body }) => asked(world).add(body['domain'])),
    altering('availability', ({ domain }, { world }) =>
      asked(world).has(domain) && findListing(world, String(domain)) === null ? { available: true } : {},
    ),
  )
}

function isReserved(world: World, named: Fields): boolean {
  return found(world, "SELECT 1 FROM quotes WHERE domain = ? AND state = 'open'", domainIn(named)) !== undefined
}

/** A server that shows a field of each domain as it was shown at first. */
function keepingFirst(id: EndpointId, name: string): Tampered {
  const shown = perWorld(() => new Map<unknown, unknown>())
  const first = (body: Fields, { world }: AnyInput): Fields => {
    const value = shown(world).get(body['domain']) ?? body[name]
    shown(world).set(body['domain'], value)
    return { ...body, [name]: value }
  }
  return id === 'domains.search' ? eachOf(id, first) : showing(id, first)
}

/** Without odd cents, where there is a price. */
export function inWholeUnits(fields: Fields, name: string): Fields {
  const price = fields[name]
  return typeof price === 'number' ? { ...fields, [name]: Math.floor(price / 100) * 100 } : fields
}
