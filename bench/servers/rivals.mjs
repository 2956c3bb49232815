// Rivals for the benchmark, as somebody would write them by hand. Usage: node rivals.mjs bare|hmac|hmac-sqlite [file]
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import Database from 'better-sqlite3'
import Fastify from 'fastify'

const [, , kind, file] = process.argv
const SECRET = 'sk_sandbox_bench'
const ANSWER = { domain: 'bench.test', available: true, price_cents: 129_900, currency: 'USD' }

const app = Fastify()
app.removeAllContentTypeParsers()
app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

const nonces = new Map()

function verify(request) {
  const {
    'x-partner-timestamp': timestamp,
    'x-partner-nonce': nonce,
    'x-partner-signature': signature,
  } = request.headers
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return 'invalid_timestamp'
  const [path, query = ''] = request.raw.url.split('?')
  const canonicalQuery = query
    .split('&')
    .filter(Boolean)
    .map((pair) => pair.split('=').map((part) => encodeURIComponent(decodeURIComponent(part))))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map((pair) => pair.join('='))
    .join('&')
  const bodyHash = createHash('sha256')
    .update(request.body ?? '')
    .digest('hex')
  const text = [request.method, path, canonicalQuery, timestamp, nonce, bodyHash].join('\n')
  const right = Buffer.from(`v1=${createHmac('sha256', SECRET).update(text).digest('hex')}`)
  const sent = Buffer.from(String(signature))
  if (sent.length !== right.length || !timingSafeEqual(sent, right)) return 'invalid_signature'
  if (nonces.has(nonce)) return 'replay_detected'
  nonces.set(nonce, Date.now())
  return null
}

function recorder() {
  const db = new Database(file ?? ':memory:')
  if (file) {
    db.pragma('journal_mode = WAL')
    db.pragma('synchronous = FULL')
  }
  db.exec(`
    CREATE TABLE nonces (nonce TEXT PRIMARY KEY, at INTEGER) STRICT;
    CREATE TABLE keys (key TEXT PRIMARY KEY, body TEXT) STRICT;
    CREATE TABLE orders (id INTEGER PRIMARY KEY, domain TEXT UNIQUE, price INTEGER, buyer TEXT) STRICT;
    CREATE TABLE events (id INTEGER PRIMARY KEY, type TEXT, data TEXT) STRICT;`)
  const insert = [
    'nonces VALUES (?, ?)',
    'keys VALUES (?, ?)',
    'orders VALUES (NULL, ?, ?, ?)',
    'events VALUES (NULL, ?, ?)',
  ]
  const [nonce, key, order, event] = insert.map((text) => db.prepare(`INSERT INTO ${text}`))
  return db.transaction((request, input) => {
    nonce.run(request.headers['x-partner-nonce'], Date.now())
    const { lastInsertRowid } = order.run(input.domain, input.expected_price, JSON.stringify(input.buyer))
    const answer = { public_id: `ord_${lastInsertRowid}`, ...input, status: 'EXTERNALLY_PAID' }
    event.run('order.recorded', JSON.stringify({ order: answer }))
    key.run(request.headers['idempotency-key'], JSON.stringify(answer))
    return answer
  })
}

app.get('/api/partner/v1/availability', (request, reply) => {
  if (kind === 'bare') return reply.send(ANSWER)
  const refusal = verify(request)
  return refusal ? reply.code(401).send({ code: refusal }) : reply.send(ANSWER)
})

const record = kind === 'hmac-sqlite' ? recorder() : null
app.post('/api/partner/v1/orders', (request, reply) => {
  const input = JSON.parse(request.body)
  if (kind === 'bare') return reply.code(201).send({ public_id: 'ord_1', ...input })
  const refusal = verify(request)
  if (refusal) return reply.code(401).send({ code: refusal })
  return reply.code(201).send(record ? record(request, input) : { public_id: 'ord_1', ...input })
})

await app.listen({ port: 0, host: '127.0.0.1' })
console.log(
  JSON.stringify({
    url: `http://127.0.0.1:${app.server.address().port}`,
    credentials: [{ name: 'main', key_id: 'pk_sandbox_bench', secret: SECRET }],
  }),
)
