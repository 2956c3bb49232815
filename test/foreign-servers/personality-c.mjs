// C: eventually consistent. The history is one listing, newest first, and after_id goes on in it; history, reports,
// refunds and deliveries come late; errors are problem+json; lists are arrays with a Link header; 60 calls a second.
import { auth } from './personality-a.mjs'

const iso = (at) => new Date(at).toISOString().replace('Z', '+00:00')
const MODELS = {
  partner_collected: 'external',
  hosted_checkout: 'checkout',
  brokerage: 'broker',
  referral: 'affiliate',
}
const KINDS = { accrued: 'ACCRUED', pending: 'PENDING', paid_out: 'PAID_OUT', reversed: 'REVERSED' }

const money = (cents) => ({ minor: cents, currency: 'USD' })

/** The address of the next page in a Link header, with the query that was asked. */
function withNext(rows, next, call) {
  if (next === null) return { _array: rows }
  const query = new URLSearchParams([...call.params].filter(([name]) => name !== 'starting_after'))
  query.set('starting_after', next)
  return { _array: rows, _headers: { link: `<${call.path}?${query}>; rel="next"` } }
}

function shape(service) {
  const broken = service.broken
  const order = (o) => ({
    ...{ public_id: o.id, domain: o.domain, status: o.status },
    sale_price_cents: broken('price_is_text') ? String(o.price) : o.price,
    ...{
      currency: o.currency,
      references: { quote_id: o.quoteId ?? null, external_payment_ref: o.paymentRef ?? null },
      recorded_at: iso(o.at),
    },
  })
  const events = (rows) => rows.map((line) => ({ event: line.status, occurred_at: iso(line.at) }))
  const domain = (l) => ({
    domain_name: l.name,
    buy_now: money(l.price),
    sale_status: l.sold ? 'sold' : 'open',
    available: !l.sold,
  })
  const brokerage = (made) => ({
    case_id: made.id,
    domain: made.domain,
    tier: made.tier,
    buyer_email: made.email,
    budget: money(made.budget),
    phase: made.state,
    result: made.outcome ?? null,
  })
  const link = (l, base) => ({
    link_id: l.id,
    type: l.kind,
    short_url: `${base}/go/${l.code}`,
    stats: { clicks: l.clicks ?? 0, sales: l.sales ?? 0 },
  })
  return {
    search: (rows) => ({ hits: rows.map(domain) }),
    detail: (l) => ({ ...domain(l), metadata: { words: l.words, tags: l.topics } }),
    availability: (name, open, l) => ({ domain_name: name, available: open, ...(l && { buy_now: money(l.price) }) }),
    pricing: (l) => ({ buy_now: money(l.price), ...(broken('no_floor_price') ? {} : { floor: money(l.floor) }) }),
    quote: (q) => ({
      quote_id: q.id,
      domain_name: q.domain,
      firm_price: money(q.price),
      expires_in: 600,
      expires_at: iso(q.expiresAt),
      ...(broken('no_quote_token') ? {} : { quote_token: q.token }),
    }),
    order: (o, full) => (full ? { ...order(o), fulfilment: { timeline: events(o.timeline) } } : order(o)),
    orders: (rows, next, call) => withNext(rows.map(order), next, call),
    session: (s, base) => ({ id: s.id, checkout_url: `${base}/checkout?pt=${s.token}` }),
    settlements: (rows) => ({
      _array: rows.map((s) => ({
        statement_id: s.id,
        opened: iso(s.from),
        closed: iso(s.to),
        gross: money(s.gross),
        retained: money(s.retained),
        owed: money(s.owed),
      })),
    }),
    transactions: (rows, totals) => ({
      rows: rows.map((t) => ({
        ref: t.id,
        domain_name: t.domain,
        status: t.status,
        payment_model: MODELS[t.model],
        amount: money(t.price),
        commission: money(t.commission),
        at: iso(t.at),
      })),
      ...(broken('transactions_without_totals')
        ? {}
        : { summary: { gmv: money(totals.gmv), commission: money(totals.commission) } }),
    }),
    payouts: (rows, total) => ({
      payouts: rows.map((p) => ({ ref: p.id, date: iso(p.at).slice(0, 10), amount: money(p.amount) })),
      total: money(total),
    }),
    cases: (rows) => ({ _array: rows.map(brokerage) }),
    refund: (r) => ({ ref: r.id, order: r.order, state: 'accepted' }),
    eligibility: (name, { eligible, reason }) => ({
      domain_name: name,
      can_be_brokered: eligible,
      ...(reason && { reason }),
    }),
    case: (made, base) => ({
      ...brokerage(made),
      progress: `${base}/progress/${made.view}`,
      timeline: events(made.timeline),
    }),
    link,
    links: (rows, base) => ({ _array: rows.map((l) => link(l, base)) }),
    clicks: (rows) => ({ clicks: { total: rows.length } }),
    sales: (rows) => ({
      _array: rows.map((s) => ({
        ref: s.id,
        buyer: s.buyer.email,
        domain_name: s.domain,
        amount: money(s.price),
        commission: money(s.commission),
        link: s.link?.id ?? null,
        at: iso(s.at),
      })),
    }),
    commissions: (lines, balance) => ({
      lines: lines.map((l) => ({
        ref: l.id,
        kind: KINDS[l.kind],
        amount: money(l.amount),
        balance_after: money(l.balance),
        sale: l.sale.id,
        domain_name: l.sale.domain,
        at: iso(l.at),
      })),
      balance: money(balance),
    }),
    analytics: (a) => ({ clicks: a.clicks, conversions: a.sales, gmv: money(a.gmv), commission: money(a.commission) }),
  }
}

let lagged = 0

export const C = {
  inventorySize: 1200,
  past: false,
  shape,
  iso,
  toCents: (amount) => amount,
  commission: (cents) => Math.floor(cents * 0.175),
  modelNamed: (name) => Object.keys(MODELS).find((model) => MODELS[model] === name) ?? name,
  soldNames: 'unavailable',
  refundedNames: 'stay sold',
  namesFolded: true,
  plusIsSpace: false,
  timestampFirst: false,
  timestampClock: 'machine',
  fingerprint: 'parsed',
  authenticateUnknownRoutes: true,
  contentType: 'application/json; charset=utf-8',
  error: (status, code, message) => ({
    type: `urn:partner:${code}`,
    title: code.replaceAll('_', ' '),
    status,
    code,
    message,
  }),
  errorHeaders: { 'content-type': 'application/problem+json' },
  statuses: {
    created: 202,
    contentType: 415,
    sold: 409,
    reserved: 423,
    ...auth(401, 401, 409),
    missing_idempotency_key: 428,
  },
  codes: { sold: 'not_available', reserved: 'reserved' },
  pageStatuses: { altered: 404, expired: 410 },
  linkStatus: 302,
  requiredOfOrders: ['currency', 'buyer', 'buyer.email', 'buyer.name', 'buyer.country', 'return_url'],
  unknownQuote: ['not_found', 'Quote not found.'],
  states: {
    held: 'HELD_FOR_REVIEW',
    cleared: 'REVIEW_CLEARED',
    refunded: 'REFUNDED',
    cancelled: 'CANCELED',
    sale: 'PAID',
  },
  clearStarts: 'later',
  refusedRefunds: {
    hosted: ['not_refundable', 'The order is not partner-collected.', { status: 409 }],
    again: ['not_refundable', 'A refund has been requested.', { status: 409 }],
    late: ['not_refundable', 'The domain has been delivered.', { status: 409 }],
  },
  refundAfterMs: 1000,
  refundedRows: 'kept',
  hostedOrders: true,
  ordersNewestFirst: true,
  lists: { cursor: 'starting_after', limit: 'page_size', defaultSize: 15, maximum: 40, reportsPaged: false },
  params: { orderStatus: 'status', orderDomain: 'domain', orderDates: ['since', 'until'], window: ['since', 'until'] },
  names: {
    quoteDomain: 'domain_name',
    sessionDomain: 'domain_name',
    refundOrder: 'public_id',
    caseDomain: 'domain',
    linkKind: 'type',
    linkDomain: 'target',
    linkProduct: 'target',
  },
  read: {
    quote: (body) => body.domain_name,
    session: (body) => body.domain_name,
    refund: (body) => body.public_id,
    link: (body) => ({
      kind: body.type,
      ...(body.type === 'product' ? { product: body.target ?? undefined } : { domain: body.target ?? undefined }),
    }),
    case: (body) => ({ domain: body.domain, tier: body.tier, email: body.buyer_email, budget: body.budget }),
  },
  productRequired: false,
  ineligible: ['not_eligible', 'The domain cannot be brokered.', { status: 409 }],
  ledgers: 'one',
  ledgerNewestFirst: true,
  pendingBy: 'two lines',
  caseEvent: (made, cut) => ({
    brokerage_case: {
      case_id: made.id,
      domain: made.domain,
      result: 'deal',
      price: money(made.price),
      cut: money(cut),
    },
  }),
  history: 'newest page first',
  historyDefault: 20,
  historyMaximum: 60,
  historyOverMaximum: 'cut',
  historyUnknownId: 'validation_error',
  lastPageHasCursor: false,
  historyLagMs: () => 500 + ((lagged++ * 370) % 1500),
  transferFamily: true,
  reportLagMs: 800,
  retryAfterMs: [2000],
  serialDeliveries: true,
  deliveryPauseMs: 100,
  checkout: 'link',
  rateLimit: { calls: 60, seconds: 1 },
}
