import { answerShape, bodyShape, type Endpoint, get, listOf, makes, post, type Shape } from './endpoint.ts'
import { AT, CASE, DOMAIN, ORDER_ID, PAYOUTS } from './example-values.ts'

export const PAYOUT_LIST = listOf(
  'payouts.items',
  'payout',
  ['id', 'amount', 'currency', 'kind', 'date'],
  'payouts.total',
)

/** The endpoints under the heading "Settlement and reporting", in the order of the document. */
export const SETTLEMENT = {
  'settlements.list': {
    ...get('/settlements', ['buy'], 'Settlement and reporting'),
    summary: 'List settlement statements',
    description:
      'Newest first. Every settlement run closes the period since the run before with a statement for every partner, of zeros where none of its orders were settled. A page is shorter than `limit`, and has a next one, where its statements list very many orders.',
    requirements: ['SET-01', 'SET-02', 'SCOPE-02'],
    example: {
      answer: {
        settlements: [
          {
            statement_id: 'stm_9v2b6n4m1k7j3h5g',
            period_start: '2026-01-01T00:00:00.000Z',
            period_end: AT,
            gross_sold_cents: 30_000,
            commission_retained_cents: 6_000,
            amount_owed_cents: 24_000,
            adjustment_cents: 0,
            currency: 'USD',
            orders: [ORDER_ID],
          },
        ],
        next_cursor: null,
      },
    },
    ...listOf('statements.items', 'statement', [
      'id',
      'period_start',
      'period_end',
      'gross',
      'commission',
      'owed',
      'currency',
      'orders',
    ]),
  },
  'transactions.list': {
    ...get('/transactions', ['report'], 'Settlement and reporting'),
    summary: 'List every domain sold through the partner',
    description: 'Under every sales model. The totals cover all rows the filters let through, not this page alone.',
    requirements: ['TXN-01', 'TXN-02', 'SCOPE-06'],
    documentedQuery: ['from', 'to', 'status', 'payment_model'],
    example: {
      answer: {
        transactions: [
          {
            transaction_id: 'txn_7d3f9g1h5j2k8m4n',
            public_id: ORDER_ID,
            case_id: null,
            domain: DOMAIN,
            sale_price_cents: 30_000,
            commission_cents: 6_000,
            currency: 'USD',
            payment_model: 'partner_collected',
            status: 'EXTERNALLY_PAID',
            created_at: AT,
          },
        ],
        totals: { count: 1, gmv_cents: 30_000, commission_cents: 6_000 },
        next_cursor: null,
      },
    },
    ...listOf(
      'transactions.items',
      'transaction',
      ['id', 'order', 'domain', 'amount', 'commission', 'currency', 'payment_model', 'status', 'created_at'],
      'transactions.count',
      'transactions.gmv',
      'transactions.commission',
    ),
  },
  'payouts.list': {
    ...get('/payouts', ['report'], 'Settlement and reporting'),
    summary: 'List what was paid out to the partner',
    description: 'Commission of hosted sales and shares of brokered deals.',
    requirements: ['PAY-01', 'SCOPE-06'],
    example: { answer: PAYOUTS },
    ...PAYOUT_LIST,
  },
  'brokerage.list': {
    ...get('/brokerage', ['report'], 'Settlement and reporting'),
    summary: "List the partner's own brokerage cases",
    description: 'With how each of them ended, where it has ended.',
    requirements: ['BRKL-01', 'SCOPE-06'],
    example: { answer: { cases: [CASE], next_cursor: null } },
    timeline: 'case',
    ...listOf('cases.items', 'case', ['status', 'domain', 'created_at']),
  },
  'refunds.create': {
    ...post('/refunds', ['buy'], 'Settlement and reporting'),
    summary: 'Take back a sale that the partner collected',
    description: 'Possible until the domain has been delivered; later, and for sales of other kinds, it is refused.',
    requirements: ['REF-01', 'REF-02', 'REF-03', 'REF-04', 'SCOPE-02'],
    refusals: ['not_found', { gap: 'refund-refusal' }],
    example: {
      body: { public_id: ORDER_ID, reason: 'The buyer changed their mind.' },
      answer: {
        refund_id: 'rf_4s8d2f6g0h3j7k1z',
        public_id: ORDER_ID,
        status: 'REFUNDED',
        amount_cents: 30_000,
        currency: 'USD',
        created_at: AT,
      },
    },
    hint: { words: 'POST /refunds {"public_id": …} for an order that was not delivered yet', see: 'order list' },
    subject: { kind: 'order', name: 'public_id' },
    creates: makes('refund', 'refund.id', 'refund_id'),
    bodies: ['refund'],
    inScenario: {
      argument: { in: 'body', name: 'public_id', value: '${made.order.public_id}' },
      after: 'order',
    },
  },
} as const satisfies Record<string, Endpoint>

export const SETTLEMENT_SHAPES = {
  SettlementStatement: answerShape('settlements.list', 'One period, settled.', [], 'settlements', '[]'),
  SettlementList: answerShape('settlements.list', 'A page of statements, newest first.', []),
  Transaction: answerShape('transactions.list', 'A domain sold through the partner.', [], 'transactions', '[]'),
  TransactionTotals: answerShape('transactions.list', 'Sums over all rows of the filter.', [], 'totals'),
  TransactionList: answerShape('transactions.list', 'A page of sales with their totals.', []),
  Payout: answerShape('payouts.list', 'Money paid out to the partner.', [], 'payouts', '[]'),
  PayoutList: answerShape('payouts.list', 'A page of payouts with their total.', []),
  RefundRequest: bodyShape('refunds.create', 'The order to take back.', []),
  Refund: answerShape('refunds.create', 'A sale taken back.', []),
} as const satisfies Record<string, Shape>
