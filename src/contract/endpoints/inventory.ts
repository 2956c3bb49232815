import { answerShape, type Endpoint, get, type Shape } from './endpoint.ts'
import { DOMAIN } from './example-values.ts'

const LISTING_ROLES = ['listing.domain', 'listing.price', 'listing.currency'] as const

/** The endpoints under the heading "Inventory", in the order of the document. */
export const INVENTORY = {
  'domains.search': {
    ...get('/domains/search', ['search'], 'Inventory'),
    summary: 'Find domains by words or by meaning',
    description:
      'The best matches first, never more than five. Words of the name and its topics count alike; a query that nothing fits gets an empty list. Parameters other than `q` are ignored.',
    requirements: ['INV-01', 'INV-02', 'INV-03', 'INV-04', 'INV-05', 'SCOPE-01'],
    documentedQuery: ['q'],
    example: {
      answer: {
        query: 'solar',
        domains: [
          {
            domain: 'sunwatt.test',
            price_cents: 65_000,
            currency: 'USD',
            available: true,
            topics: ['solar'],
            score: 0.7,
          },
        ],
      },
    },
    hint: { read: '/domains/search?q=solar' },
    openRoles: { answer: ['search.items'], items: { of: 'search.items', roles: ['search.domain'] } },
    inScenario: { argument: { in: 'query', name: 'q', value: '${listed.label}' }, after: null },
    refusals: [],
    subject: null,
  },
  'domains.detail': {
    ...get('/domains/{name}', ['search'], 'Inventory'),
    summary: 'Read one listed domain',
    description: 'Price, availability and what is known about the name.',
    requirements: ['INV-06', 'INV-09', 'INV-10', 'SCOPE-01'],
    refusals: ['not_found'],
    example: {
      answer: {
        domain: DOMAIN,
        price_cents: 30_000,
        currency: 'USD',
        available: true,
        metadata: {
          topics: ['trade'],
          registrar: 'Example Registrar',
          registered_at: '2012-05-04T00:00:00.000Z',
          length: 8,
          live_site: false,
        },
      },
    },
    hint: { read: '/domains/stalls-901.test' },
    subject: { kind: 'domain', name: 'name' },
    openRoles: { answer: [...LISTING_ROLES, 'listing.available', 'listing.metadata'] },
    inScenario: { argument: { in: 'path', name: 'name', value: '${listed.domain}' }, after: null },
  },
  availability: {
    ...get('/availability', ['search'], 'Inventory'),
    summary: 'Ask whether a domain can be bought now',
    description:
      'Unlisted names are answered too: `available` is false, and price and currency are null. Parameters other than `domain` are ignored.',
    requirements: ['INV-07', 'INV-09', 'INV-10', 'INV-11', 'INV-12', 'SCOPE-01'],
    documentedQuery: ['domain'],
    example: { answer: { domain: DOMAIN, available: true, price_cents: 30_000, currency: 'USD' } },
    hint: { read: '/availability?domain=stalls-901.test' },
    subject: { kind: 'domain', name: 'domain' },
    openRoles: { answer: ['listing.domain', 'listing.price', 'listing.available'] },
    inScenario: { argument: { in: 'query', name: 'domain', value: '${unlisted.domain}' }, after: null },
    refusals: [],
  },
  pricing: {
    ...get('/pricing', ['search'], 'Inventory'),
    summary: 'Read the buy-now and the floor price of a domain',
    description: 'For names that are listed and not sold. Parameters other than `domain` are ignored.',
    requirements: ['INV-08', 'INV-09', 'INV-11', 'INV-12', 'SCOPE-01'],
    refusals: ['not_found'],
    documentedQuery: ['domain'],
    example: {
      answer: { domain: DOMAIN, buy_now_price_cents: 30_000, floor_price_cents: 18_500, currency: 'USD' },
    },
    hint: { read: '/pricing?domain=stalls-901.test' },
    subject: { kind: 'domain', name: 'domain' },
    openRoles: { answer: [...LISTING_ROLES, 'listing.floor'] },
    inScenario: { argument: { in: 'query', name: 'domain', value: '${listed.domain}' }, after: null },
  },
} as const satisfies Record<string, Endpoint>

export const INVENTORY_SHAPES = {
  FoundDomain: answerShape('domains.search', 'A domain that fits a search.', [], 'domains', '[]'),
  SearchResult: answerShape('domains.search', 'What a search found, best first.', []),
  DomainDetail: answerShape('domains.detail', 'A listed domain.', []),
  Availability: answerShape('availability', 'Whether a domain can be bought now.', ['available']),
  Pricing: answerShape('pricing', 'The two prices of a domain.', []),
} as const satisfies Record<string, Shape>
