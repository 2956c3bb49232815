// B: amounts in whole dollars (with cents only where a commission has them) everywhere but in the order's
// sale_price_cents; envelopes of data, attributes and meta; other names and statuses; deliveries are tried once.
import { auth } from './personality-a.mjs'

const iso = (at) => `${new Date(at).toISOString().slice(0, 19)}Z`
const MODELS = {
  partner_collected: 'PARTNER_COLLECTED',
  hosted_checkout: 'HOSTED_CHECKOUT',
  brokerage: 'BROKERAGE',
  referral: 'REFERRAL',
}
const KINDS = { accrued: 'accrued', pending: 'pending', paid_out: 'paid out', reversed: 'reversed' }

const units = (cents) => cents / 100

function shape(service) {
  const broken = service.broken
  const one = (type, id, attributes) => ({ type, id, attributes })
  const single = (...args) => ({ data: one(...args) })
  const many = (rows, meta) => ({ data: rows, ...(meta && { meta }) })
  const orderRow = (o, more = {}) =>
    one('order', o.id, {
      ...{ public_id: o.id, domain: o.domain, status: o.status, currency: o.currency },
      sale_price_cents: broken('price_is_text') ? String(o.price) : o.price,
      ...{ quoteId: o.quoteId ?? null, externalPaymentRef: o.paymentRef ?? null, placedAt: iso(o.at), ...more },
    })
  const inOrder = (rows) =>
    broken('timeline_by_name') ? rows.toSorted((a, b) => (a.status < b.status ? -1 : 1)) : rows
  const steps = (rows) => inOrder(rows).map((line) => ({ state: line.status, when: iso(line.at) }))
  const domain = (l) => ({ name: l.name, price: units(l.price), currency: 'USD', forSale: !l.sold })
  const brokerage = (made) =>
    one('brokerage-case', made.id, {
      case_id: made.id,
      domainName: made.domain,
      tier: made.tier,
      buyer_email: made.email,
      budget: units(made.budget),
      state: made.state,
      outcome: made.outcome ?? 'none',
    })
  const linkRow = (l, base) =>
    one('link', l.id, {
      linkType: l.kind,
      domainName: l.domain ?? null,
      href: `${base}/go/${l.code}`,
      clickCount: l.clicks ?? 0,
      saleCount: l.sales ?? 0,
      earned: units(l.earned ?? 0),
    })
  return {
    search: (rows) =>
      many(
        rows.map((l) => one('domain', l.name, domain(l))),
        { found: rows.length },
      ),
    detail: (l) => single('domain', l.name, { ...domain(l), about: { words: l.words, topics: l.topics } }),
    availability: (name, open, l) =>
      single('availability', name, { available: open, price: l === undefined ? null : units(l.price) }),
    pricing: (l) =>
      single('pricing', l.name, {
        buyNow: units(l.price),
        ...(broken('no_floor_price') ? {} : { floor: units(l.floor) }),
      }),
    quote: (q) =>
      single('quote', q.id, {
        quote_id: q.id,
        domainName: q.domain,
        amount: units(q.price),
        currency: 'USD',
        validUntil: iso(q.expiresAt),
        ...(broken('no_quote_token') ? {} : { signedToken: q.token }),
      }),
    order: (o, full) => ({ data: orderRow(o, full ? { history: steps(o.timeline) } : {}) }),
    orders: (rows, next) =>
      many(
        rows.map((o) => orderRow(o)),
        { nextCursor: next },
      ),
    session: (s, base) =>
      single('checkout-session', s.id, {
        checkout_url: `${base}/checkout?lang=en&pt=${s.token}`,
        goodUntil: iso(s.expiresAt),
      }),
    settlements: (rows) =>
      many(
        rows.map((s) =>
          one('settlement', s.id, {
            period: `${iso(s.from)}/${iso(s.to)}`,
            from: iso(s.from),
            to: iso(s.to),
            grossSold: units(s.gross),
            commissionRetained: units(s.retained),
            amountOwed: units(s.owed),
          }),
        ),
      ),
    transactions: (rows, totals) =>
      many(
        rows.map((t) =>
          one('transaction', t.id, {
            domainName: t.domain,
            status: t.status,
            paymentModel: MODELS[t.model],
            amount: units(t.price),
            commission: units(t.commission),
            soldAt: iso(t.at),
          }),
        ),
        broken('transactions_without_totals') ? {} : { gmv: units(totals.gmv), commission: units(totals.commission) },
      ),
    payouts: (rows, total) =>
      many(
        rows.map((p) => one('payout', p.id, { paidOn: iso(p.at), amount: units(p.amount), currency: p.currency })),
        { totalPaid: units(total) },
      ),
    cases: (rows) => many(rows.map(brokerage)),
    refund: (r) => single('refund', r.id, { order: r.order, state: 'done' }),
    eligibility: (name, { eligible, reason }) => single('eligibility', name, { brokerable: eligible, why: reason }),
    case: (made, base) => {
      const row = brokerage(made)
      return {
        data: {
          ...row,
          attributes: { ...row.attributes, history: steps(made.timeline) },
          links: { progress: `${base}/progress/${made.view}` },
        },
      }
    },
    link: (l, base) => ({ data: linkRow(l, base) }),
    links: (rows, base) => many(rows.map((l) => linkRow(l, base))),
    clicks: (rows) => ({ meta: { clicks: rows.length } }),
    sales: (rows) =>
      many(
        rows.map((s) =>
          one('sale', s.id, {
            buyer: { email: s.buyer.email },
            domainName: s.domain,
            amount: units(s.price),
            commission: units(s.commission),
            linkId: s.link?.id ?? null,
            soldAt: iso(s.at),
          }),
        ),
      ),
    commissions: (lines, balance) =>
      many(
        lines.map((l) =>
          one('commission', l.id, {
            kind: KINDS[l.kind],
            amount: units(l.amount),
            runningBalance: units(l.balance),
            saleId: l.sale.id,
            domainName: l.sale.domain,
            bookedAt: iso(l.at),
          }),
        ),
        { balance: units(balance) },
      ),
    analytics: (a) => ({
      meta: { clicks: a.clicks, sales: a.sales, gmv: units(a.gmv), commission: units(a.commission) },
    }),
  }
}

export const B = {
  inventorySize: 2400,
  past: false,
  shape,
  iso,
  toCents: (amount) => Math.round(amount * 100),
  commission: (cents) => Math.round(cents * 0.15),
  modelNamed: (name) => Object.keys(MODELS).find((model) => MODELS[model] === name) ?? name,
  soldNames: 'unlisted',
  refundedNames: 'for sale',
  namesFolded: false,
  plusIsSpace: true,
  timestampFirst: true,
  timestampClock: 'moved',
  fingerprint: 'parsed',
  authenticateUnknownRoutes: true,
  contentType: 'application/vnd.api+json',
  error: (status, code, message) => ({ errors: [{ status: String(status), code, message }] }),
  errorHeaders: {},
  statuses: {
    created: 200,
    contentType: 400,
    sold: 422,
    reserved: 422,
    ...auth(400, 400, 409),
    missing_idempotency_key: 422,
  },
  codes: { sold: 'domain_sold', reserved: 'domain_reserved' },
  pageStatuses: { altered: 400, expired: 404 },
  linkStatus: 307,
  requiredOfOrders: [],
  unknownQuote: ['quote_unknown', 'There is no such quote of yours.', { status: 422 }],
  states: { held: 'ON_HOLD', cleared: 'CLEARED', refunded: 'CANCELLED', cancelled: 'CANCELLED', sale: 'PAID' },
  clearStarts: 'at once',
  refusedRefunds: {
    hosted: ['refund_not_possible', 'The order is not partner-collected.', { status: 422 }],
    again: ['refund_not_possible', 'The order has been refunded.', { status: 422 }],
    late: ['refund_not_possible', 'The domain has been delivered.', { status: 422 }],
  },
  refundAfterMs: 0,
  refundedRows: 'left out',
  hostedOrders: false,
  ordersNewestFirst: false,
  lists: { cursor: 'page[cursor]', limit: 'page[size]', defaultSize: 25, maximum: 100, reportsPaged: false },
  params: {
    orderStatus: 'status',
    orderDomain: 'filter[domain]',
    orderDates: ['filter[since]', 'filter[until]'],
    window: ['start_date', 'end_date'],
  },
  names: {
    quoteDomain: 'domainName',
    sessionDomain: 'item.domainName',
    refundOrder: 'order',
    caseDomain: 'domainName',
    linkKind: 'linkType',
    linkDomain: 'domainName',
    linkProduct: 'product',
  },
  read: {
    quote: (body) => body.domainName,
    session: (body) => body.item?.domainName,
    refund: (body) => body.order,
    link: (body) => ({ kind: body.linkType, domain: body.domainName ?? undefined, product: body.product ?? undefined }),
    case: (body) => ({ domain: body.domainName, tier: body.tier, email: body.buyer_email, budget: body.budget }),
  },
  productRequired: false,
  ineligible: ['not_eligible', 'The domain cannot be brokered.', { status: 422 }],
  ledgers: 'two',
  ledgerNewestFirst: false,
  pendingBy: 'turning the line',
  caseEvent: (made, cut) => ({
    case_id: made.id,
    domain: made.domain,
    price: units(made.price),
    commission: units(cut),
  }),
  history: 'oldest first',
  historyDefault: 50,
  historyMaximum: 200,
  historyOverMaximum: 'refuse',
  historyUnknownId: 'from the start',
  lastPageHasCursor: false,
  historyLagMs: () => 0,
  transferFamily: false,
  retryAfterMs: [],
  checkout: 'two forms',
}
