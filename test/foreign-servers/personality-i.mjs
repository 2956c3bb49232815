// I: a Java house. Envelopes of meta and payload around whatever the document leaves unshown; amounts are minor units as text, in euro,
// with odd cents; times are decimal seconds, but for what the document calls ISO 8601, which has as many digits as it needs. What it
// takes for itself, and by which silence of the document:
// - "Page-size bounds", "the cursor of list endpoints": every list has pages of five, oldest first; a cursor is wrapped in base64.
// - "success status codes of each endpoint": 200, 201 and 202, by endpoint. "Limits: numeric rates": eight calls at a time.
// - "shape of its timeline": newest line first. "up to 5": three are found at most, sold ones among them. Availability is cached
//   a second; search and detail read an index of three.
// - What checks run first: a body is read before the signature. HEAD and OPTIONS, of which nothing is said, are answered.
// - A key of idempotency belongs to a credential; every creation field is required; a refusal for a domain that is gone is a 400.
// - Amounts of the ledger have no sign, their kind says it; statements are made of periods without sales, too.
// - Deliveries come up to a second late, in any order. A checkout leads on to a page with two buttons; a link, to a page.
import { auth } from './personality-a.mjs'

const seconds = (at) => Math.round(at) / 1000
/** As OffsetDateTime writes itself: no seconds where they are none. */
const iso = (at) => {
  const text = new Date(at).toISOString()
  return text.endsWith(':00.000Z') ? text.replace(':00.000Z', 'Z') : text.replace('.000Z', 'Z')
}
const money = (cents) => ({ minorUnits: String(cents), currencyCode: 'EUR' })
const MODELS = {
  partner_collected: 'MERCHANT',
  hosted_checkout: 'HOSTED',
  brokerage: 'BROKERED',
  referral: 'AFFILIATE',
}
const KINDS = { accrued: 'Accrued', pending: 'Pending', paid_out: 'PaidOut', reversed: 'Reversed' }
const meta = { apiVersion: '1.14.2', node: 'partner-api-7d9f', warnings: [] }
const hex = (length) => Array.from({ length }, () => Math.floor(Math.random() * 16).toString(16)).join('')

function shape(service) {
  const broken = service.broken
  const told = (payload) => ({ meta, payload })
  const paged = (rows, next, more = {}) =>
    told({
      content: rows,
      ...more,
      page: { numberOfElements: rows.length, hasNext: next !== null, nextToken: next ?? '' },
    })
  const steps = (rows) => rows.map((line) => ({ step: line.status, occurredAt: seconds(line.at) })).reverse()
  const domain = (l) => ({
    domainName: l.name,
    askingPrice: money(l.price),
    saleState: l.sold ? 'SOLD' : 'FOR_SALE',
    forSale: !l.sold,
  })
  const order = (o, more = {}) => ({
    ...{ public_id: o.id, domain: o.domain, status: o.status },
    sale_price_cents: broken('price_is_text') ? String(o.price) : o.price,
    ...{ currency: o.currency, references: { quoteId: o.quoteId ?? null, paymentReference: o.paymentRef ?? null } },
    ...{ audit: { createdAt: seconds(o.at), version: o.timeline.length }, ...more },
  })
  const brokerage = (made, more = {}) => ({
    ...{ case_id: made.id, assetName: made.domain, tier: made.tier, contact: { buyer_email: made.email } },
    ...{
      maximumBudget: money(made.budget),
      caseState: made.state.toUpperCase(),
      result: made.outcome ?? null,
      ...more,
    },
  })
  const link = (l, base) => ({
    ...{ linkId: l.id, linkKind: l.kind, landingUrl: `${base}/go/${l.code}` },
    statistics: { clickCount: String(l.clicks ?? 0), saleCount: String(l.sales ?? 0) },
  })
  return {
    search: (rows) => told({ matches: rows.map((l, n) => ({ rank: n + 1, domain: domain(l) })) }),
    detail: (l) => told({ ...domain(l), metadata: { words: l.words, categories: l.topics } }),
    availability: (name, open, l) =>
      told({ domainName: name, available: open, askingPrice: l === undefined ? null : money(l.price) }),
    pricing: (l) =>
      told({
        buyNow: money(l.price),
        ...(broken('no_floor_price') ? {} : { floor: money(l.floor) }),
        negotiable: true,
      }),
    quote: (q) =>
      told({
        ...{ quote_id: q.id, domainName: q.domain, firmPrice: money(q.price) },
        ...{ reservation: { from: seconds(q.at), until: seconds(q.toldAt) } },
        ...(broken('no_quote_token') ? {} : { signedToken: q.token }),
      }),
    order: (o, full) => told(order(o, full ? { fulfilment: { timeline: steps(o.timeline) } } : {})),
    orders: (rows, next) =>
      paged(
        rows.map((o) => order(o)),
        next,
      ),
    session: (s, base) =>
      told({
        sessionReference: s.id,
        checkout_url: `${base}/checkout?locale=de&pt=${encodeURIComponent(s.token)}`,
        validUntil: seconds(s.expiresAt),
      }),
    settlements: (rows, next) =>
      paged(
        rows.map((s) => ({
          ...{ statementId: s.id, period: { from: seconds(s.from), to: seconds(s.to) } },
          ...{ grossSold: money(s.gross), commissionRetained: money(s.retained), amountOwed: money(s.owed) },
        })),
        next,
      ),
    transactions: (rows, totals, next) =>
      paged(
        rows.map((t) => ({
          ...{ transactionId: t.id, domainName: t.domain, orderState: t.status, paymentModel: MODELS[t.model] },
          ...{ amount: money(t.price), commission: money(t.commission), soldAt: seconds(t.at) },
        })),
        next,
        broken('transactions_without_totals')
          ? {}
          : { totals: { gmv: money(totals.gmv), commission: money(totals.commission) } },
      ),
    payouts: (rows, total, next) =>
      paged(
        rows.map((p) => ({
          payoutId: p.id,
          executedOn: broken('payouts_without_dates') ? null : seconds(p.at),
          amount: money(p.amount),
        })),
        next,
        { totalPaid: money(total) },
      ),
    cases: (rows, next) =>
      paged(
        rows.map((made) => brokerage(made)),
        next,
      ),
    refund: (r) => told({ refundReference: r.id, orderReference: r.order, refundState: 'ACCEPTED' }),
    eligibility: (name, { eligible, reason }) =>
      told({ assetName: name, brokerable: eligible, reasonCode: reason?.toUpperCase() ?? null }),
    case: (made, base) =>
      told(
        brokerage(made, { progressLink: { href: `${base}/progress/${made.view}` }, timeline: steps(made.timeline) }),
      ),
    link: (l, base) => told(link(l, base)),
    links: (rows, base, next) =>
      paged(
        rows.map((l) => link(l, base)),
        next,
      ),
    clicks: (rows) => told({ totalClicks: String(rows.length) }),
    sales: (rows, next) =>
      paged(
        rows.map((s) => ({
          ...{ saleId: s.id, buyer: { email: s.buyer.email, type: 'PERSON' }, domainName: s.domain },
          ...{
            amount: money(s.price),
            commission: money(s.commission),
            viaLink: s.link?.id ?? null,
            soldAt: seconds(s.at),
          },
        })),
        next,
      ),
    commissions: (lines, balance, next) =>
      paged(
        lines.map((l) => ({
          ...{ lineId: l.id, kind: KINDS[l.kind], amount: money(Math.abs(l.amount)), runningBalance: money(l.balance) },
          ...{ domainName: l.sale.domain, bookedAt: seconds(l.at) },
        })),
        next,
        { currentBalance: money(balance) },
      ),
    analytics: (a) =>
      told({
        stages: [
          { stage: 'CLICK', count: a.clicks },
          { stage: 'SALE', count: a.sales },
        ],
        ...{ gmv: money(a.gmv), commission: money(a.commission) },
      }),
  }
}

const known = (token) => {
  const text = Buffer.from(token, 'base64').toString()
  return text.startsWith('after>>') ? text.slice(7) : token
}

export const I = {
  inventorySize: 2240,
  oddCents: true,
  past: true,
  shape,
  iso,
  currency: 'EUR',
  newId: (prefix) => `${prefix}_${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
  toCents: (amount) => amount,
  commission: (cents) => Math.round(cents * 0.125),
  modelNamed: (name) => Object.keys(MODELS).find((model) => MODELS[model] === name) ?? name,
  soldNames: 'unavailable',
  refundedNames: 'for sale',
  namesFolded: true,
  plusIsSpace: true,
  timestampFirst: true,
  timestampClock: 'machine',
  fingerprint: 'parsed',
  keysOf: 'credential',
  authenticateUnknownRoutes: true,
  bodyFirst: true,
  heads: true,
  options: true,
  zips: true,
  workers: 8,
  latencyMs: () => 2 + Math.random() * 10,
  searchGives: 3,
  searchShowsSold: true,
  availabilityCacheMs: 1000,
  contentType: 'application/json',
  error: (status, code, message) => ({
    meta,
    payload: null,
    failure: { httpStatus: status, primary: { code, message, severity: 'ERROR' }, others: [] },
  }),
  errorHeaders: { 'cache-control': 'no-store' },
  statuses: {
    created: 201,
    createdAt: { '/quotes': 200, '/orders': 202, '/refunds': 202, '/checkout-session': 200 },
    contentType: 415,
    sold: 400,
    reserved: 400,
    ...auth(400, 401, 401),
    missing_idempotency_key: 400,
  },
  codes: { sold: 'validation_error', reserved: 'validation_error' },
  pageStatuses: { altered: 400, expired: 404 },
  linkStatus: 200,
  unlinked: ['affiliate_required', 'The account is not linked to an affiliate account.', { status: 403 }],
  requiredOfOrders: [
    ...['currency', 'buyer', 'buyer.email', 'buyer.name', 'buyer.country'],
    ...['return_url', 'cancel_url', 'external_payment_ref'],
  ],
  unknownQuote: ['validation_error', 'quote_id is not known.'],
  states: {
    held: 'PENDING_REVIEW',
    cleared: 'EXTERNALLY_PAID',
    refunded: 'CLAWED_BACK',
    cancelled: 'ANNULLED',
    sale: 'COLLECTED',
  },
  clearStarts: 'never',
  refusedRefunds: {
    hosted: ['validation_error', 'The order is not partner-collected.'],
    again: ['validation_error', 'The order has been refunded.'],
    late: ['validation_error', 'The domain has been delivered.'],
  },
  refundAfterMs: 700,
  refundedRows: 'kept',
  hostedOrders: true,
  ordersNewestFirst: false,
  lists: {
    ...{ cursor: 'pageToken', limit: 'pageSize', defaultSize: 5, maximum: 50, reportsPaged: true, allPaged: true },
    wrap: (id) => Buffer.from(`after>>${id}`).toString('base64'),
    unwrap: known,
  },
  windows: { endsBefore: true },
  params: {
    orderStatus: 'status',
    orderDomain: 'domainName',
    orderDates: ['createdFrom', 'createdBefore'],
    window: ['fromDate', 'beforeDate'],
  },
  names: {
    quoteDomain: 'data.domainName',
    sessionDomain: 'data.domainName',
    refundOrder: 'data.orderReference',
    caseDomain: 'assetName',
    linkKind: 'linkKind',
    linkDomain: 'target.domainName',
    linkProduct: 'target.productCode',
  },
  read: {
    quote: (body) => body.data?.domainName,
    session: (body) => body.data?.domainName,
    refund: (body) => body.data?.orderReference,
    link: (body) => ({
      kind: body.linkKind,
      domain: body.target?.domainName ?? undefined,
      product: body.target?.productCode ?? undefined,
    }),
    case: (body) => ({ domain: body.assetName, tier: body.tier, email: body.buyer_email, budget: body.budget }),
  },
  productRequired: true,
  ineligible: ['conflict', 'The domain cannot be brokered.', { status: 409 }],
  ledgers: 'one',
  ledgerNewestFirst: false,
  pendingBy: 'turning the line',
  emptyStatements: true,
  caseEvent: (made, cut) => ({
    brokerageCase: { case_id: made.id, assetName: made.domain, deal: money(made.price), cut: money(cut) },
  }),
  history: 'oldest first',
  historyDefault: 5,
  historyMaximum: 50,
  historyOverMaximum: 'cut',
  historyUnknownId: 'validation_error',
  lastPageHasCursor: true,
  searchLagMs: 3000,
  detailFromIndex: true,
  historyLagMs: () => 400,
  transferFamily: true,
  urlsInForm: true,
  deliveryDelayMs: () => Math.random() * 1000,
  retryAfterMs: [700, 1500, 3000],
  checkout: 'a step further',
}
