// Inventory, quotes, orders, refunds and checkout sessions.
import {
  ApiError,
  broken,
  CURRENCY,
  clock,
  invalid,
  isDomain,
  isEmail,
  isUrl,
  later,
  map,
  micros,
  money,
  normal,
  notFound,
  seal,
  seconds,
  sha256,
  text,
  ulid,
  unix,
  uuid,
  validate,
  window,
} from './lib.mjs'
import { emit, move, orderFacts } from './world.mjs'

const QUOTE_MS = 600_000
const STATUSES = [
  'EXTERNALLY_PAID',
  'ON_HOLD',
  'TRANSFER_IN_PROGRESS',
  'TRANSFER_COMPLETED',
  'SETTLED',
  'REFUNDED',
  'CANCELED',
]

// --- inventory

function domainOf(query) {
  const given = query.get('domain')
  if (given === null || given.trim() === '') throw invalid([['domain', 'The domain field is required.']])
  if (!isDomain(given)) throw invalid([['domain', 'The domain field must be a domain name.']])
  return given.toLowerCase()
}
export const reservation = (world, name) =>
  world.quotes.find((q) => q.domain === name && !q.used && clock.now() <= q.expires)
function listed(world, name) {
  const found = world.listings.get(String(name).toLowerCase())
  if (!found) throw notFound('The domain')
  return found
}

function search({ world, query }) {
  const q = query.get('q') ?? ''
  if (q.trim() === '') throw invalid([['q', 'The q field is required.']])
  const words = q
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((w) => w.length > 1)
  const hits = []
  for (const item of world.listings.values()) {
    let score = item.name === q.trim().toLowerCase() ? 100 : 0
    for (const word of words) {
      if (item.name.split('.')[0].includes(word)) score += 10 + word.length / item.name.length
      else if (item.topics.split(' ').includes(word)) score += 3
    }
    if (score > 0) hits.push({ item, score })
  }
  hits.sort((a, b) => b.score - a.score || a.item.name.localeCompare(b.item.name))
  const most = broken('search-limit') ? Number(query.get('limit') ?? 5) : 5
  const data = hits.slice(0, most).map(({ item, score }) => ({
    name: item.name,
    price: money(item.price),
    relevance: Math.round(score * 1000) / 1000,
  }))
  return { body: { data, meta: { query: q, count: data.length } } }
}

function detail({ world, credential, params }) {
  const item = listed(world, params[0])
  const held = reservation(world, item.name)
  return {
    body: {
      data: {
        name: item.name,
        price: money(item.price),
        availability: held && held.partner !== credential.partner ? 'reserved' : 'for_sale',
        metadata: {
          length: item.name.split('.')[0].length,
          tld: item.name.split('.')[1],
          topics: item.topics.split(' '),
          listed_at: micros(item.listed),
        },
      },
    },
  }
}

function availability({ world, credential, query }) {
  const name = domainOf(query)
  const item = world.listings.get(name)
  if (!item) return { body: { data: { domain: name, available: false, price: null } } }
  const held = reservation(world, name)
  const price = broken('availability-price') ? item.price - (item.price % 100) : item.price
  return {
    body: { data: { domain: name, available: !held || held.partner === credential.partner, price: money(price) } },
  }
}

function pricing({ world, query }) {
  const item = listed(world, domainOf(query))
  return { body: { data: { domain: item.name, buy_now_price: money(item.price), floor_price: money(item.floor) } } }
}

// --- quotes and orders

function quote({ world, credential, body }) {
  validate(body, { domain: ['required', isDomain, 'a domain name'] })
  const item = listed(world, body.domain)
  const held = reservation(world, item.name)
  if (held && held.partner !== credential.partner && !broken('quote-no-reservation')) {
    throw new ApiError(409, 'domain_reserved', 'The domain is reserved at the moment.')
  }
  let made = held && held.partner === credential.partner ? held : undefined
  if (!made) {
    made = {
      id: uuid(),
      domain: item.name,
      price: item.price,
      partner: credential.partner,
      expires: clock.now() + QUOTE_MS,
    }
    world.quotes.push(made)
  }
  const token = seal({ quote: made.id, domain: made.domain, price: made.price, exp: unix(made.expires) })
  const data = {
    quote_id: made.id,
    quote_token: token,
    domain: made.domain,
    price: money(made.price),
    expires_at: unix(made.expires),
  }
  return { status: 201, body: { data } }
}

const ORDER = {
  domain: ['required', isDomain, 'a domain name'],
  expected_price: ['required', (v) => Number.isInteger(v) && v > 0, 'a whole number of cents above zero'],
  currency: ['required', (v) => v === CURRENCY, `${CURRENCY}`],
  buyer: ['required', map, 'an object'],
  'buyer.email': ['required', isEmail, 'an e-mail address'],
  'buyer.name': ['required', text(120), 'text of at most 120 characters'],
  'buyer.country': [
    'required',
    (v) => typeof v === 'string' && /^[A-Z]{2}$/.test(v),
    'a country of two capital letters',
  ],
  return_url: ['optional', isUrl, 'a URL'],
  cancel_url: ['optional', isUrl, 'a URL'],
  quote_id: ['optional', text(64), 'the id of a quote'],
  external_payment_ref: ['required', text(200), 'text of at most 200 characters'],
}

export function record(world, partner, item, traits) {
  const now = clock.now()
  const order = {
    id: `ord_${ulid()}`,
    partner,
    domain: item.name,
    price: item.price,
    currency: CURRENCY,
    status: 'EXTERNALLY_PAID',
    created: now,
    updated: now,
    timeline: [{ status: 'EXTERNALLY_PAID', at: now }],
    ...traits,
  }
  world.orders.push(order)
  world.listings.delete(item.name)
  return order
}

function createOrder({ world, credential, headers, body, raw }) {
  const key = headers['idempotency-key']
  if (!key) throw new ApiError(428, 'missing_idempotency_key', 'This call needs the header Idempotency-Key.')
  const print = sha256(broken('print-ignores-buyer') ? normal({ ...body, buyer: 0 }) : normal(body) || raw)
  const store = broken('keys-shared') ? world : credential
  store.keys ??= new Map()
  const before = store.keys.get(key)
  if (before) {
    if (before.print === print) return before.answer
    throw new ApiError(409, 'conflict', 'This Idempotency-Key was used with another body.')
  }
  let answer
  try {
    answer = place(world, credential, body)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    answer = { error }
  }
  store.keys.set(key, { print, answer })
  return answer
}

function place(world, credential, body) {
  const { partner } = credential
  if (!partner.merchant)
    throw new ApiError(403, 'forbidden', 'Your account is not merchant of record; use a checkout session.')
  validate(body, ORDER)
  const name = body.domain.toLowerCase()
  let quoted
  if (body.quote_id !== undefined && body.quote_id !== null) {
    quoted = world.quotes.find((q) => q.id === body.quote_id && q.partner === partner)
    if (!quoted) throw notFound('The quote')
    if (quoted.domain !== name) throw new ApiError(422, 'quote_mismatch', 'The quote is for another domain.')
    if (clock.now() > quoted.expires && !broken('quote-never-expires')) {
      throw new ApiError(422, 'quote_expired', 'The quote has expired.')
    }
  }
  const item = listed(world, name)
  const held = reservation(world, name)
  if (held && held.partner !== partner)
    throw new ApiError(409, 'domain_reserved', 'The domain is reserved at the moment.')
  const price = quoted ? quoted.price : item.price
  const wrong = broken('price-above-taken') ? body.expected_price < price : body.expected_price !== price
  if (wrong) throw new ApiError(422, 'price_mismatch', 'The price of this domain is another one.')
  if (quoted) quoted.used = true
  const order = record(
    world,
    partner,
    { ...item, price },
    {
      model: 'PARTNER_COLLECTED',
      buyer: body.buyer,
      quote: body.quote_id ?? null,
      reference: body.external_payment_ref,
    },
  )
  emit(partner, 'order.recorded', { order: orderFacts(order) })
  if (broken('recorded-twice')) emit(partner, 'order.recorded', { order: orderFacts(order) })
  return { status: 201, body: { data: shown(order) } }
}

const shown = (order) => ({
  ...orderFacts(order),
  payment_model: order.model,
  quote_id: order.quote ?? null,
  external_payment_ref: order.reference ?? null,
  created_at: seconds(order.created),
  updated_at: seconds(order.updated),
})

// Cursor pages as Laravel has them: links.next is the whole address, meta.next_cursor the cursor alone.
function listOrders({ world, credential, query, path, base }) {
  const status = query.get('status')
  if (status && !STATUSES.includes(status)) throw invalid([['status', 'The status field is not a status of orders.']])
  const { holds } = window(query, 'created_after', 'created_before')
  const domain = query.get('domain')?.toLowerCase()
  const size = Math.min(Math.max(Number.parseInt(query.get('per_page') ?? '15', 10) || 15, 1), 100)
  let after = 0
  if (query.get('cursor')) {
    try {
      after = JSON.parse(Buffer.from(query.get('cursor'), 'base64').toString()).n
    } catch {
      throw invalid([['cursor', 'The cursor field is not a cursor of this list.']])
    }
  }
  const rows = world.orders
    .map((order, i) => ({ order, n: i + 1 }))
    .filter(({ order, n }) => order.partner === credential.partner && n > after && (!status || order.status === status))
    .filter(({ order }) => (!domain || order.domain === domain) && holds(order.created))
  const page = rows.slice(0, size)
  const more = rows.length > size
  const last = page.at(-1)?.n + (broken('page-skips-one') ? 1 : 0)
  const next = more ? Buffer.from(JSON.stringify({ n: last, next: true })).toString('base64') : null
  const link = new URLSearchParams([...query].filter(([k]) => k !== 'cursor'))
  if (next) link.set('cursor', next)
  return {
    body: {
      data: page.map(({ order }) => shown(order)),
      links: { first: null, last: null, prev: null, next: next ? `${base}${path}?${link}` : null },
      meta: { path: `${base}${path}`, per_page: size, next_cursor: next },
    },
  }
}

function oneOrder({ world, credential, params }) {
  const order = world.orders.find(
    (o) => o.id === params[0] && (o.partner === credential.partner || broken('order-of-others')),
  )
  if (!order) throw notFound('The order')
  const steps = broken('timeline-last-only') ? order.timeline.slice(-1) : order.timeline
  const history = steps.map(({ status, at }) => ({ status, occurred_at: seconds(at) }))
  return { body: { data: { ...shown(order), transfer: { current: order.status, history } } } }
}

function refund({ world, credential, body }) {
  validate(body, { order_id: ['required', text(64), 'the id of an order'], reason: ['optional', text(500), 'text'] })
  const order = world.orders.find((o) => o.id === body.order_id && o.partner === credential.partner)
  if (!order) throw notFound('The order')
  if (order.model !== 'PARTNER_COLLECTED')
    throw new ApiError(422, 'refund_not_allowed', 'This order was not collected by you.')
  if (['REFUNDED', 'CANCELED'].includes(order.status) || order.refunding) {
    throw new ApiError(409, 'already_refunded', 'A refund of this order exists.')
  }
  if (['TRANSFER_COMPLETED', 'SETTLED'].includes(order.status) && !broken('late-refund')) {
    throw new ApiError(422, 'refund_not_allowed', 'The domain has been delivered.')
  }
  order.refunding = true
  const made = { id: `re_${ulid()}`, order_id: order.id, status: 'pending', created_at: seconds(clock.now()) }
  world.refunds.push(made)
  later(() => {
    if (['TRANSFER_COMPLETED', 'SETTLED'].includes(order.status)) return
    giveBack(world, order, 'REFUNDED')
    made.status = 'succeeded'
  })
  return { status: 202, body: { data: { ...made } } }
}

export function giveBack(world, order, status) {
  move(order, status, 'order.refunded')
  if (order.link) {
    world.ledger.push({
      id: uuid(),
      partner: order.partner,
      kind: 'reversed',
      cents: -order.commission,
      order,
      at: clock.now(),
    })
  }
}

// --- hosted checkout

export function session(world, partner, item, traits) {
  const made = {
    id: `cs_${ulid()}`,
    world,
    partner,
    domain: item.name,
    price: item.price,
    expires: clock.now() + 7 * 86_400_000,
    ...traits,
  }
  world.sessions.set(made.id, made)
  return made
}

function checkout({ world, credential, body, base }) {
  validate(body, {
    domain: ['required', isDomain, 'a domain name'],
    return_url: ['required', isUrl, 'a URL'],
    cancel_url: ['optional', isUrl, 'a URL'],
    'buyer.email': ['optional', isEmail, 'an e-mail address'],
  })
  const item = listed(world, body.domain)
  const held = reservation(world, item.name)
  if (held && held.partner !== credential.partner)
    throw new ApiError(409, 'domain_reserved', 'The domain is reserved at the moment.')
  const made = session(world, credential.partner, item, {
    returns: body.return_url,
    cancels: body.cancel_url,
    email: body.buyer?.email,
  })
  const token = seal({ session: made.id, exp: made.expires })
  const checkout_url = `${base}/pay/${made.id}?pt=${token}`
  return {
    status: 201,
    body: { data: { id: made.id, checkout_url, expires_at: seconds(made.expires), amount: money(made.price) } },
  }
}

export const routes = [
  ['GET', '/domains/search', ['search'], search],
  ['GET', '/domains/*', ['search'], detail],
  ['GET', '/availability', ['search'], availability],
  ['GET', '/pricing', ['search'], pricing],
  ['POST', '/quotes', ['buy'], quote],
  ['POST', '/orders', ['buy'], createOrder],
  ['GET', '/orders', ['search', 'buy'], listOrders],
  ['GET', '/orders/*', ['search', 'buy'], oneOrder],
  ['POST', '/refunds', ['buy'], refund],
  ['POST', '/checkout-session', ['embed'], checkout],
]
