import { randomUUID } from 'node:crypto'
import { wire } from './contestants.mjs'

const ROOT = '/api/partner/v1'
const READS = 6_000
const LISTS = 1_500
const WRITES = 2_000

/** The same call so many times, each signed with a nonce of its own. */
const get = (target, count) => (server) =>
  Array.from({ length: count }, () => wire({ key: server.key, target: ROOT + target }))

const availability = get('/availability?domain=stalls-1.test', READS)

/** Magic domains are an endless supply. */
let names = 0
const newNames = () => Array.from({ length: WRITES }, () => `stalls-${++names}.test`)

function post(server, target, body) {
  const headers = { 'Idempotency-Key': randomUUID() }
  return wire({ key: server.key, method: 'POST', target: ROOT + target, headers, body: JSON.stringify(body) })
}

const quotes = (server) => newNames().map((domain) => post(server, '/quotes', { domain, currency: 'USD' }))

/** Prices are read beforehand, outside of the measurement; the rivals take any. */
async function orders(server) {
  const domains = newNames()
  const prices = server.isSandbox ? await pricesOf(server, domains) : domains.map(() => 1)
  return domains.map((domain, i) =>
    post(server, '/orders', {
      domain,
      expected_price: prices[i],
      currency: 'USD',
      buyer: { email: 'buyer@example.test', name: 'A Buyer', country: 'DE' },
      external_payment_ref: `payment-${i}`,
    }),
  )
}

async function pricesOf({ key, url }, domains) {
  const { signCall } = await import('../dist/contract/signature.js')
  const price = async (domain) => {
    const target = `${ROOT}/pricing?domain=${domain}`
    const call = { method: 'GET', target, timestampSeconds: Math.floor(Date.now() / 1_000), nonce: randomUUID() }
    const answer = await fetch(url + target, { headers: signCall(key, call).headers })
    return (await answer.json()).buy_now_price_cents
  }
  const prices = []
  for (let i = 0; i < domains.length; i += 50) prices.push(...(await Promise.all(domains.slice(i, i + 50).map(price))))
  return prices
}

/**
 * What is raced: the same work for both, unless the rival's is named. Orders come first, so that there are some to be listed.
 *
 * `by` says which ratio counts: CPU time for each answer, which other work on the machine disturbs least, or the rate where the
 * disk decides.
 */
export const CONTESTS = {
  'POST /orders': { own: 'sandbox', rival: 'hmac-sqlite', calls: orders, expect: 201, by: 'cpu' },
  'POST /orders, --data': { own: 'sandbox --data', rival: 'hmac-sqlite FULL', calls: orders, expect: 201, by: 'rate' },
  'POST /quotes': {
    ...{ own: 'sandbox', rival: 'hmac-sqlite', expect: 201, by: 'cpu' },
    ...{ calls: quotes, rivalCalls: orders },
  },
  'GET /availability': { own: 'sandbox', rival: 'hmac', calls: availability, expect: 200, by: 'cpu' },
  'GET /availability, --data': { own: 'sandbox --data', rival: 'hmac', calls: availability, expect: 200, by: 'cpu' },
  'GET /orders?limit=50': {
    ...{ own: 'sandbox', rival: 'hmac', expect: 200, by: 'cpu' },
    ...{ calls: get('/orders?limit=50', LISTS), rivalCalls: availability },
  },
  'GET /domains/search': {
    ...{ own: 'sandbox', rival: 'hmac', expect: 200, by: 'cpu' },
    ...{ calls: get('/domains/search?q=solar+energy', LISTS), rivalCalls: availability },
  },
}
