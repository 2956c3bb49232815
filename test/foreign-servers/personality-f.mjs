// F: an old service behind a gateway. Every answer is wrapped; amounts are texts with two decimals, times are seconds since
// 1970, flags are words; an account with a year behind it, whose sold names cannot be had; 40 calls a second.
import { auth } from './personality-a.mjs'

const seconds = (at) => Math.floor(at / 1000)
const iso = (at) => new Date(at).toISOString().replace('Z', '000Z')
const text = (cents) => (cents / 100).toFixed(2)
const money = (cents) => ({ amount: text(cents), currency: 'USD' })
const flag = (is) => (is ? 'yes' : 'no')
const MODELS = { partner_collected: 'PC', hosted_checkout: 'HC', brokerage: 'BR', referral: 'RF' }
const KINDS = { accrued: 'Accrued', pending: 'Pending', paid_out: 'Paid-Out', reversed: 'Reversed' }

function shape(service) {
  const broken = service.broken
  const wrapped = (result) => ({ ok: true, served_by: 'gw-2', result })
  const paged = (name, rows, next, more = {}) =>
    wrapped({ [name]: rows, ...more, paging: { returned: rows.length, more: next !== null, after: next ?? '' } })
  const steps = (rows) => rows.map((line) => ({ step: line.status, ts: seconds(line.at) }))
  const domain = (l) => ({ fqdn: l.name, ask: money(l.price), for_sale: flag(!l.sold) })
  const order = (o, more = {}) => ({
    ...{ public_id: o.id, domain: o.domain, status: o.status, currency: o.currency },
    sale_price_cents: broken('price_is_text') ? String(o.price) : o.price,
    ...{ quote: o.quoteId ?? null, payment_reference: o.paymentRef ?? null, entered: seconds(o.at), ...more },
  })
  const brokerage = (made, more = {}) => ({
    ...{ case_id: made.id, fqdn: made.domain, tier: made.tier, buyer_email: made.email },
    ...{ ceiling: money(made.budget), standing: made.state, ending: made.outcome ?? '', ...more },
  })
  const link = (l, base) => ({
    ...{ link: l.id, sort: l.kind, address: `${base}/go/${l.code}` },
    ...{ visits: l.clicks ?? 0, buys: l.sales ?? 0 },
  })
  return {
    search: (rows) => wrapped({ matches: rows.map(domain) }),
    detail: (l) => wrapped({ ...domain(l), details: { words: l.words, topics: l.topics } }),
    availability: (name, open, l) =>
      wrapped({ fqdn: name, for_sale: flag(open), ask: l === undefined ? null : money(l.price) }),
    pricing: (l) => wrapped({ ask: money(l.price), ...(broken('no_floor_price') ? {} : { least: money(l.floor) }) }),
    quote: (q) =>
      wrapped({
        ...{ quote_id: q.id, fqdn: q.domain, firm: money(q.price), valid_to: seconds(q.expiresAt) },
        ...(broken('no_quote_token') ? {} : { proof: q.token }),
      }),
    order: (o, full) => wrapped({ order: order(o, full ? { steps: steps(o.timeline) } : {}) }),
    orders: (rows, next) =>
      paged(
        'orders',
        rows.map((o) => order(o)),
        next,
      ),
    session: (s, base) =>
      wrapped({
        session: { number: s.id, checkout_url: `${base}/checkout?pt=${s.token}`, ends: seconds(s.expiresAt) },
      }),
    settlements: (rows) =>
      wrapped({
        statements: rows.map((s) => ({
          ...{ number: s.id, opened: seconds(s.from), closed: seconds(s.to) },
          ...{ sold: money(s.gross), kept: money(s.retained), due: money(s.owed) },
        })),
      }),
    transactions: (rows, totals, next) =>
      paged(
        'rows',
        rows.map((t) => ({
          ...{ number: t.id, fqdn: t.domain, state: t.status, model: MODELS[t.model] },
          ...{ gross: money(t.price), fee: money(t.commission), ts: seconds(t.at) },
        })),
        next,
        broken('transactions_without_totals')
          ? {}
          : { sums: { gross: money(totals.gmv), fee: money(totals.commission) } },
      ),
    payouts: (rows, total) =>
      wrapped({
        transfers: rows.map((p) => ({ number: p.id, sent: seconds(p.at), value: money(p.amount) })),
        sum: money(total),
      }),
    cases: (rows) => wrapped({ cases: rows.map((made) => brokerage(made)) }),
    refund: (r) => wrapped({ refund: { number: r.id, for_order: r.order, state: 'booked' } }),
    eligibility: (name, { eligible, reason }) =>
      wrapped({ fqdn: name, brokerable: flag(eligible), because: reason ?? '' }),
    case: (made, base) =>
      wrapped({ case: brokerage(made, { follow: `${base}/progress/${made.view}`, steps: steps(made.timeline) }) }),
    link: (l, base) => wrapped(link(l, base)),
    links: (rows, base) => wrapped({ links: rows.map((l) => link(l, base)) }),
    clicks: (rows) => wrapped({ visits: rows.length }),
    sales: (rows, next) =>
      paged(
        'sales',
        rows.map((s) => ({
          ...{ number: s.id, who: s.buyer.email, fqdn: s.domain, gross: money(s.price) },
          ...{ earned: money(s.commission), via: s.link?.id ?? '', ts: seconds(s.at) },
        })),
        next,
      ),
    commissions: (lines, balance, next) =>
      paged(
        'book',
        lines.map((l) => ({
          ...{ number: l.id, kind: KINDS[l.kind], value: money(l.amount), held: money(l.balance) },
          ...{ fqdn: l.sale.domain, ts: seconds(l.at) },
        })),
        next,
        { now: money(balance) },
      ),
    analytics: (a) => wrapped({ visits: a.clicks, buys: a.sales, gross: money(a.gmv), earned: money(a.commission) }),
  }
}

export const F = {
  inventorySize: 900,
  past: true,
  shape,
  iso,
  toCents: (amount) => Math.round(Number(amount) * 100),
  commission: (cents) => Math.ceil(cents * 0.11),
  modelNamed: (name) => Object.keys(MODELS).find((model) => MODELS[model] === name) ?? name,
  soldNames: 'unavailable',
  refundedNames: 'for sale',
  namesFolded: true,
  plusIsSpace: false,
  timestampFirst: true,
  timestampClock: 'machine',
  fingerprint: 'raw',
  authenticateUnknownRoutes: false,
  contentType: 'application/json;charset=UTF-8',
  error: (_, code, message) => ({ ok: false, served_by: 'gw-2', fault: { code, message } }),
  errorHeaders: { 'x-gateway': '2' },
  statuses: {
    created: 201,
    contentType: 415,
    sold: 410,
    reserved: 423,
    ...auth(403, 400, 422),
    missing_idempotency_key: 412,
  },
  codes: { sold: 'gone', reserved: 'locked' },
  pageStatuses: { altered: 410, expired: 403 },
  linkStatus: 303,
  requiredOfOrders: ['buyer', 'buyer.email'],
  unknownQuote: ['not_found', 'There is no such quote.', { status: 404 }],
  states: { held: 'IN_REVIEW', cleared: 'APPROVED', refunded: 'PAID_BACK', cancelled: 'VOID', sale: 'SOLD' },
  clearStarts: 'later',
  refusedRefunds: {
    hosted: ['not_refundable', 'The order is not partner-collected.', { status: 403 }],
    again: ['not_refundable', 'The order has been refunded.', { status: 410 }],
    late: ['not_refundable', 'The domain has been delivered.', { status: 423 }],
  },
  refundAfterMs: 300,
  refundedRows: 'left out',
  hostedOrders: true,
  ordersNewestFirst: true,
  lists: { cursor: 'after', limit: 'count', defaultSize: 12, maximum: 24, reportsPaged: true },
  params: {
    orderStatus: 'status',
    orderDomain: 'fqdn',
    orderDates: ['not_before', 'not_after'],
    window: ['not_before', 'not_after'],
  },
  names: {
    quoteDomain: 'fqdn',
    sessionDomain: 'fqdn',
    refundOrder: 'for_order',
    caseDomain: 'fqdn',
    linkKind: 'sort',
    linkDomain: 'fqdn',
    linkProduct: 'product',
  },
  read: {
    quote: (body) => body.fqdn,
    session: (body) => body.fqdn,
    refund: (body) => body.for_order,
    link: (body) => ({ kind: body.sort, domain: body.fqdn ?? undefined, product: body.product ?? undefined }),
    case: (body) => ({ domain: body.fqdn, tier: body.tier, email: body.buyer_email, budget: body.budget }),
  },
  productRequired: true,
  ineligible: ['not_eligible', 'The domain cannot be brokered.', { status: 403 }],
  ledgers: 'two',
  ledgerNewestFirst: true,
  pendingBy: 'turning the line',
  caseEvent: (made, cut) => ({ case_id: made.id, fqdn: made.domain, sold_for: money(made.price), earned: money(cut) }),
  history: 'oldest first',
  historyDefault: 12,
  historyMaximum: 24,
  historyOverMaximum: 'cut',
  historyUnknownId: 'not_found',
  lastPageHasCursor: true,
  historyLagMs: () => 250,
  transferFamily: true,
  retryAfterMs: [500, 1500, 4000],
  serialDeliveries: true,
  deliveryPauseMs: 50,
  checkout: 'two forms',
  rateLimit: { calls: 40, seconds: 1 },
}
