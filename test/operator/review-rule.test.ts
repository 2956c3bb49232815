import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { fetchDocumented } from '../support/documented.ts'
import { sandboxOfFile, startSandbox, type TestSandbox } from '../support/sandbox.ts'
import { signWith } from '../support/signer.ts'

/** For what is refused, or only read. */
const shared = sandboxOfFile()

const ORDERS = '/api/partner/v1/orders'

/** A world that holds orders by a rule, and a way to order in it as its main partner. */
async function ruled(sandbox: TestSandbox, review: unknown) {
  const { status, json } = await sandbox.operate('POST', '/v1/worlds', { name: 'ruled', rules: { review } })
  expect(status).toBe(201)
  const { key_id: keyId, secret } = json.credentials[0]
  async function order(domain: string, buyer: Record<string, string> = {}) {
    const { json: listing } = await sandbox.operate('GET', `/v1/worlds/ruled/domains/${domain}`)
    const body = Buffer.from(
      JSON.stringify({
        domain,
        expected_price: listing.price_cents,
        currency: 'USD',
        buyer: { email: 'buyer@example.test', ...buyer },
      }),
    )
    const timestamp = String(Math.floor(Date.now() / 1000))
    const call = { method: 'POST', target: ORDERS, body, timestamp, nonce: randomUUID() }
    const { headers } = signWith({ keyId, secret }, call)
    const answer = await fetchDocumented(sandbox.url + ORDERS, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': randomUUID() },
      body,
    })
    return (await answer.json()) as { status: string; timeline: { note: string | null }[] }
  }
  const setPrice = (domain: string, cents: number) =>
    sandbox.operate('PATCH', `/v1/worlds/ruled/domains/${domain}`, { price_cents: cents })
  return { rules: json.rules, order, setPrice }
}

test('an order above the price of the rule is held, one at it goes on its way', async () => {
  const { rules, order, setPrice } = await ruled(await startSandbox(), { price_above_cents: 100_000 })
  expect(rules.review).toEqual({ price_above_cents: 100_000, buyer_countries: [] })
  await setPrice('stalls-1.test', 100_000)
  await setPrice('stalls-2.test', 100_001)
  expect((await order('stalls-1.test')).status).toBe('EXTERNALLY_PAID')
  const held = await order('stalls-2.test')
  expect([held.status, held.timeline.at(-1)?.note]).toEqual([
    'MANUAL_REVIEW',
    'held for manual review: its price is above 100000 USD cents',
  ])
})

test('an order of a buyer from a country of the rule is held', async () => {
  const { order } = await ruled(await startSandbox(), { buyer_countries: ['DE', 'FR'] })
  const held = await order('stalls-1.test', { country: 'FR' })
  expect([held.status, held.timeline.at(-1)?.note]).toEqual([
    'MANUAL_REVIEW',
    'held for manual review: its buyer is from FR',
  ])
  expect((await order('stalls-2.test', { country: 'AT' })).status).toBe('EXTERNALLY_PAID')
  expect((await order('stalls-3.test')).status).toBe('EXTERNALLY_PAID')
})

test.each([
  [{ review: { buyer_countries: ['Germany'] } }, 'must be a two-letter country code'],
  [{ review: { buyer_countries: ['DE', 'ZZ'] } }, 'must be a two-letter country code'],
  [{ review: { price_above_cents: -1 } }, 'rules.review.price_above_cents'],
  [{ review: { price: 1 } }, 'unknown field rules.review.price'],
  [{ holds: true }, 'unknown field rules.holds'],
])('rules of %j are refused by name', async (rules, words) => {
  const sandbox = shared()
  const { status, json } = await sandbox.operate('POST', '/v1/worlds', { name: 'ruled', rules })
  expect([status, json.detail]).toEqual([400, expect.stringContaining(words)])
})
