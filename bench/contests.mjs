import { randomUUID } from 'node:crypto'
import { wire } from './contestants.mjs'

const ROOT = '/api/partner/v1'
const READS = 6_000
const LISTS = 1_500
const WRITES = 2_000

/** The same call so many times, each signed with a nonce of its own. */
const get = (target, count) => (server) =>
  Array.from({ length: count }, () => wire({ key: server.key, target: ROOT + target }))

/** Each call another one, so that nothing can be given again. */
const each = (targetOf, count) => (server) =>
  Array.from({ length: count }, (_, n) => wire({ key: server.key, target: ROOT + targetOf(n) }))

const otherPages = each(
  (n) => `/orders?limit=50&from=20${10 + (n % 10)}-01-01&to=2100-01-01T00:00:${String(n % 60).padStart(2, '0')}Z`,
  LISTS,
)
const WORDS = [
  'solar',
  'energy',
  'coffee',
  'travel',
  'pet',
  'garden',
  'health',
  'music',
  'cloud',
  'craft',
  'sport',
  'wine',
]
const otherWords = each((n) => `/domains/search?q=${WORDS[n % 12]}+${WORDS[(n * 5 + 1) % 12]}`, LISTS)

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

export const FIRST_CALL = `${ROOT}/availability?domain=stalls-1.test`

/**
 * What is raced: the same work for both, unless the rival's is named. Orders come first, so that there are some to be listed.
 *
 * `by` says what counts: CPU time for each answer, which other work on the machine disturbs least; the rate where the disk
 * decides; or milliseconds to the first answer.
 */
export const CONTESTS = {
  start: { own: 'sandbox', rival: 'bare', by: 'ms' },
  'POST /orders': { own: 'sandbox', rival: 'hmac-sqlite', by: 'cpu', calls: orders, expect: 201 },
  'POST /orders, --data': { own: 'sandbox --data', rival: 'hmac-sqlite FULL', by: 'rate', calls: orders, expect: 201 },
  'POST /quotes': against('hmac-sqlite', quotes, orders, 201),
  'GET /availability': against('hmac', availability, availability),
  'GET /availability, --data': { ...against('hmac', availability, availability), own: 'sandbox --data' },
  // A page that is asked for again while nothing is written, and pages of which each is another one.
  'GET /orders?limit=50': against('hmac', get('/orders?limit=50', LISTS), availability),
  'GET /orders, other pages': against('hmac', otherPages, availability),
  'GET /domains/search': against('hmac', get('/domains/search?q=solar+energy', LISTS), availability),
  'GET /domains/search, other words': against('hmac', otherWords, availability),
}

function against(rival, calls, rivalCalls, expect = 200) {
  return { own: 'sandbox', rival, by: 'cpu', calls, rivalCalls, expect }
}
