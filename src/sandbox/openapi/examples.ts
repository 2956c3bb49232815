import type { EndpointId } from '../../contract/endpoints.ts'
import type { EventType } from '../../contract/event-types.ts'

interface OperationExample {
  readonly body?: unknown
  readonly answer: unknown
}

const AT = '2026-01-15T12:00:00.000Z'
const LATER = '2026-01-15T12:10:00.000Z'
/** Listed in every sandbox and out of the way of automatic progress, so that the calls work when they are pasted. */
const DOMAIN = 'stalls-1.test'
const ORDER_ID = 'ord_0h2m6v9q4x8k1c3z'
const CASE_ID = 'brk_5t1n8d0w7y2f6r4p'
const LINK_ID = 'lnk_3c9x5b1g7k0s2v8d'
const TOKEN = 'bG9jYWw.c2lnbmF0dXJl'

const buyer = { email: 'buyer@example.com', name: 'Ada Buyer', country: 'DE' }
const orderFacts = {
  public_id: ORDER_ID,
  domain: DOMAIN,
  status: 'EXTERNALLY_PAID',
  sale_price_cents: 30_000,
  currency: 'USD',
}
const order = {
  ...orderFacts,
  payment_model: 'partner_collected',
  buyer,
  quote_id: null,
  external_payment_ref: 'inv-2026-0001',
  commission_cents: 6_000,
  amount_owed_cents: 24_000,
  created_at: AT,
  updated_at: AT,
  timeline: [{ status: 'EXTERNALLY_PAID', at: AT, event_id: 'evt_2w6j9s4c8q1x5z0v', note: null }],
}
const orderEvent = { id: 'evt_2w6j9s4c8q1x5z0v', type: 'order.recorded', created_at: AT, data: { order: orderFacts } }

const payouts = {
  payouts: [
    { payout_id: 'po_5z9x3c7v1b4n8m2k', amount_cents: 6_000, currency: 'USD', kind: 'commission', paid_at: AT },
  ],
  total_paid_cents: 6_000,
  next_cursor: null,
}
const brokerageCase = {
  case_id: CASE_ID,
  tier: 'managed',
  buyer_email: 'buyer@example.com',
  budget: 500_000,
  domain: DOMAIN,
  currency: 'USD',
  status: 'OPEN',
  progress_url: `http://127.0.0.1:4600/brokerage/progress?token=${TOKEN}`,
  partner_share_basis_points: 1_000,
  deal_price_cents: null,
  partner_cut_cents: null,
  created_at: AT,
  updated_at: AT,
  timeline: [{ status: 'OPEN', at: AT, event_id: null, note: null }],
}
const caseFacts = {
  case_id: CASE_ID,
  domain: DOMAIN,
  tier: 'managed',
  status: 'DEAL_CLOSED',
  deal_price_cents: 420_000,
  partner_cut_cents: 42_000,
  currency: 'USD',
}
const link = {
  link_id: LINK_ID,
  kind: 'domain',
  url: `http://127.0.0.1:4600/go/default/${LINK_ID}`,
  domain: DOMAIN,
  product: null,
  clicks: 0,
  sales: 0,
  created_at: AT,
}

/** One call and its answer for each operation. A test holds them against the schemas. */
export const EXAMPLES: Record<EndpointId, OperationExample> = {
  'domains.search': {
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
  'domains.detail': {
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
  availability: { answer: { domain: DOMAIN, available: true, price_cents: 30_000, currency: 'USD' } },
  pricing: {
    answer: { domain: DOMAIN, buy_now_price_cents: 30_000, floor_price_cents: 18_500, currency: 'USD' },
  },
  'quotes.create': {
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
  'orders.create': {
    body: {
      domain: DOMAIN,
      expected_price: 30_000,
      currency: 'USD',
      buyer,
      external_payment_ref: 'inv-2026-0001',
    },
    answer: order,
  },
  'orders.list': { answer: { orders: [order], next_cursor: null } },
  'orders.detail': { answer: order },
  'checkout.create': {
    body: {
      domain: DOMAIN,
      return_url: 'https://shop.example.com/thanks',
      cancel_url: 'https://shop.example.com/cart',
    },
    answer: {
      session_id: 'cs_1p8t4e0a6y3u9i5q',
      checkout_url: `http://127.0.0.1:4600/checkout?pt=${TOKEN}`,
      expires_at: '2026-01-22T12:00:00.000Z',
      status: 'open',
      domain: DOMAIN,
      price_cents: 30_000,
      currency: 'USD',
      commission_cents: 6_000,
    },
  },
  'settlements.list': {
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
  'transactions.list': {
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
  'payouts.list': { answer: payouts },
  'brokerage.list': { answer: { cases: [brokerageCase], next_cursor: null } },
  'refunds.create': {
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
  'brokerage.eligibility': { answer: { domain: DOMAIN, eligible: true, reason: null } },
  'brokerage.create': {
    body: { tier: 'managed', buyer_email: 'buyer@example.com', budget: 500_000, domain: DOMAIN },
    answer: brokerageCase,
  },
  'brokerage.detail': { answer: brokerageCase },
  'links.create': { body: { kind: 'domain', domain: DOMAIN }, answer: link },
  'links.list': { answer: { links: [link], next_cursor: null } },
  'me.clicks': { answer: { total: 3, by_link: [{ link_id: LINK_ID, clicks: 3 }] } },
  'me.sales': {
    answer: {
      sales: [
        {
          public_id: ORDER_ID,
          link_id: LINK_ID,
          buyer: { email: 'buyer@example.com', country: 'DE' },
          domain: DOMAIN,
          amount_cents: 30_000,
          commission_cents: 6_000,
          currency: 'USD',
          created_at: AT,
        },
      ],
      next_cursor: null,
    },
  },
  'me.commissions': {
    answer: {
      entries: [
        {
          entry_id: 'ent_2x6c0v4b8n1m5l9k',
          kind: 'accrued',
          amount_cents: 6_000,
          balance_cents: 6_000,
          public_id: ORDER_ID,
          case_id: null,
          created_at: AT,
        },
      ],
      balance_cents: 6_000,
      currency: 'USD',
      next_cursor: null,
    },
  },
  'me.payouts': { answer: payouts },
  analytics: {
    answer: {
      clicks: 3,
      checkouts: 2,
      sales: 1,
      conversion_rate: 0.3333,
      gmv_cents: 30_000,
      commission_cents: 6_000,
      currency: 'USD',
    },
  },
  'webhooks.put': {
    body: { url: 'http://127.0.0.1:8080/hooks', secret: 'a-secret-of-your-own' },
    answer: { url: 'http://127.0.0.1:8080/hooks', active: true, created_at: AT },
  },
  'events.list': { answer: { events: [orderEvent], next_cursor: null } },
}

/** What a delivery of each type carries. */
export function deliveryExample(type: EventType): unknown {
  const { id, created_at, data } = orderEvent
  const envelope = { id, type, created_at, partner_id: 'ptr_6d0r4h8y2m9k3w7t' }
  if (type === 'brokerage.case_completed') return { ...envelope, data: { case: caseFacts } }
  return { ...envelope, data: { order: { ...data.order, status: STATUS_AFTER[type] } } }
}

const STATUS_AFTER: Readonly<Record<Exclude<EventType, 'brokerage.case_completed'>, string>> = {
  'order.recorded': 'EXTERNALLY_PAID',
  'order.manual_review_cleared': 'EXTERNALLY_PAID',
  'order.transfer_started': 'TRANSFER_IN_PROGRESS',
  'order.transfer_completed': 'TRANSFER_COMPLETED',
  'order.settled': 'SETTLED',
  'order.refunded': 'REFUNDED',
}
