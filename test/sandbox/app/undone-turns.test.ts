import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { startApi } from '../../support/partner-api.ts'

/** An API whose handler of orders breaks for one domain once the order is written, and the orders of these domains. */
async function ordersWhereOneBreaks(count: number, rateLimit: { requests: number; seconds: number } | null = null) {
  const broken = 'stalls-2.test'
  const api = await startApi({
    world: { rateLimit },
    hooks: {
      routes: {
        'orders.create': (valid) => ({
          ...valid,
          handle(input) {
            const reply = valid.handle(input)
            if ((input.body as { domain: string }).domain === broken) throw new Error('broken')
            return reply
          },
        }),
      },
    },
  })
  const domains = Array.from({ length: count }, (_, i) => `stalls-${i + 1}.test`)
  const { db } = api.worlds.main
  const priceOf = async (domain: string) => {
    const { json } = await api.call({ method: 'GET', target: `/api/partner/v1/pricing?domain=${domain}` })
    return json['buy_now_price_cents']
  }
  const prices = rateLimit === null ? await Promise.all(domains.map(priceOf)) : []
  const order = (domain: string, i: number, nonce = randomUUID()) =>
    api.call({
      method: 'POST',
      target: '/api/partner/v1/orders',
      nonce,
      headers: { 'idempotency-key': randomUUID() },
      body: { domain, expected_price: prices[i] ?? 1, currency: 'USD', buyer: { email: 'buyer@example.test' } },
    })
  const countOf = (table: string) => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()
  return { ...api, db, domains, order, countOf }
}

test('an order that breaks after it was written is undone alone, however many share its turn', async () => {
  const { order, domains, countOf, worlds } = await ordersWhereOneBreaks(12)
  // All arrive while the world waits, and so in as few turns as can be.
  const answers = await Promise.all(domains.map((domain, i) => order(domain, i)))
  expect(answers.map(({ status }) => status)).toEqual(domains.map((_d, i) => (i === 1 ? 500 : 201)))
  const ids = answers.filter(({ status }) => status === 201).map(({ json }) => json['public_id'])
  expect(new Set(ids).size).toBe(11)
  expect(['orders', 'sales', 'events', 'ledger_entries', 'idempotency_keys'].map(countOf)).toEqual([11, 11, 11, 11, 11])
  const logged = worlds.main.log.latest().filter(({ answer }) => answer.status === 500)
  expect(logged.map(({ failure }) => (failure as Error).message)).toEqual(['broken'])
})

test('its nonce is used up all the same', async () => {
  const { order } = await ordersWhereOneBreaks(2)
  const nonce = randomUUID()
  expect((await order('stalls-2.test', 1, nonce)).status).toBe(500)
  expect((await order('stalls-1.test', 0, nonce)).json['code']).toBe('replay_detected')
})

test('a call that breaks counts once in the window of its credential', async () => {
  const { order, call } = await ordersWhereOneBreaks(0, { requests: 3, seconds: 60 })
  const pricing = await call({ method: 'GET', target: '/api/partner/v1/pricing?domain=stalls-2.test' })
  const body = { domain: 'stalls-2.test', expected_price: pricing.json['buy_now_price_cents'], currency: 'USD' }
  const broken = await call({
    method: 'POST',
    target: '/api/partner/v1/orders',
    headers: { 'idempotency-key': randomUUID() },
    body: { ...body, buyer: { email: 'buyer@example.test' } },
  })
  const after = [await order('stalls-1.test', 0), await order('stalls-1.test', 0)]
  expect([pricing, broken, ...after].map(({ status }) => status)).toEqual([200, 500, 422, 429])
})
