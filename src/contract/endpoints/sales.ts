import type { OrderState } from '../order-states.ts'
import { answerShape, bodyShape, type Endpoint, get, makes, post, type Shape } from './endpoint.ts'
import { AT, BUYER, DOMAIN, LATER, ORDER, TOKEN } from './example-values.ts'

const ORDER_ROLES = ['order.created_at', 'order.payment_model', 'order.quote_id', 'order.external_payment_ref'] as const

export const ORDER_FIELDS = ['public_id', 'domain', 'status', 'sale_price_cents', 'currency'] as const
/** The states of held, refunded and cancelled orders have no name in the API document (ORD-15). */
export const OUR_ORDER_STATES = ['MANUAL_REVIEW', 'REFUNDED', 'CANCELLED'] as const satisfies readonly OrderState[]

/** The endpoints under the heading "Partner-collected sales", in the order of the document. */
export const SALES = {
  'quotes.create': {
    ...post('/quotes', ['buy'], 'Partner-collected sales'),
    summary: 'Fix the price of a domain for ten minutes',
    description:
      'Reserves the domain for the caller and holds its price while the quote lasts. Another quote of the same partner for the same domain replaces the one before.',
    requirements: ['QUOTE-01', 'QUOTE-04', 'QUOTE-05', 'QUOTE-06', 'QUOTE-07', 'QUOTE-08', 'QUOTE-09', 'SCOPE-02'],
    refusals: ['not_found', 'conflict'],
    example: {
      body: { domain: DOMAIN },
      answer: {
        quote_id: 'qt_8f3k1d6w0z4n7m2x',
        domain: DOMAIN,
        price_cents: 30_000,
        currency: 'USD',
        commission_cents: 6_000,
        created_at: AT,
        expires_at: LATER,
        quote_token: TOKEN,
      },
    },
    hint: { body: { domain: 'stalls-902.test' } },
    subject: { kind: 'domain', name: 'domain' },
    creates: { ...makes('quote', 'quote.id', 'quote_id'), takesDomain: true },
    bodies: ['quote'],
  },
  'orders.create': {
    ...post('/orders', ['buy'], 'Partner-collected sales'),
    merchantOfRecord: true,
    idempotencyKey: 'required',
    summary: 'Record a sale whose price the partner has collected',
    description:
      'The partner has charged the buyer and reports the sale. Send the same `Idempotency-Key` again to repeat a call whose answer got lost: the first accepted answer comes back byte for byte, marked by `Idempotent-Replayed`.',
    requirements: [
      ...['ORD-01', 'ORD-02', 'ORD-03', 'ORD-04', 'ORD-05', 'ORD-11', 'ORD-12', 'ORD-13', 'ORD-16'],
      ...['QUOTE-02', 'QUOTE-03', 'QUOTE-05', 'QUOTE-07', 'QUOTE-10', 'SCOPE-02', 'SCOPE-10'],
      ...['IDEM-01', 'IDEM-02', 'IDEM-03', 'IDEM-04', 'IDEM-05', 'IDEM-07', 'IDEM-08', 'IDEM-09', 'IDEM-10'],
    ],
    refusals: ['missing_idempotency_key', 'not_found', 'conflict', 'price_mismatch', 'quote_expired'],
    example: {
      body: {
        domain: DOMAIN,
        expected_price: 30_000,
        currency: 'USD',
        buyer: BUYER,
        external_payment_ref: 'inv-2026-0001',
      },
      answer: ORDER,
    },
    hint: { orderOf: 'stalls-903.test' },
    subject: { kind: 'domain', name: 'domain' },
    timeline: 'order',
    creates: { ...makes('order', 'order.public_id', 'public_id'), at: 'order.created_at', takesDomain: true },
    bodies: ['order', 'order_sparse'],
  },
  'orders.list': {
    ...get('/orders', ['search', 'buy'], 'Partner-collected sales'),
    summary: "List the partner's own orders",
    description: 'Newest first, in pages. Filters narrow the list together.',
    requirements: ['ORD-06', 'ORD-07', 'ORD-08', 'ORD-14', 'SCOPE-08'],
    documentedQuery: ['status', 'domain'],
    example: { answer: { orders: [ORDER], next_cursor: null } },
    subject: { kind: 'domain', name: 'domain' },
    timeline: 'order',
    list: { items: 'orders.items', next: 'orders.next' },
    openRoles: {
      answer: ['orders.items', 'orders.next'],
      items: { of: 'orders.items', roles: ORDER_ROLES },
    },
    refusals: [],
  },
  'orders.detail': {
    ...get('/orders/{public_id}', ['search', 'buy'], 'Partner-collected sales'),
    summary: 'Read one order with its timeline',
    description: "Other partners' orders are answered exactly as if they did not exist.",
    requirements: ['ORD-09', 'ORD-10', 'ORD-15', 'SCOPE-08'],
    refusals: ['not_found'],
    example: { answer: ORDER },
    hint: { words: 'GET /orders/{public_id} of an order that was recorded', see: 'order list' },
    subject: { kind: 'order', name: 'public_id' },
    timeline: 'order',
    openRoles: {
      answer: [...ORDER_ROLES, 'order.timeline'],
      inner: { of: 'order.timeline', roles: ['timeline.status', 'timeline.at'] },
    },
    inScenario: {
      argument: { in: 'path', name: 'public_id', value: '${made.order.public_id}' },
      after: 'order',
    },
  },
} as const satisfies Record<string, Endpoint>

export const SALES_SHAPES = {
  QuoteRequest: bodyShape('quotes.create', 'What is to be quoted.', []),
  Quote: answerShape('quotes.create', 'A firm price and a reservation.', ['quote_id']),
  Buyer: bodyShape('orders.create', 'Who buys.', ['email', 'name', 'country'], 'buyer'),
  OrderRequest: bodyShape('orders.create', 'A sale to record.', [
    ...['domain', 'expected_price', 'currency', 'buyer', 'return_url', 'cancel_url', 'quote_id'],
    'external_payment_ref',
  ]),
  OrderTimelineEntry: answerShape('orders.detail', 'A state the order has reached.', [], 'timeline', '[]'),
  Order: {
    ...answerShape('orders.detail', 'A sale and how far it has come.', ORDER_FIELDS),
    ourStates: OUR_ORDER_STATES,
  },
  OrderList: answerShape('orders.list', 'A page of orders, newest first.', []),
} as const satisfies Record<string, Shape>
