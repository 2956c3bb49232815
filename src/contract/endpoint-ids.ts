/**
 * The operations of the document (Endpoints), in its order. Not in the file of their rows, because a short command needs their
 * names alone; a name without a row does not compile, and a test finds a row without a name.
 */
export const ENDPOINT_IDS = [
  'domains.search',
  'domains.detail',
  'availability',
  'pricing',
  'quotes.create',
  'orders.create',
  'orders.list',
  'orders.detail',
  'checkout.create',
  'settlements.list',
  'transactions.list',
  'payouts.list',
  'brokerage.list',
  'refunds.create',
  'brokerage.eligibility',
  'brokerage.create',
  'brokerage.detail',
  'links.create',
  'links.list',
  'me.clicks',
  'me.sales',
  'me.commissions',
  'me.payouts',
  'analytics',
  'webhooks.put',
  'events.list',
] as const

export type EndpointId = (typeof ENDPOINT_IDS)[number]
