import { randomUUID } from 'node:crypto'
import { signCall } from '../dist/contract/signature.js'
import { wire } from './contestants.mjs'

const ROOT = '/api/partner/v1'
const READS = 6_000
const LISTS = 1_500
const WRITES = 2_000

/** The same call so many times, each signed with a nonce of its own. */
const get = (target, count) => (server) =>
  Array.from({ length: count }, () => wire({ key: server.key, target: ROOT + target }))

/** Each call another one, so that no answer can be given again. */
const each = (targetOf, count) => (server) =>
  Array.from({ length: count }, (_, n) => wire({ key: server.key, target: ROOT + targetOf(n) }))

const digits = (number) => String(Math.floor(number)).padStart(2, '0')
const pages = each(
  (n) => `/orders?limit=50&from=2010-01-01&to=2100-01-01T00:${digits(n / 60)}:${digits(n % 60)}Z`,
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
/** All pairs of words, then all of them with a space more, and so on. */
const searches = each((n) => {
  const [first, second, spaces] = [WORDS[n % 12], WORDS[Math.floor(n / 12) % 12], '+'.repeat(1 + n / 144)]
  return `/domains/search?q=${first}${spaces}${second}`
}, LISTS)

// Beyond the names that are sold.
const availability = get('/availability?domain=stalls-50000.test', READS)

/** Names of which there are as many as asked for; each is sold or reserved once. */
const newNames = (server) => Array.from({ length: WRITES }, () => `stalls-${++server.namesUsed}.test`)

function post(server, target, body) {
  const headers = { 'Idempotency-Key': randomUUID() }
  return wire({ key: server.key, method: 'POST', target: ROOT + target, headers, body: JSON.stringify(body) })
}

const quotes = (server) => newNames(server).map((domain) => post(server, '/quotes', { domain, currency: 'USD' }))

/** Prices are read beforehand, outside of the measurement. */
async function orders(server) {
  const domains = newNames(server)
  const prices = await pricesOf(server, domains)
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

export async function pricesOf({ key, url }, domains) {
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
 * What is raced: the same calls to both, which must answer alike. Orders come first, so that there are some to be listed.
 *
 * `by` says what counts: CPU time for each answer, which other work on the machine disturbs least; the rate where the disk
 * decides; or milliseconds to the first answer. `tolerance` is how much longer the answers of one may be, as a share.
 */
export const CONTESTS = {
  start: { own: 'sandbox', rival: 'bare', by: 'ms' },
  'POST /orders': inMemory(orders, 201),
  'POST /orders, --data': { ...inMemory(orders, 201), own: 'sandbox --data', rival: 'by hand, FULL', by: 'rate' },
  'POST /quotes': inMemory(quotes, 201),
  'GET /availability': inMemory(availability),
  'GET /availability, --data': { ...inMemory(availability), own: 'sandbox --data' },
  'GET /orders?limit=50': inMemory(pages),
  // Ranked by other means, other domains come first, whose topics are longer or shorter.
  'GET /domains/search': { ...inMemory(searches), tolerance: 0.15 },
}

function inMemory(calls, expect = 200) {
  return { own: 'sandbox', rival: 'by hand', by: 'cpu', calls, expect, tolerance: 0.05 }
}
