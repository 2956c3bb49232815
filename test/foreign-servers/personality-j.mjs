// J: a Go team that says as little as it may. Bare arrays with the cursor in a header, short names, integers of cents whose names do not
// say so, in pounds; times of nine digits. What it takes for itself, and by which silence of the document:
// - "Fields of the order record beyond the five": there are none; the detail adds a timeline, in words of its own.
// - "Result: up to 5 relevant domains": their names and nothing else, from an index that is renewed every two seconds.
// - "Names of the query parameters": a parameter, or a member of a body, that it does not know is refused; a window is of days.
// - "success status codes": a refund is 204; a second one, too. "quote: ... reservation": its seconds, no moment.
// - "the cursor of list endpoints": a full page leads on, if only to an empty one; orders come by id, a second late; a page over 20 is refused.
// - "Retention period of nonces", their form: 8 to 64 visible characters, one use for all credentials; a key of idempotency has 64 at most,
//   and keeps refusals as it keeps answers. - "POST /links ... linked to an affiliate account": without it, there is nothing there (404).
// - "within 300 seconds of server time": its own clock, seven seconds ahead of the Date header, which a gateway writes.
// - "Numeric request-rate limits": 120 calls in two seconds for each address, counted before the signature is looked at.
// - The progress link, a tracking link and the checkout are on another host name. The checkout form needs its cookie and a hidden token.
// - "After a webhook is registered, the service sends each event": beginning with a ping of that registration.
import { auth } from './personality-a.mjs'

const iso = (at) => new Date(at).toISOString().replace('Z', '004217Z')
const day = (at) => new Date(at).toISOString().slice(0, 10)
const fold = (name) => (typeof name === 'string' ? name.toLowerCase() : name)
const shown = (name) => name.charAt(0).toUpperCase() + name.slice(1)
const MODELS = { partner_collected: 1, hosted_checkout: 2, brokerage: 3, referral: 4 }
const KINDS = { accrued: 'accrued', pending: 'pending', paid_out: 'paid out', reversed: 'reversed' }
const WORDS = {
  EXTERNALLY_PAID: 'paid',
  TRANSFER_IN_PROGRESS: 'pushing',
  TRANSFER_COMPLETED: 'delivered',
  SETTLED: 'settled',
}
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const ulid = () => Array.from({ length: 22 }, () => LETTERS[Math.floor(Math.random() * 32)]).join('')

/** The rows with the cursor of the next page in a header. */
const listed = (rows, next) => ({ _array: rows, ...(next !== null && { _headers: { 'X-Next': next } }) })
const headed = (told, next) => ({ ...told, ...(next !== null && { _headers: { 'X-Next': next } }) })

function shape(service) {
  const broken = service.broken
  const steps = (rows) => rows.map((line) => ({ s: WORDS[line.status] ?? line.status, t: iso(line.at) }))
  const order = (o, more = {}) => ({
    ...{ public_id: o.id, domain: shown(o.domain), status: o.status },
    sale_price_cents: broken('price_is_text') ? String(o.price) : o.price,
    ...{ currency: o.currency, ...more },
  })
  const brokerage = (made, more = {}) => ({
    ...{ case_id: made.id, d: shown(made.domain), tier: made.tier, buyer_email: made.email, budget: made.budget },
    ...{ state: made.state, ...(made.outcome && { outcome: made.outcome }), ...more },
  })
  const link = (l, base) => ({
    id: l.id,
    kind: l.kind,
    u: `${base}/go/${l.code}`,
    n: { c: l.clicks ?? 0, s: l.sales ?? 0 },
  })
  return {
    search: (rows) => ({ _array: rows.map((l) => shown(l.name)) }),
    detail: (l) => ({
      d: shown(l.name),
      price: l.price,
      ccy: 'GBP',
      available: !l.sold,
      meta: { w: l.words, t: l.topics },
    }),
    availability: (_, open, l) => ({ available: open, ...(l && { price: l.price }) }),
    pricing: (l) => ({ buy: l.price, ...(broken('no_floor_price') ? {} : { floor: l.floor }), ccy: 'GBP' }),
    quote: (q) => ({
      ...{ quote_id: q.id, price: q.price, ccy: 'GBP', ttl: (q.toldAt - q.at) / 1000 },
      ...(broken('no_quote_token') ? {} : { tok: q.token }),
    }),
    order: (o, full) => order(o, full ? { timeline: steps(o.timeline) } : {}),
    orders: (rows, next) =>
      listed(
        rows.map((o) => order(o)),
        next,
      ),
    session: (s, base) => ({ checkout_url: `${base}/checkout?pt=${s.token}` }),
    settlements: (rows, next) =>
      listed(
        rows.map((s) => ({
          no: s.id,
          from: day(s.from),
          to: day(s.to),
          gross: s.gross,
          kept: s.retained,
          owed: s.owed,
        })),
        next,
      ),
    transactions: (rows, totals, next) =>
      headed(
        {
          tx: rows.map((t) => ({
            ...{ id: t.id, d: shown(t.domain), st: t.status, pm: MODELS[t.model] },
            ...{ amt: t.price, fee: t.commission, t: iso(t.at) },
          })),
          ...(broken('transactions_without_totals') ? {} : { gmv: totals.gmv, fee: totals.commission }),
        },
        next,
      ),
    payouts: (rows, total, next) =>
      headed(
        {
          list: rows.map((p) => ({
            no: p.id,
            ...(!broken('payouts_without_dates') && { on: day(p.at) }),
            amt: p.amount,
          })),
          paid: total,
        },
        next,
      ),
    cases: (rows, next) =>
      listed(
        rows.map((made) => brokerage(made)),
        next,
      ),
    refund: () => ({}),
    eligibility: (_, { eligible, reason }) => ({ ok: eligible, ...(reason && { why: reason }) }),
    case: (made, base) => brokerage(made, { link: `${base}/progress/${made.view}`, log: steps(made.timeline) }),
    link,
    links: (rows, base, next) =>
      listed(
        rows.map((l) => link(l, base)),
        next,
      ),
    clicks: (rows) => ({ n: rows.length }),
    sales: (rows, next) =>
      listed(
        rows.map((s) => ({
          ...{ id: s.id, buyer: s.buyer.email?.replace(/^(.).*@/u, '$1***@') ?? null, d: shown(s.domain) },
          ...{ amt: s.price, fee: s.commission, t: iso(s.at), ...(s.link && { via: s.link.id }) },
        })),
        next,
      ),
    commissions: (lines, balance, next) =>
      headed(
        {
          led: lines.map((l) => ({
            ...{ no: l.id, kind: KINDS[l.kind], amt: l.amount, bal: l.balance, d: shown(l.sale.domain), t: iso(l.at) },
          })),
          bal: balance,
        },
        next,
      ),
    analytics: (a) => ({ clicks: a.clicks, sales: a.sales, gmv: a.gmv, fee: a.commission }),
  }
}

const page = ['after', 'n']

export const J = {
  inventorySize: 2240,
  oddCents: true,
  past: true,
  shape,
  iso,
  shownName: shown,
  currency: 'GBP',
  newId: (prefix, n) => (['case', 'lnk', 'led'].includes(prefix) ? 1000 + n : `${prefix}_${ulid()}`),
  toCents: (amount) => amount,
  commission: (cents) => Math.floor(cents * 0.09),
  modelNamed: (name) => Object.keys(MODELS).find((model) => String(MODELS[model]) === name) ?? name,
  soldNames: 'unlisted',
  refundedNames: 'stay sold',
  namesFolded: true,
  plusIsSpace: false,
  timestampFirst: false,
  timestampClock: 'machine',
  clockOffMs: 7000,
  clockAheadOfDateMs: 7000,
  fingerprint: 'raw',
  keepsRefusals: true,
  longestKey: 64,
  noncesOf: 'all',
  nonceForm: /^[!-~]{8,64}$/u,
  shortestSecret: 12,
  authenticateUnknownRoutes: false,
  limitedBy: 'address',
  searchLagMs: 2000,
  ordersLagMs: 900,
  reportLagMs: 600,
  pagesAt: 'localhost',
  contentType: 'application/json; charset=UTF-8',
  error: (_, code, message) => ({ code, message }),
  errorHeaders: { 'X-Request-ID': 'c0ffee' },
  statuses: {
    created: 200,
    createdAt: { '/orders': 201, '/refunds': 204 },
    contentType: 415,
    sold: 404,
    reserved: 409,
    ...auth(400, 403, 425),
    missing_idempotency_key: 422,
  },
  codes: { sold: 'not_found', reserved: 'domain_reserved' },
  pageStatuses: { altered: 404, expired: 403 },
  linkStatus: 307,
  unlinked: ['not_found', 'There is nothing here.'],
  requiredOfOrders: [],
  unknownQuote: ['quote_mismatch', 'The quote is not for this order.', { status: 409 }],
  states: { held: 'held', cleared: 'reviewed', refunded: 'refunded', cancelled: 'cancelled', sale: 'sold' },
  clearStarts: 'at once',
  refusedRefunds: {
    hosted: ['not_found', 'There is no such order.'],
    again: ['refund_refused', 'The order is not in a state for it.', { status: 409 }],
    late: ['refund_refused', 'The order is not in a state for it.', { status: 409 }],
  },
  refundsAgain: 'told again',
  refundAfterMs: 0,
  refundedRows: 'left out',
  hostedOrders: false,
  ordersNewestFirst: true,
  ordersBy: 'id',
  lists: {
    ...{ cursor: 'after', limit: 'n', defaultSize: 20, maximum: 20, reportsPaged: true, allPaged: true },
    ...{ leadsOn: true, refusesOver: true },
  },
  windows: { onlyDays: true },
  params: { orderStatus: 'status', orderDomain: 'd', orderDates: ['a', 'b'], window: ['a', 'b'] },
  knownQuery: {
    '/domains/search': ['q'],
    '/availability': ['domain'],
    '/pricing': ['domain'],
    '/orders': ['status', 'd', 'a', 'b', ...page],
    '/transactions': ['from', 'to', 'status', 'payment_model', ...page],
    '/eligibility': ['domain'],
    '/settlements': page,
    '/payouts': page,
    '/brokerage': page,
    '/links': page,
    '/me/commissions': page,
    '/me/sales': ['a', 'b', ...page],
    '/me/clicks': ['a', 'b'],
    '/analytics': ['a', 'b'],
    '/events': ['after_id', 'limit'],
  },
  knownMembers: {
    '/orders': [
      ...['domain', 'expected_price', 'currency', 'buyer', 'return_url', 'cancel_url', 'quote_id'],
      'external_payment_ref',
    ],
    '/quotes': ['d'],
    '/checkout-session': ['d'],
    '/refunds': ['o'],
    '/brokerage': ['d', 'tier', 'buyer_email', 'budget'],
    '/links': ['kind', 'd', 'p'],
    '/webhooks': ['url', 'secret'],
  },
  names: {
    quoteDomain: 'd',
    sessionDomain: 'd',
    refundOrder: 'o',
    caseDomain: 'd',
    linkKind: 'kind',
    linkDomain: 'd',
    linkProduct: 'p',
  },
  read: {
    quote: (body) => fold(body.d),
    session: (body) => fold(body.d),
    refund: (body) => body.o,
    link: (body) => ({ kind: body.kind, domain: fold(body.d) ?? undefined, product: body.p ?? undefined }),
    case: (body) => ({ domain: fold(body.d), tier: body.tier, email: body.buyer_email, budget: body.budget }),
  },
  productRequired: false,
  ineligible: ['not_brokerable', 'The domain cannot be brokered.', { status: 409 }],
  ledgers: 'two',
  ledgerNewestFirst: true,
  pendingBy: 'two lines',
  caseEvent: (made, cut) => ({ case_id: made.id, d: shown(made.domain), amt: made.price, cut }),
  history: 'oldest first',
  historyDefault: 4,
  historyMaximum: 100,
  historyOverMaximum: 'refuse',
  historyUnknownId: 'not_found',
  lastPageHasCursor: false,
  noCursorAtTheEnd: true,
  historyLagMs: () => 0,
  transferFamily: false,
  pings: true,
  newRegistrations: true,
  deliveredTimes: 2,
  deliveryDelayMs: () => 1000 + Math.random() * 1500,
  retryAfterMs: [1000, 1000, 5000],
  checkout: 'with a token',
  rateLimit: { calls: 120, seconds: 2 },
}
