import type { EndpointId } from '../../../contract/endpoints.ts'
import type { Scope } from '../../../contract/scopes.ts'
import type { World } from '../../../sandbox/kernel/world.ts'
import { actingWhere, readable, refusalsOf } from '../answers.ts'
import { changing, type Defect, defect } from '../defect.ts'
import { endQuotes } from '../quotes.ts'

const INVENTORY = ['domains.search', 'domains.detail', 'availability', 'pricing'] as const
const OWN_ACCOUNT = ['me.clicks', 'me.sales', 'me.commissions', 'me.payouts', 'analytics'] as const

/** Mistakes about what a credential may do. */
export const scopeDefects: readonly Defect[] = [
  ...openToAll('SCOPE-01', ...INVENTORY),
  ...openToAll('SCOPE-02', 'quotes.create', 'orders.create'),
  ...openToAll('SCOPE-07', 'events.list'),
  ...openToAll('SCOPE-08', 'orders.list', 'orders.detail'),
  ...openedBy(['buy'], 'SCOPE-08', 'orders.list'),
  ...openedBy(['search'], 'SCOPE-08', 'orders.list'),
  ...openedBy(['buy'], 'SCOPE-08', 'orders.detail'),
  ...openedBy(['search'], 'SCOPE-08', 'orders.detail'),
  ...openedBy(['search', 'buy', 'report'], 'SCOPE-08', 'orders.list', 'orders.detail'),
  ...openedBy(['buy'], 'SCOPE-01', ...INVENTORY),
  ...openedBy(['search'], 'SCOPE-02', 'quotes.create'),
  ...openedBy(['report'], 'SCOPE-02', 'orders.create'),
  ...openedBy(['report'], 'SCOPE-07', 'events.list'),
  ...openToAll('SCOPE-02', 'settlements.list', 'refunds.create'),
  ...openToAll('SCOPE-03', 'checkout.create'),
  ...openToAll('SCOPE-04', 'brokerage.eligibility', 'brokerage.create', 'brokerage.detail'),
  ...openToAll('SCOPE-05', 'links.create', 'links.list'),
  ...openToAll('SCOPE-06', 'transactions.list', 'payouts.list', 'brokerage.list', ...OWN_ACCOUNT),
  ...openToAll('SCOPE-07', 'webhooks.put'),
  ...openedBy(['report'], 'SCOPE-02', 'settlements.list'),
  ...openedBy(['search'], 'SCOPE-02', 'refunds.create'),
  ...openedBy(['buy'], 'SCOPE-03', 'checkout.create'),
  ...openedBy(['report'], 'SCOPE-04', 'brokerage.eligibility', 'brokerage.create', 'brokerage.detail'),
  ...openedBy(['report'], 'SCOPE-05', 'links.create', 'links.list'),
  ...openedBy(['buy'], 'SCOPE-06', 'transactions.list', 'payouts.list'),
  ...openedBy(['broker'], 'SCOPE-06', 'brokerage.list'),
  ...openedBy(['refer'], 'SCOPE-06', ...OWN_ACCOUNT),
  ...openedBy(['report'], 'SCOPE-07', 'webhooks.put'),
  ...openToStrangers('links.create', 'links.list', ...OWN_ACCOUNT),
  defect('forbidden-quotes-end-those-of-others', ['SCOPE-02'], {
    summary: 'A quote that is refused for its scope ends the reservation of another partner.',
    ...actingWhere(refusalsOf('quotes.create', 'forbidden'), ({ world, body }) =>
      endQuotes(world as World, readable(body)),
    ),
  }),
]

function openToAll(requirement: string, ...endpoints: readonly EndpointId[]): Defect[] {
  return endpoints.map((endpoint) =>
    defect(`scope-of-${named(endpoint)}-ignored`, [requirement], {
      summary: `The endpoint ${endpoint} is open to every credential, with any scopes.`,
      ...changing('scopes', { [endpoint]: [] }),
    }),
  )
}

function openToStrangers(...endpoints: readonly EndpointId[]): Defect[] {
  return endpoints.map((endpoint) =>
    defect(`affiliate-link-of-${named(endpoint)}-ignored`, ['SCOPE-09'], {
      summary: `The endpoint ${endpoint} serves credentials that are not linked to an affiliate account.`,
      ...changing('affiliate', { [endpoint]: false }),
    }),
  )
}

function openedBy(scopes: readonly Scope[], requirement: string, ...endpoints: readonly EndpointId[]): Defect[] {
  return endpoints.map((endpoint) =>
    defect(`scope-of-${named(endpoint)}-is-${scopes.join('-')}`, [requirement], {
      summary: `The endpoint ${endpoint} is opened by ${scopes.join(' or ')} and by no other scope.`,
      ...changing('scopes', { [endpoint]: scopes }),
    }),
  )
}

function named(endpoint: EndpointId): string {
  return endpoint.replace('.', '-')
}
