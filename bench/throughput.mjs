import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { commandOf, start, wire } from './contestants.mjs'
import { load, median } from './load.mjs'

const ROUNDS = Number(process.env.ROUNDS ?? 5)
const READS = 10_000
const ORDERS = 3_000
const ROOT = '/api/partner/v1'

const folder = mkdtempSync(join(tmpdir(), 'partner-sandbox-bench-'))

const readsOf = ({ key }) =>
  Array.from({ length: READS }, () => wire({ key, target: `${ROOT}/availability?domain=stalls-1.test` }))

let sold = 0
/** Magic domains are an endless supply; their price is read first, by one call each, outside of the measurement. */
async function ordersOf({ key, url }, isSandbox) {
  const names = Array.from({ length: ORDERS }, () => `stalls-${++sold}.test`)
  const prices = isSandbox ? await pricesOf({ key, url }, names) : names.map(() => 1)
  return names.map((domain, i) =>
    wire({
      key,
      method: 'POST',
      target: `${ROOT}/orders`,
      headers: { 'Idempotency-Key': randomUUID() },
      body: JSON.stringify({
        domain,
        expected_price: prices[i],
        currency: 'USD',
        buyer: { email: 'buyer@example.test', name: 'A Buyer', country: 'DE' },
        external_payment_ref: `payment-${i}`,
      }),
    }),
  )
}

async function pricesOf({ key, url }, names) {
  const { signCall } = await import('../dist/contract/signature.js')
  const price = async (domain) => {
    const target = `${ROOT}/pricing?domain=${domain}`
    const call = { method: 'GET', target, timestampSeconds: Math.floor(Date.now() / 1000), nonce: randomUUID() }
    const answer = await fetch(url + target, { headers: signCall(key, call).headers })
    return (await answer.json()).buy_now_price_cents
  }
  const prices = []
  for (let i = 0; i < names.length; i += 50) prices.push(...(await Promise.all(names.slice(i, i + 50).map(price))))
  return prices
}

async function race(title, contestants, requestsOf, expect) {
  const running = []
  for (const [name, command] of contestants) running.push({ name, ...(await start(command)), rates: [] })
  for (let round = 0; round <= ROUNDS; round++) {
    for (const contestant of running) {
      const requests = await requestsOf(contestant)
      const rate = await load(contestant.url, requests, { expect })
      if (round > 0) contestant.rates.push(rate)
      process.stderr.write(`\r${title}: round ${round} of ${ROUNDS}, ${contestant.name}          `)
    }
  }
  process.stderr.write('\r\x1b[K')
  await Promise.all(running.map((contestant) => contestant.stop()))
  report(title, running)
}

function report(title, running) {
  const own = running.at(-1)
  console.log(`\n${title}`)
  for (const { name, rates } of running) {
    const ratio = median(own.rates.map((rate, i) => rate / rates[i]))
    const versus = name === own.name ? '' : `   ${own.name} is at ${ratio.toFixed(2)} of it`
    console.log(`  ${name.padEnd(22)} ${Math.round(median(rates)).toLocaleString('en').padStart(8)} /s${versus}`)
  }
}

try {
  await race(
    'signed reads',
    [
      ['bare', commandOf.bare()],
      ['hmac', commandOf.hmac()],
      ['sandbox', commandOf.sandbox()],
    ],
    readsOf,
    200,
  )
  await race(
    'orders, in memory',
    [
      ['hmac-sqlite', commandOf['hmac-sqlite']()],
      ['sandbox', commandOf.sandbox()],
    ],
    (contestant) => ordersOf(contestant, contestant.name === 'sandbox'),
    201,
  )
  await race(
    'orders, every one synced to a file (WAL, FULL)',
    [
      ['hmac-sqlite', commandOf['hmac-sqlite'](join(folder, 'rival.sqlite'))],
      ['sandbox --data', commandOf.sandbox(join(folder, 'worlds'))],
    ],
    (contestant) => ordersOf(contestant, contestant.name.startsWith('sandbox')),
    201,
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}
