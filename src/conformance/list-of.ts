import type { EndpointId } from '../contract/endpoints.ts'
import type { RoleName } from './roles.ts'

/** The list that an operation answers with. */
export const LIST_OF: Partial<Record<EndpointId, RoleName>> = {
  'orders.list': 'orders.items',
  'settlements.list': 'statements.items',
  'transactions.list': 'transactions.items',
  'payouts.list': 'payouts.items',
  'brokerage.list': 'cases.items',
  'links.list': 'links.items',
  'me.sales': 'sales.items',
  'me.commissions': 'ledger.items',
  'me.payouts': 'payouts.items',
  'events.list': 'events.items',
}
