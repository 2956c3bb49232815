// A client with three mistakes, to see what a proxy says of them: node examples/proxy/mistaken-client.mjs
// It reads PARTNER_URL (default: the proxy), PARTNER_KEY_ID and PARTNER_SECRET.
import { createHash, createHmac, randomUUID } from 'node:crypto'

const { PARTNER_URL = 'http://127.0.0.1:4610', PARTNER_KEY_ID = '', PARTNER_SECRET = '' } = process.env
const ROOT = '/api/partner/v1'

async function call(method, path, { body, nonce = randomUUID(), idempotencyKey } = {}) {
  const [pathname, query = ''] = path.split('?')
  const bytes = body === undefined ? '' : JSON.stringify(body)
  const timestamp = String(Math.floor(Date.now() / 1000))
  const hash = createHash('sha256').update(bytes).digest('hex')
  // Mistake 1: the query is signed as it is in the URL, not decoded, sorted and encoded again.
  const signed = [method, ROOT + pathname, query, timestamp, nonce, hash].join('\n')
  const headers = {
    'X-Partner-Key-Id': PARTNER_KEY_ID,
    'X-Partner-Timestamp': timestamp,
    'X-Partner-Nonce': nonce,
    'X-Partner-Signature': `v1=${createHmac('sha256', PARTNER_SECRET).update(signed).digest('hex')}`,
    ...(bytes !== '' && { 'Content-Type': 'application/json' }),
    ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
  }
  const answer = await fetch(PARTNER_URL + ROOT + path, { method, headers, ...(bytes !== '' && { body: bytes }) })
  console.log(method, path, answer.status)
}

await call('GET', '/domains/search?q=solar&limit=5')

// Mistake 2: a nonce for each user, not for each call.
await call('GET', '/orders', { nonce: 'nonce-of-jo' })
await call('GET', '/payouts', { nonce: 'nonce-of-jo' })

// Mistake 3: an Idempotency-Key for each customer, not for each order.
const order = (domain) => ({ domain, expected_price: 1, currency: 'USD', buyer: { email: 'jo@buyer.example' } })
await call('POST', '/orders', { body: order('first.example'), idempotencyKey: 'customer-7' })
await call('POST', '/orders', { body: order('second.example'), idempotencyKey: 'customer-7' })
