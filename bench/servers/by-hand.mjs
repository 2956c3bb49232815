// The raced part of the API as a good engineer would write it by hand: Fastify with its schemas, better-sqlite3, plain SQL.
// Usage: node by-hand.mjs [file]; without a file all is in memory.
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import Database from 'better-sqlite3'
import Fastify from 'fastify'
import { listingsToSell } from './listings.mjs'

const [, , file] = process.argv
const ROOT = '/api/partner/v1'
const CREDENTIAL = {
  keyId: 'pk_sandbox_bench',
  secret: 'sk_sandbox_bench',
  partnerId: 'ptr_bench',
  scopes: ['search', 'buy'],
}
const credentials = new Map([[CREDENTIAL.keyId, CREDENTIAL]])
const COMMISSION = 0.2
const QUOTE_MS = 600_000
const KEY_MS = 86_400_000

const db = new Database(file ?? ':memory:')
if (file) {
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
}
db.exec(`
  CREATE TABLE nonces (key_id TEXT NOT NULL, nonce TEXT NOT NULL, used_at INTEGER NOT NULL,
    PRIMARY KEY (key_id, nonce)) STRICT, WITHOUT ROWID;
  CREATE TABLE listings (id INTEGER PRIMARY KEY, domain TEXT NOT NULL UNIQUE, price_cents INTEGER NOT NULL,
    floor_price_cents INTEGER NOT NULL, currency TEXT NOT NULL, topics TEXT NOT NULL) STRICT;
  CREATE VIRTUAL TABLE listing_words USING fts5 (words, topics, content = '', tokenize = 'porter');
  CREATE TABLE quotes (id TEXT PRIMARY KEY, partner_id TEXT NOT NULL, domain TEXT NOT NULL, price_cents INTEGER NOT NULL,
    currency TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL) STRICT;
  CREATE INDEX quotes_of_domain ON quotes (domain, expires_at);
  CREATE TABLE orders (id INTEGER PRIMARY KEY, public_id TEXT NOT NULL UNIQUE, partner_id TEXT NOT NULL, domain TEXT NOT NULL,
    status TEXT NOT NULL, sale_price_cents INTEGER NOT NULL, currency TEXT NOT NULL, payment_model TEXT NOT NULL,
    buyer TEXT NOT NULL, quote_id TEXT, external_payment_ref TEXT, commission_cents INTEGER NOT NULL,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL) STRICT;
  CREATE UNIQUE INDEX orders_sell_once ON orders (domain) WHERE status NOT IN ('REFUNDED', 'CANCELLED');
  CREATE INDEX orders_of_partner ON orders (partner_id, id);
  CREATE TABLE order_timeline (order_id INTEGER NOT NULL, position INTEGER NOT NULL, status TEXT NOT NULL, at INTEGER NOT NULL,
    event_id TEXT, note TEXT, PRIMARY KEY (order_id, position)) STRICT, WITHOUT ROWID;
  CREATE TABLE events (id INTEGER PRIMARY KEY, event_id TEXT NOT NULL UNIQUE, partner_id TEXT NOT NULL, type TEXT NOT NULL,
    created_at INTEGER NOT NULL, data TEXT NOT NULL) STRICT;
  CREATE TABLE idempotency_keys (partner_id TEXT NOT NULL, key TEXT NOT NULL, fingerprint TEXT NOT NULL, status INTEGER NOT NULL,
    body TEXT NOT NULL, expires_at INTEGER NOT NULL, PRIMARY KEY (partner_id, key)) STRICT, WITHOUT ROWID;`)

const insertListing = db.prepare('INSERT INTO listings VALUES (NULL, ?, ?, ?, ?, ?)')
const insertWords = db.prepare('INSERT INTO listing_words (rowid, words, topics) VALUES (?, ?, ?)')
db.transaction(() => {
  for (const { domain, priceCents, floorPriceCents, currency, topics, words } of listingsToSell()) {
    const { lastInsertRowid } = insertListing.run(domain, priceCents, floorPriceCents, currency, topics)
    if (words !== '') insertWords.run(lastInsertRowid, words, topics)
  }
})()

const SOLD =
  "EXISTS (SELECT 1 FROM orders WHERE orders.domain = listings.domain AND status NOT IN ('REFUNDED', 'CANCELLED'))"
const sql = {
  useNonce: db.prepare('INSERT INTO nonces VALUES (?, ?, ?) ON CONFLICT DO NOTHING'),
  offer: db.prepare(`
    SELECT price_cents, floor_price_cents, currency, ${SOLD} AS sold,
      (SELECT partner_id FROM quotes WHERE quotes.domain = listings.domain AND expires_at > ?) AS reserved_by
    FROM listings WHERE domain = ?`),
  search: db.prepare(`
    SELECT domain, price_cents, currency, listings.topics, -rank AS score
    FROM listing_words JOIN listings ON listings.id = listing_words.rowid
    WHERE listing_words MATCH ? AND NOT ${SOLD} ORDER BY rank LIMIT 5`),
  quote: db.prepare('SELECT * FROM quotes WHERE id = ? AND partner_id = ?'),
  insertQuote: db.prepare('INSERT INTO quotes VALUES (?, ?, ?, ?, ?, ?, ?)'),
  endQuotes: db.prepare('DELETE FROM quotes WHERE domain = ?'),
  insertOrder: db.prepare('INSERT INTO orders VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'),
  insertTimeline: db.prepare('INSERT INTO order_timeline VALUES (?, ?, ?, ?, ?, ?)'),
  insertEvent: db.prepare('INSERT INTO events VALUES (NULL, ?, ?, ?, ?, ?)'),
  key: db.prepare('SELECT * FROM idempotency_keys WHERE partner_id = ? AND key = ? AND expires_at > ?'),
  insertKey: db.prepare('INSERT OR REPLACE INTO idempotency_keys VALUES (?, ?, ?, ?, ?, ?)'),
  orderNumber: db.prepare('SELECT id FROM orders WHERE public_id = ? AND partner_id = ?').pluck(),
  orders: db.prepare(`
    SELECT * FROM orders WHERE partner_id = @partnerId AND id < @before AND created_at >= @from AND created_at < @to
      AND (@status IS NULL OR status = @status) ORDER BY id DESC LIMIT @limit`),
  timelines: db.prepare(`
    SELECT order_id, status, at, event_id, note FROM order_timeline
    WHERE order_id IN (SELECT value FROM json_each(?)) ORDER BY order_id, position`),
}

const app = Fastify()
app.removeAllContentTypeParsers()
app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
  request.rawBody = body
  try {
    done(null, JSON.parse(body))
  } catch (error) {
    done(error)
  }
})

class Refusal extends Error {
  constructor(statusCode, code) {
    super(code)
    this.statusCode = statusCode
  }
}

function verified(request, scope) {
  const {
    'x-partner-key-id': keyId,
    'x-partner-timestamp': timestamp,
    'x-partner-nonce': nonce,
    'x-partner-signature': signature,
  } = request.headers
  if (!keyId || !timestamp || !nonce || !signature) throw new Refusal(401, 'missing_signature_headers')
  const credential = credentials.get(keyId)
  if (!credential) throw new Refusal(401, 'invalid_credentials')
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) throw new Refusal(401, 'invalid_timestamp')
  const right = Buffer.from(`v1=${signatureOf(request, credential.secret, timestamp, nonce)}`)
  const sent = Buffer.from(signature)
  if (sent.length !== right.length || !timingSafeEqual(sent, right)) throw new Refusal(401, 'invalid_signature')
  if (!credential.scopes.includes(scope)) throw new Refusal(403, 'forbidden')
  return credential
}

function signatureOf(request, secret, timestamp, nonce) {
  const [path, query = ''] = request.raw.url.split('?')
  const canonicalQuery = query
    .split('&')
    .filter(Boolean)
    .map((pair) => pair.split('=').map((part) => encoded(decodeURIComponent(part.replaceAll('+', ' ')))))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map((pair) => pair.join('='))
    .join('&')
  const bodyHash = sha256(request.rawBody ?? '')
  const text = [request.method, path, canonicalQuery, timestamp, nonce, bodyHash].join('\n')
  return createHmac('sha256', secret).update(text).digest('hex')
}

function encoded(text) {
  return encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
}

function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('hex')
}

function idOf(prefix) {
  return `${prefix}_${randomBytes(8).toString('hex')}`
}

function iso(ms) {
  return new Date(ms).toISOString()
}

/** The signature is checked before the schema; the nonce and the work are one transaction. */
function route(method, url, { scope, schema, handle }) {
  const work = db.transaction((request) => {
    const { keyId } = request.credential
    const { changes } = sql.useNonce.run(keyId, request.headers['x-partner-nonce'], Date.now())
    if (changes === 0) throw new Refusal(401, 'replay_detected')
    return handle(request)
  })
  app.route({
    method,
    url: ROOT + url,
    schema,
    preValidation: async (request) => {
      request.credential = verified(request, scope)
    },
    handler: (request, reply) => {
      const { status = 200, body } = work(request)
      reply.code(status).type('application/json; charset=utf-8').send(body)
    },
  })
}

app.setErrorHandler((error, _request, reply) => {
  const { statusCode = 500 } = error
  const code = error instanceof Refusal ? error.message : statusCode < 500 ? 'validation_error' : 'internal_error'
  reply.code(statusCode).send({ error: { code, message: error.message } })
})

const domain = { type: 'string', minLength: 3, maxLength: 253, pattern: '^[a-z0-9-]+(\\.[a-z0-9-]+)+$' }
const currency = { type: 'string', pattern: '^[A-Z]{3}$' }
const instant = { type: 'string', maxLength: 40 }
const ofDomain = { querystring: { type: 'object', required: ['domain'], properties: { domain } } }

function offerOf(name) {
  return sql.offer.get(Date.now(), name)
}

/** @throws Refusal where it is not listed, sold, or reserved to another partner. */
function forSale(name, partnerId) {
  const offer = offerOf(name)
  if (!offer) throw new Refusal(404, 'not_found')
  if (offer.sold || (offer.reserved_by !== null && offer.reserved_by !== partnerId)) throw new Refusal(409, 'conflict')
  return offer
}

route('GET', '/availability', {
  scope: 'search',
  schema: ofDomain,
  handle({ query }) {
    const offer = offerOf(query.domain)
    const available = offer !== undefined && !offer.sold && offer.reserved_by === null
    const { price_cents = null, currency = null } = offer ?? {}
    return { body: JSON.stringify({ domain: query.domain, available, price_cents, currency }) }
  },
})

route('GET', '/pricing', {
  scope: 'search',
  schema: ofDomain,
  handle({ query }) {
    const offer = offerOf(query.domain)
    if (!offer) throw new Refusal(404, 'not_found')
    const { price_cents: buy_now_price_cents, floor_price_cents, currency } = offer
    return { body: JSON.stringify({ domain: query.domain, buy_now_price_cents, floor_price_cents, currency }) }
  },
})

route('GET', '/domains/search', {
  scope: 'search',
  schema: {
    querystring: {
      type: 'object',
      required: ['q'],
      properties: { q: { type: 'string', minLength: 1, maxLength: 200 } },
    },
  },
  handle({ query: { q } }) {
    const words = q.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
    const rows = words.length === 0 ? [] : sql.search.all(words.map((word) => `"${word}"`).join(' OR '))
    const domains = rows.map(({ topics, score, ...row }) => ({
      ...row,
      available: true,
      topics: topics.split(' '),
      score: Math.round(score * 10_000) / 10_000,
    }))
    return { body: JSON.stringify({ query: q, domains }) }
  },
})

route('POST', '/quotes', {
  scope: 'buy',
  schema: {
    body: { type: 'object', required: ['domain'], additionalProperties: false, properties: { domain, currency } },
  },
  handle({ credential: { partnerId, secret }, body }) {
    const { price_cents, currency } = forSale(body.domain, partnerId)
    const createdAt = Date.now()
    const quote_id = idOf('qt')
    sql.endQuotes.run(body.domain)
    const expiresAt = createdAt + QUOTE_MS
    sql.insertQuote.run(quote_id, partnerId, body.domain, price_cents, currency, createdAt, expiresAt)
    const said = Buffer.from([quote_id, body.domain, price_cents, currency, expiresAt].join('.')).toString('base64url')
    const answer = {
      quote_id,
      domain: body.domain,
      price_cents,
      currency,
      commission_cents: Math.floor(price_cents * COMMISSION),
      created_at: iso(createdAt),
      expires_at: iso(expiresAt),
      quote_token: `${said}.${createHmac('sha256', secret).update(said).digest('base64url')}`,
    }
    return { status: 201, body: JSON.stringify(answer) }
  },
})

const url = { type: 'string', maxLength: 2_000, pattern: '^https?://' }
const buyer = {
  type: 'object',
  required: ['email'],
  additionalProperties: false,
  properties: {
    email: { type: 'string', format: 'email', maxLength: 320 },
    name: { type: 'string', minLength: 1, maxLength: 200 },
    country: { type: 'string', pattern: '^[A-Z]{2}$' },
  },
}

route('POST', '/orders', {
  scope: 'buy',
  schema: {
    body: {
      type: 'object',
      required: ['domain', 'expected_price', 'currency', 'buyer'],
      additionalProperties: false,
      properties: {
        domain,
        expected_price: { type: 'integer', minimum: 0 },
        currency,
        buyer,
        return_url: url,
        cancel_url: url,
        quote_id: { type: 'string', maxLength: 64 },
        external_payment_ref: { type: 'string', minLength: 1, maxLength: 255 },
      },
    },
  },
  handle(request) {
    const { partnerId } = request.credential
    const key = request.headers['idempotency-key']
    if (!key) throw new Refusal(400, 'missing_idempotency_key')
    const fingerprint = sha256(request.rawBody)
    const stored = sql.key.get(partnerId, key, Date.now())
    if (stored && stored.fingerprint !== fingerprint) throw new Refusal(409, 'conflict')
    if (stored) return stored
    const body = JSON.stringify(recordOrder(partnerId, request.body))
    sql.insertKey.run(partnerId, key, fingerprint, 201, body, Date.now() + KEY_MS)
    return { status: 201, body }
  },
})

function recordOrder(partnerId, input) {
  const offer = forSale(input.domain, partnerId)
  const quote = input.quote_id === undefined ? undefined : usableQuote(input.quote_id, partnerId, input.domain)
  const { price_cents, currency } = quote ?? offer
  if (input.expected_price !== price_cents || input.currency !== currency) throw new Refusal(422, 'price_mismatch')
  sql.endQuotes.run(input.domain)
  const now = Date.now()
  const order = {
    public_id: idOf('ord'),
    partner_id: partnerId,
    domain: input.domain,
    status: 'EXTERNALLY_PAID',
    sale_price_cents: price_cents,
    currency,
    payment_model: 'partner_collected',
    buyer: JSON.stringify(input.buyer),
    quote_id: input.quote_id ?? null,
    external_payment_ref: input.external_payment_ref ?? null,
    commission_cents: Math.floor(price_cents * COMMISSION),
    created_at: now,
    updated_at: now,
  }
  const { lastInsertRowid } = sql.insertOrder.run(...Object.values(order))
  const entry = { status: order.status, at: now, event_id: idOf('evt'), note: null }
  sql.insertTimeline.run(lastInsertRowid, 1, entry.status, entry.at, entry.event_id, entry.note)
  const { public_id, domain, status, sale_price_cents } = order
  const data = { order: { public_id, domain, status, sale_price_cents, currency } }
  sql.insertEvent.run(entry.event_id, partnerId, 'order.recorded', now, JSON.stringify(data))
  return presentOrder(order, [entry])
}

function usableQuote(id, partnerId, domain) {
  const quote = sql.quote.get(id, partnerId)
  if (quote?.domain !== domain) throw new Refusal(404, 'not_found')
  if (quote.expires_at <= Date.now()) throw new Refusal(422, 'quote_expired')
  return quote
}

function presentOrder(order, timeline) {
  const { sale_price_cents, commission_cents } = order
  return {
    public_id: order.public_id,
    domain: order.domain,
    status: order.status,
    sale_price_cents,
    currency: order.currency,
    payment_model: order.payment_model,
    buyer: JSON.parse(order.buyer),
    quote_id: order.quote_id,
    external_payment_ref: order.external_payment_ref,
    commission_cents,
    amount_owed_cents: sale_price_cents - commission_cents,
    created_at: iso(order.created_at),
    updated_at: iso(order.updated_at),
    timeline: timeline.map(({ status, at, event_id, note }) => ({ status, at: iso(at), event_id, note })),
  }
}

route('GET', '/orders', {
  scope: 'buy',
  schema: {
    querystring: {
      type: 'object',
      properties: {
        status: { type: 'string' },
        from: instant,
        to: instant,
        cursor: { type: 'string', maxLength: 64 },
        limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
      },
    },
  },
  handle({ credential: { partnerId }, query: { status = null, from, to, cursor, limit } }) {
    const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : sql.orderNumber.get(cursor, partnerId)
    if (before === undefined) throw new Refusal(400, 'validation_error')
    const rows = sql.orders.all({
      partnerId,
      status,
      before,
      from: msOf(from, 0),
      to: msOf(to, 1e15),
      limit: limit + 1,
    })
    const page = rows.slice(0, limit)
    const timelines = new Map(page.map(({ id }) => [id, []]))
    for (const entry of sql.timelines.all(JSON.stringify([...timelines.keys()])))
      timelines.get(entry.order_id).push(entry)
    const orders = page.map((order) => presentOrder(order, timelines.get(order.id)))
    const next_cursor = rows.length > limit ? page.at(-1).public_id : null
    return { body: JSON.stringify({ orders, next_cursor }) }
  },
})

function msOf(text, otherwise) {
  if (text === undefined) return otherwise
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) throw new Refusal(400, 'validation_error')
  return ms
}

await app.listen({ port: 0, host: '127.0.0.1' })
const { port } = app.server.address()
const { keyId: key_id, secret } = CREDENTIAL
console.log(JSON.stringify({ url: `http://127.0.0.1:${port}`, credentials: [{ name: 'main', key_id, secret }] }))
