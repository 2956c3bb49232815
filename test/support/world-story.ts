import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'vitest'
import { verifyWebhook, type World, type WorldOptions } from '../../src/index.ts'

/** The same for every world that tells the story, so that all of them have the same names, prices and ids. */
export const STORY_WORLD: WorldOptions = {
  seed: 'the same for all',
  inventory: 20,
  clock: '2026-01-15T12:00:00Z',
  frozen: true,
}

const SECRET = 'a-secret-of-sixteen'
const START_MS = Date.parse('2026-01-15T12:00:00Z')

/** All that partners are told in the story, in its order. */
const TOLD = [
  'order.recorded of held-1.test',
  'order.manual_review_cleared of held-1.test',
  'order.recorded of lost-reply-1.test',
  'order.recorded of rate-limited-1.test',
  'order.recorded of stalls-1.test',
  'order.transfer_started of stalls-1.test',
  'order.transfer_completed of stalls-1.test',
  'order.settled of stalls-1.test',
  'order.refunded of rate-limited-1.test',
]

/**
 * What a test file may do to its world: magic domains, faults, jumps of its own length, webhooks, steps, money. It ends with
 * everything it left behind, and that must be what it did and nothing else, whoever else does the same next door.
 *
 * @param n another number for each world; its jumps differ by it.
 * @returns ids that the same seed gives to all of them alike.
 */
export async function tellStory(world: World, n: number): Promise<string[]> {
  const hooks = await openHooks()
  try {
    await world.call('PUT', '/api/partner/webhooks', { url: hooks.url, secret: SECRET })
    await magicDomains(world)
    await faultsAndJumps(world, n)
    await stepsAndMoney(world)
    return await whatIsLeft(world, n, hooks.received)
  } finally {
    await hooks.close()
  }
}

async function magicDomains(world: World): Promise<void> {
  const held = await buy(world, 'held-1.test')
  await world.waitForOrder(held, 'MANUAL_REVIEW', { timeoutMs: 30_000 })
  await world.orders.clear(held)

  const key = randomUUID()
  await expect(order(world, 'lost-reply-1.test', key)).rejects.toThrow()
  const again = await order(world, 'lost-reply-1.test', key)
  expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true'])

  expect((await order(world, 'rate-limited-1.test')).status).toBe(429)
  await buy(world, 'rate-limited-1.test')
}

async function faultsAndJumps(world: World, n: number): Promise<void> {
  const fault = await world.faults.add({ match: { endpoint: 'quotes.create' }, effect: { code: 'internal_error' } })
  expect((await world.call('POST', '/quotes', { domain: 'stalls-1.test' })).status).toBe(500)
  const quote = await world.call<{ quote_id: string }>('POST', '/quotes', { domain: 'stalls-1.test' })
  expect(quote.status).toBe(201)
  expect(await world.faults.list()).toMatchObject([{ id: fault.id, hits: 1, left: 0 }])
  const { happened } = await world.clock.advance(`10m${n + 1}s`)
  // A webhook may still have been under way, and is then awaited in the jump.
  const expired = happened.filter(({ kind }) => kind !== 'delivery.attempt')
  expect(expired.map(({ kind }) => kind)).toEqual(['quote.expired'])
  const late = await order(world, 'stalls-1.test', randomUUID(), { quote_id: quote.json.quote_id })
  expect([late.status, late.json['code']]).toEqual([422, 'quote_expired'])
}

async function stepsAndMoney(world: World): Promise<void> {
  const sold = await buy(world, 'stalls-1.test')
  await world.orders.startTransfer(sold)
  await world.orders.completeTransfer(sold)
  await world.settle()
  await world.waitFor('order.settled', { where: { public_id: sold }, timeoutMs: 30_000 })
  const [undone] = await world.orders.all({ domain: 'rate-limited-1.test' })
  const refund = await world.call('POST', '/refunds', { public_id: undone?.public_id })
  expect(refund.status).toBe(201)
}

async function whatIsLeft(world: World, n: number, received: ReadonlyMap<string, string>): Promise<string[]> {
  const events = await world.events.all()
  const told = events.map(({ type, data }) => `${type} of ${'order' in data ? data.order.domain : '?'}`)
  expect(told).toEqual(TOLD)
  expect(await world.clock.now()).toEqual(new Date(START_MS + (600 + n + 1) * 1_000))
  await allDelivered(world)
  expect([...received.keys()].sort()).toEqual(events.map(({ id }) => id).sort())
  expect(await world.audit()).toMatchObject({ balanced: true })
  const orders = await world.orders.all()
  expect(orders.map(({ domain, status }) => `${domain} ${status}`)).toEqual([
    'stalls-1.test SETTLED',
    'rate-limited-1.test REFUNDED',
    'lost-reply-1.test EXTERNALLY_PAID',
    'held-1.test EXTERNALLY_PAID',
  ])
  const requests = await world.requests.all()
  expect(requests.map(({ key_id }) => key_id)).toEqual(requests.map(() => world.credentials.main.keyId))
  expect(requests.map(({ endpoint, status }) => `${endpoint} ${status}`).reverse()).toEqual(CALLS)
  return [...orders.map(({ public_id }) => public_id), ...events.map(({ id }) => id)]
}

/** On a busy machine a receiver may miss the five seconds that it has; the next attempt is a jump away. */
async function allDelivered(world: World): Promise<void> {
  while ((await world.deliveries.list({ state: 'pending' })).deliveries.length > 0) {
    await world.clock.advance({ until: 'next' })
  }
}

/** Every call of the story, and its answer; 0 where the connection was lost. */
const CALLS = [
  'webhooks.put 200',
  ...['orders.create 201', 'orders.create 201', 'orders.create 201'],
  ...['orders.create 429', 'orders.create 201'],
  ...['quotes.create 500', 'quotes.create 201', 'orders.create 422'],
  ...['orders.create 201', 'refunds.create 201'],
]

async function buy(world: World, domain: string): Promise<string> {
  const { status, json } = await order(world, domain)
  expect([domain, status]).toEqual([domain, 201])
  return String(json['public_id'])
}

async function order(world: World, domain: string, idempotencyKey: string = randomUUID(), more: object = {}) {
  const { price_cents: price, currency } = await world.domains.show(domain)
  const body = { domain, expected_price: price, currency, buyer: { email: 'ada@example.test' }, ...more }
  return world.call('POST', '/orders', body, { idempotencyKey })
}

/** Takes webhooks and keeps the body of each event, by its id. */
async function openHooks() {
  const received = new Map<string, string>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const isValid = verifyWebhook(SECRET, body, String(request.headers['x-partner-signature']))
    if (isValid) received.set((JSON.parse(body.toString('utf8')) as { id: string }).id, body.toString('utf8'))
    response.writeHead(isValid ? 200 : 401).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    received,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}
