import type { EndpointId } from '../../../contract/endpoints.ts'
import type { Scope } from '../../../contract/scopes.ts'
import { codeOf, refusingWith } from '../answers.ts'
import { changing, type Defect, defect } from '../defect.ts'

/** The rows that a refusal with another status or code breaks, whichever endpoint is asked. */
const SCOPE_ROWS = [
  'SCOPE-01',
  'SCOPE-02',
  'SCOPE-03',
  'SCOPE-04',
  'SCOPE-05',
  'SCOPE-06',
  'SCOPE-07',
  'SCOPE-08',
] as const

/** Mistakes about what a credential may do. */
export const scopeDefects: readonly Defect[] = [
  openToAll('domains.search', 'SCOPE-01'),
  openToAll('domains.detail', 'SCOPE-01'),
  openToAll('availability', 'SCOPE-01'),
  openToAll('pricing', 'SCOPE-01'),
  openToAll('quotes.create', 'SCOPE-02'),
  openToAll('orders.create', 'SCOPE-02'),
  openToAll('events.list', 'SCOPE-07'),
  openToAll('orders.list', 'SCOPE-08'),
  openToAll('orders.detail', 'SCOPE-08'),
  takes('orders.list', ['buy'], 'SCOPE-08'),
  takes('orders.list', ['search'], 'SCOPE-08'),
  takes('orders.detail', ['buy'], 'SCOPE-08'),
  takes('orders.detail', ['search'], 'SCOPE-08'),
  takes('orders.list', ['search', 'buy', 'report'], 'SCOPE-08'),
  takes('orders.detail', ['search', 'buy', 'report'], 'SCOPE-08'),
  takes('domains.search', ['buy'], 'SCOPE-01'),
  takes('domains.detail', ['buy'], 'SCOPE-01'),
  takes('availability', ['buy'], 'SCOPE-01'),
  takes('pricing', ['buy'], 'SCOPE-01'),
  takes('quotes.create', ['search'], 'SCOPE-02'),
  takes('orders.create', ['report'], 'SCOPE-02'),
  takes('events.list', ['report'], 'SCOPE-07'),
  openToAll('settlements.list', 'SCOPE-02'),
  openToAll('refunds.create', 'SCOPE-02'),
  openToAll('checkout.create', 'SCOPE-03'),
  openToAll('brokerage.eligibility', 'SCOPE-04'),
  openToAll('brokerage.create', 'SCOPE-04'),
  openToAll('brokerage.detail', 'SCOPE-04'),
  openToAll('links.create', 'SCOPE-05'),
  openToAll('links.list', 'SCOPE-05'),
  openToAll('transactions.list', 'SCOPE-06'),
  openToAll('payouts.list', 'SCOPE-06'),
  openToAll('brokerage.list', 'SCOPE-06'),
  openToAll('me.clicks', 'SCOPE-06'),
  openToAll('me.sales', 'SCOPE-06'),
  openToAll('me.commissions', 'SCOPE-06'),
  openToAll('me.payouts', 'SCOPE-06'),
  openToAll('analytics', 'SCOPE-06'),
  openToAll('webhooks.put', 'SCOPE-07'),
  takes('settlements.list', ['report'], 'SCOPE-02'),
  takes('refunds.create', ['search'], 'SCOPE-02'),
  takes('checkout.create', ['buy'], 'SCOPE-03'),
  takes('brokerage.eligibility', ['report'], 'SCOPE-04'),
  takes('brokerage.create', ['report'], 'SCOPE-04'),
  takes('brokerage.detail', ['report'], 'SCOPE-04'),
  takes('links.create', ['report'], 'SCOPE-05'),
  takes('links.list', ['report'], 'SCOPE-05'),
  takes('transactions.list', ['buy'], 'SCOPE-06'),
  takes('payouts.list', ['buy'], 'SCOPE-06'),
  takes('brokerage.list', ['broker'], 'SCOPE-06'),
  takes('me.clicks', ['refer'], 'SCOPE-06'),
  takes('me.sales', ['refer'], 'SCOPE-06'),
  takes('me.commissions', ['refer'], 'SCOPE-06'),
  takes('me.payouts', ['refer'], 'SCOPE-06'),
  takes('analytics', ['refer'], 'SCOPE-06'),
  takes('webhooks.put', ['report'], 'SCOPE-07'),
  openToStrangers('links.create'),
  openToStrangers('links.list'),
  openToStrangers('me.clicks'),
  openToStrangers('me.sales'),
  openToStrangers('me.commissions'),
  openToStrangers('me.payouts'),
  openToStrangers('analytics'),
  defect('scope-lacking-is-401', SCOPE_ROWS, {
    summary: 'A call without the scope is refused with status 401.',
    ...changing('statuses', { forbidden: 401 }),
  }),
  defect('scope-lacking-is-not-found', SCOPE_ROWS, {
    summary: 'A call without the scope is refused with 404 not_found, to hide what exists.',
    ...refusingWith((answer) => codeOf(answer) === 'forbidden', 404, 'not_found'),
  }),
]

function openToAll(endpoint: EndpointId, requirement: string): Defect {
  return defect(`scope-of-${named(endpoint)}-ignored`, [requirement], {
    summary: `The endpoint ${endpoint} is open to every credential, whatever its scopes.`,
    ...changing('scopes', { [endpoint]: [] }),
  })
}

function openToStrangers(endpoint: EndpointId): Defect {
  return defect(`affiliate-link-of-${named(endpoint)}-ignored`, ['SCOPE-09'], {
    summary: `The endpoint ${endpoint} serves credentials that are not linked to an affiliate account.`,
    ...changing('affiliate', { [endpoint]: false }),
  })
}

function takes(endpoint: EndpointId, scopes: readonly Scope[], requirement: string): Defect {
  return defect(`scope-of-${named(endpoint)}-is-${scopes.join('-')}`, [requirement], {
    summary: `The endpoint ${endpoint} is opened by ${scopes.join(' or ')} and by no other scope.`,
    ...changing('scopes', { [endpoint]: scopes }),
  })
}

function named(endpoint: EndpointId): string {
  return endpoint.replace('.', '-')
}
