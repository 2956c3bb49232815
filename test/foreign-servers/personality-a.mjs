// A: an account with a year behind it. The history goes forward, each page written newest first; a sold name stays for
// sale; pages are small; amounts are cents; the timestamp is judged by the machine's clock, whatever time it is in here.

const orderId = (sale) => (sale.id.startsWith('ord_') ? sale.id : null)
const iso = (at) => new Date(at).toISOString()

function shape(service) {
  const broken = service.broken
  const list = (name, rows, next) => ({
    [name]: rows,
    has_more: next !== null,
    [service.choices.nextPageKey]: next,
  })
  const domain = (listing) => ({
    domain: listing.name,
    price_cents: listing.price,
    currency: 'USD',
    available: !listing.sold,
  })
  const order = (o) => ({
    ...{ public_id: o.id, domain: o.domain, status: o.status, currency: o.currency },
    sale_price_cents: broken('price_is_text') ? String(o.price) : o.price,
    ...{
      payment_model: o.model,
      quote_id: o.quoteId ?? null,
      external_payment_ref: o.paymentRef ?? null,
      buyer_email: o.buyer.email ?? null,
      created_at: iso(broken('orders_always_new') ? service.clock.now() : o.at),
    },
  })
  const brokerage = (made) => ({
    case_id: made.id,
    domain: made.domain,
    tier: made.tier,
    buyer_email: made.email,
    budget_cents: made.budget,
    status: made.state,
    outcome: made.outcome ?? null,
    opened_at: iso(made.at),
  })
  return {
    search: (rows) => ({ results: rows.map(domain) }),
    detail: (l) => ({ ...domain(l), metadata: { length: l.name.length, keywords: l.words, topics: l.topics } }),
    availability: (name, open, l) => ({ domain: name, available: open, price_cents: l?.price ?? null }),
    pricing: (l) => ({
      domain: l.name,
      buy_now_cents: l.price,
      ...(broken('no_floor_price')
        ? {}
        : { floor_cents: broken('floors_at_random') ? Math.floor(Math.random() * l.price) : l.floor }),
      currency: 'USD',
    }),
    quote: (q) => ({
      quote_id: q.id,
      domain: q.domain,
      price_cents: q.price,
      currency: 'USD',
      expires_at: iso(q.toldAt),
      ...(broken('no_quote_token') ? {} : { token: q.token }),
    }),
    order: (o, full) =>
      full
        ? { ...order(o), timeline: o.timeline.map((line) => ({ status: line.status, at: iso(line.at) })) }
        : order(o),
    orders: (rows, next) => list('orders', rows.map(order), next),
    session: (s, base) => ({
      session_id: s.id,
      checkout_url: `${broken('checkout_addresses_relative') ? '' : base}/checkout?pt=${s.token}`,
      expires_at: iso(s.expiresAt),
    }),
    settlements: (rows) => ({
      settlements: rows.map((s) => ({
        id: s.id,
        period_start: iso(s.from),
        period_end: iso(s.to),
        gross_sold_cents: s.gross,
        commission_retained_cents: s.retained,
        amount_owed_cents: s.owed,
        orders: s.orders,
      })),
    }),
    transactions: (rows, totals, next) => ({
      ...list(
        'transactions',
        rows.map((t) => ({
          id: t.id,
          domain: t.domain,
          status: t.status,
          payment_model: t.model,
          amount_cents: t.price,
          commission_cents: t.commission,
          date: iso(t.at),
        })),
        next,
      ),
      ...(broken('transactions_without_totals')
        ? {}
        : { totals: { gmv_cents: totals.gmv, commission_cents: totals.commission, count: totals.count } }),
    }),
    payouts: (rows, total) => ({
      payouts: rows.map((p) => ({
        id: p.id,
        paid_at: broken('payouts_without_dates') ? null : iso(p.at),
        amount_cents: p.amount,
        currency: p.currency,
        items: p.items.map((i) => ({
          domain: i.sale.domain,
          sale_id: i.sale.id,
          model: i.sale.model,
          amount_cents: i.amount,
        })),
      })),
      total_paid_cents: total,
    }),
    cases: (rows) => ({ cases: rows.map(brokerage) }),
    refund: (r) => ({ refund_id: r.id, order_id: r.order, status: 'refunded', created_at: iso(r.at) }),
    eligibility: (name, { eligible, reason }) => ({ domain: name, eligible, reason }),
    case: (made, base) => ({
      ...brokerage(made),
      progress_url: `${base}/progress/${made.view}`,
      timeline: made.timeline.map((line) => ({ status: line.status, at: iso(line.at) })),
    }),
    link: (l, base) => ({
      id: l.id,
      kind: l.kind,
      domain: l.domain ?? null,
      product: l.product ?? null,
      url: `${base}/go/${l.code}`,
      clicks: 0,
      sales: 0,
      commission_cents: 0,
    }),
    links: (rows, base) => ({
      links: rows.map((l) => ({
        id: l.id,
        kind: l.kind,
        url: `${base}/go/${l.code}`,
        clicks: l.clicks,
        sales: l.sales,
        commission_cents: l.earned,
      })),
    }),
    clicks: (rows) => ({ total_clicks: rows.length }),
    sales: (rows, next) =>
      list(
        'sales',
        rows.map((s) => ({
          id: s.id,
          buyer: s.buyer.email,
          domain: s.domain,
          amount_cents: broken('sales_lose_odd_cents') ? s.price - (s.price % 100) : s.price,
          commission_cents: s.commission,
          order_id: orderId(s),
          link_id: s.link?.id ?? null,
          sold_at: iso(s.at),
        })),
        next,
      ),
    commissions: (lines, balance, next) => ({
      ...list(
        'entries',
        lines.map((l) => ({
          id: l.id,
          kind: l.kind,
          amount_cents: l.amount,
          balance_cents: l.balance,
          order_id: orderId(l.sale),
          domain: l.sale.domain,
          at: iso(l.at),
        })),
        next,
      ),
      balance_cents: balance,
    }),
    analytics: (a) => ({
      funnel: { clicks: a.clicks, sales: a.sales },
      gmv_cents: a.gmv,
      commission_cents: a.commission,
    }),
  }
}

export const A = {
  inventorySize: 480,
  past: true,
  shape,
  iso,
  toCents: (amount) => amount,
  commission: (cents) => Math.round(cents * 0.12),
  modelNamed: (name) => name,
  soldNames: 'stay',
  refundedNames: 'for sale',
  namesFolded: true,
  plusIsSpace: true,
  timestampFirst: false,
  timestampClock: 'machine',
  fingerprint: 'raw',
  authenticateUnknownRoutes: false,
  contentType: 'application/json',
  error: (_, code, message) => ({ error: { code, message } }),
  errorHeaders: {},
  statuses: {
    created: 201,
    contentType: 415,
    sold: 409,
    reserved: 409,
    ...auth(401, 401, 401),
    missing_idempotency_key: 400,
  },
  codes: { sold: 'conflict', reserved: 'conflict' },
  pageStatuses: { altered: 403, expired: 410 },
  linkStatus: 302,
  requiredOfOrders: ['currency', 'buyer', 'buyer.email'],
  unknownQuote: ['validation_error', 'quote_id is not a quote of yours for this domain.'],
  states: {
    held: 'MANUAL_REVIEW',
    cleared: 'EXTERNALLY_PAID',
    refunded: 'REFUNDED',
    cancelled: 'CANCELLED',
    sale: 'PAID',
  },
  clearStarts: 'never',
  refusedRefunds: {
    hosted: ['conflict', 'The order is not partner-collected.'],
    again: ['conflict', 'The order has been refunded.'],
    late: ['conflict', 'The domain has been delivered.'],
  },
  refundAfterMs: 0,
  refundedRows: 'kept',
  hostedOrders: true,
  ordersNewestFirst: true,
  nextPageKey: 'next_cursor',
  lists: { cursor: 'cursor', limit: 'limit', defaultSize: 10, maximum: 20, reportsPaged: true },
  params: {
    orderStatus: 'status',
    orderDomain: 'domain',
    orderDates: ['created_from', 'created_to'],
    window: ['from', 'to'],
  },
  names: {
    quoteDomain: 'domain',
    sessionDomain: 'domain',
    refundOrder: 'order_id',
    caseDomain: 'domain',
    linkKind: 'kind',
    linkDomain: 'domain',
    linkProduct: 'product',
  },
  read: {
    quote: (body) => body.domain,
    session: (body) => body.domain,
    refund: (body) => body.order_id,
    link: (body) => ({ kind: body.kind, domain: body.domain ?? undefined, product: body.product ?? undefined }),
    case: (body) => ({ domain: body.domain, tier: body.tier, email: body.buyer_email, budget: body.budget }),
  },
  productRequired: true,
  ineligible: ['validation_error', 'The domain cannot be brokered.'],
  ledgers: 'one',
  ledgerNewestFirst: false,
  pendingBy: 'two lines',
  caseEvent: (made, cut) => ({
    case: {
      case_id: made.id,
      domain: made.domain,
      status: made.state,
      sale_price_cents: made.price,
      commission_cents: cut,
    },
  }),
  history: 'pages written newest first',
  historyDefault: 10,
  historyMaximum: 20,
  historyOverMaximum: 'cut',
  historyUnknownId: 'not_found',
  lastPageHasCursor: true,
  historyLagMs: () => 0,
  transferFamily: false,
  retryAfterMs: [1000, 3000],
  checkout: 'one form',
}

/** Statuses of the codes: those that the document fixes, and the three that it leaves open. */
export function auth(headers, timestamp, replay) {
  return {
    ...{
      missing_signature_headers: headers,
      invalid_timestamp: timestamp,
      replay_detected: replay,
      validation_error: 400,
      invalid_signature: 401,
    },
    ...{
      missing_credentials: 401,
      forbidden: 403,
      not_found: 404,
      conflict: 409,
      price_mismatch: 422,
      quote_expired: 422,
      rate_limited: 429,
      internal_error: 500,
    },
  }
}
