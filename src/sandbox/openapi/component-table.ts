import { CASE_STATES } from '../../contract/case-states.ts'
import type { EndpointId } from '../../contract/endpoints.ts'
import type { OrderState } from '../../contract/order-states.ts'

/** A shape that has a name of its own: where it is found, and how much of it is the API document's. */
export interface ComponentRow {
  readonly endpoint: EndpointId
  readonly part: 'body' | 'answer'
  /** From the whole body or answer to the shape, by names of fields; `[]` steps into a list, a digit into an alternative. */
  readonly at: readonly string[]
  readonly description: string
  /** Fields the API document names; all others are of our choosing and marked so. */
  readonly documented: readonly string[]
  /** Values of documented fields whose names are ours. */
  readonly ourValues?: Readonly<Record<string, readonly string[]>>
}

/** The states of held, refunded and cancelled orders have no name in the API document (ORD-15). */
const OUR_ORDER_STATES = ['MANUAL_REVIEW', 'REFUNDED', 'CANCELLED'] as const satisfies readonly OrderState[]
const ORDER_FIELDS = ['public_id', 'domain', 'status', 'sale_price_cents', 'currency']
const EVENT_FIELDS = ['id', 'type', 'created_at', 'data']
const AN_EVENT = ['events', '[]']

/**
 * The named shapes. Whatever has the very same shape elsewhere is referred to by the name, so one row names, say, the
 * order that three operations answer with.
 */
export const COMPONENTS: Readonly<Record<string, ComponentRow>> = {
  FoundDomain: answer('domains.search', 'A domain that fits a search.', [], 'domains', '[]'),
  SearchResult: answer('domains.search', 'What a search found, best first.', []),
  DomainDetail: answer('domains.detail', 'A listed domain.', []),
  Availability: answer('availability', 'Whether a domain can be bought now.', ['available']),
  Pricing: answer('pricing', 'The two prices of a domain.', []),
  QuoteRequest: body('quotes.create', 'What is to be quoted.', []),
  Quote: answer('quotes.create', 'A firm price and a reservation.', ['quote_id']),
  Buyer: body('orders.create', 'Who buys.', ['email', 'name', 'country'], 'buyer'),
  OrderRequest: body('orders.create', 'A sale to record.', [
    ...['domain', 'expected_price', 'currency', 'buyer', 'return_url', 'cancel_url', 'quote_id'],
    'external_payment_ref',
  ]),
  OrderTimelineEntry: answer('orders.detail', 'A state the order has reached.', [], 'timeline', '[]'),
  Order: {
    ...answer('orders.detail', 'A sale and how far it has come.', ORDER_FIELDS),
    ourValues: { status: OUR_ORDER_STATES },
  },
  OrderList: answer('orders.list', 'A page of orders, newest first.', []),
  CheckoutSessionRequest: body('checkout.create', 'What the buyer is to be offered.', []),
  CheckoutSession: answer('checkout.create', 'A payment page for one buyer.', ['checkout_url']),
  SettlementStatement: answer('settlements.list', 'One period, settled.', [], 'settlements', '[]'),
  SettlementList: answer('settlements.list', 'A page of statements, newest first.', []),
  Transaction: answer('transactions.list', 'A domain sold through the partner.', [], 'transactions', '[]'),
  TransactionTotals: answer('transactions.list', 'Sums over all rows of the filter.', [], 'totals'),
  TransactionList: answer('transactions.list', 'A page of sales with their totals.', []),
  Payout: answer('payouts.list', 'Money paid out to the partner.', [], 'payouts', '[]'),
  PayoutList: answer('payouts.list', 'A page of payouts with their total.', []),
  RefundRequest: body('refunds.create', 'The order to take back.', []),
  Refund: answer('refunds.create', 'A sale taken back.', []),
  Eligibility: answer('brokerage.eligibility', 'Whether a domain can be brokered, and why not.', []),
  BrokerageRequest: body('brokerage.create', 'What the buyer wants.', ['tier', 'buyer_email', 'budget']),
  BrokerageCase: {
    ...answer('brokerage.detail', 'An acquisition on behalf of a buyer.', [
      ...['case_id', 'tier', 'buyer_email', 'budget', 'status', 'timeline'],
    ]),
    ourValues: { status: CASE_STATES },
  },
  BrokerageTimelineEntry: answer('brokerage.detail', 'A step of the case.', [], 'timeline', '[]'),
  BrokerageCaseList: answer('brokerage.list', 'A page of cases, newest first.', []),
  LinkRequest: body('links.create', 'The link to create.', ['kind']),
  Link: answer('links.create', 'A tracking link and what it has brought.', ['kind']),
  LinkList: answer('links.list', 'A page of tracking links.', []),
  ClickTotals: answer('me.clicks', 'Clicks in all and by link.', []),
  AttributedSale: answer('me.sales', 'A sale put down to a link.', [], 'sales', '[]'),
  AttributedSaleList: answer('me.sales', 'A page of attributed sales.', []),
  LedgerEntry: answer('me.commissions', 'A line of the commission ledger.', [], 'entries', '[]'),
  CommissionLedger: answer('me.commissions', 'A page of the ledger and the balance now.', []),
  Analytics: answer('analytics', 'The referral funnel.', []),
  WebhookRequest: body('webhooks.put', 'Where events go, and what signs them.', ['url', 'secret']),
  Webhook: answer('webhooks.put', 'The registered endpoint.', ['url', 'active', 'created_at']),
  OrderFacts: {
    ...answer('events.list', 'What an event tells of an order.', ORDER_FIELDS, ...AN_EVENT, '0', 'data', 'order'),
    ourValues: { status: OUR_ORDER_STATES },
  },
  CaseFacts: answer('events.list', 'What an event tells of a brokerage case.', [], ...AN_EVENT, '1', 'data', 'case'),
  TransferFacts: answer('events.list', 'What an event tells of a transfer.', [], ...AN_EVENT, '2', 'data', 'transfer'),
  OrderEvent: answer('events.list', 'Something that happened to an order.', EVENT_FIELDS, ...AN_EVENT, '0'),
  CaseEvent: answer('events.list', 'A brokerage case that ended in a deal.', EVENT_FIELDS, ...AN_EVENT, '1'),
  TransferEvent: answer(
    'events.list',
    'A transfer that started or ended; only where the open point `transfer-events` says so, and in the history alone.',
    EVENT_FIELDS,
    ...AN_EVENT,
    '2',
  ),
  EventList: answer('events.list', 'A page of the history, oldest first.', ['events', 'next_cursor']),
}

function answer(endpoint: EndpointId, description: string, documented: readonly string[], ...at: string[]) {
  return { endpoint, part: 'answer', description, documented, at } as const
}

function body(endpoint: EndpointId, description: string, documented: readonly string[], ...at: string[]) {
  return { endpoint, part: 'body', description, documented, at } as const
}
