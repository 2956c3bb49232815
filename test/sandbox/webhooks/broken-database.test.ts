import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import type { Environment } from '../../../src/sandbox/app/environment.ts'
import { recordEvent } from '../../../src/sandbox/events/events.ts'
import { PLAIN_DELIVERY } from '../../../src/sandbox/kernel/settings.ts'
import { listDeliveries } from '../../../src/sandbox/webhooks/deliveries.ts'
import { registerEndpoint } from '../../../src/sandbox/webhooks/endpoints.ts'
import { advance } from '../../../src/sandbox/worlds/advance.ts'
import { setSettings } from '../../../src/sandbox/worlds/world-facts.ts'
import { SECRET } from '../../support/hooks.ts'
import { startApi } from '../../support/partner-api.ts'
import { accepts, never, startReceiver } from '../../support/receiver.ts'
import { castMember, testWorld } from '../../support/world.ts'

function worldTelling(url: string): Environment {
  const world = testWorld()
  onTestFinished(() => {
    world.deliverer.end()
    world.db.close()
  })
  world.commits.commitNow(() => registerEndpoint(world, castMember(world, 'main'), { url, secret: SECRET }))
  return world
}

/** An event, and the wait for its first attempt. */
function tell(world: Environment): Promise<void> {
  const { partnerId } = castMember(world, 'main')
  let attempts: (() => Promise<void> | null) | undefined
  const record = () => void recordEvent(world, { partnerId, type: 'order.recorded', data: { order: {} } })
  world.commits.commitNow(() => world.deliverer.follow(record, (wait) => (attempts = wait)))
  return attempts?.() as Promise<void>
}

function breakReads({ db }: Environment): void {
  db.exec('ALTER TABLE deliveries RENAME TO lost')
}

function mendReads({ db }: Environment): void {
  db.exec('ALTER TABLE lost RENAME TO deliveries')
}

/** Makes the engine look at once. */
function look({ deliverer }: Environment): void {
  deliverer.hold()()
}

const states = (world: Environment) => listDeliveries(world, { limit: 100 }).rows.map(({ state }) => state)

test('who waits for an attempt is told when the database cannot be read, and nothing else breaks', async () => {
  const hook = await startReceiver(never, { anything: true })
  const world = worldTelling(hook.url)
  const told = tell(world)
  await hook.has(1)
  breakReads(world)
  look(world)
  await expect(told).rejects.toThrow(/no such table/)
  mendReads(world)
})

test('a jump that meets an unreadable database fails, and the next one finds what is due', async () => {
  const hook = await startReceiver(accepts, { anything: true })
  const world = worldTelling(hook.url)
  world.deliverer.hold()
  void tell(world).catch(() => {})
  const jumping = advance(world, { byMs: 1_000 })
  breakReads(world)
  await expect(jumping).rejects.toThrow()
  mendReads(world)
  await advance(world, { byMs: 1_000 })
  expect(states(world)).toEqual(['delivered'])
})

test('an attempt that a full disk does not let us write down is made again when there is room', {
  timeout: 15_000,
}, async () => {
  // So long an answer that the log of the second attempt needs a page of its own.
  const hook = await startReceiver((response, _received, n) => void response.writeHead(n < 3 ? 500 : 200).end(LONG), {
    anything: true,
  })
  const world = worldTelling(hook.url)
  await tell(world)
  const most = Number(world.db.pragma('max_page_count', { simple: true }))
  fill(world)
  await expect(advance(world, { byMs: 10_000 })).rejects.toThrow(/full|rolled back/)
  expect([states(world), hook.received.length]).toEqual([['pending'], 2])
  world.db.pragma(`max_page_count = ${most}`)
  await advance(world, { byMs: 10_000 })
  expect([states(world), hook.received.length]).toEqual([['delivered'], 3])
})

const LONG = '€'.repeat(1_000)

/** Leaves no room for one more row. */
function fill({ db }: Environment): void {
  db.exec('CREATE TABLE ballast (filling BLOB)')
  db.pragma(`max_page_count = ${String(db.pragma('page_count', { simple: true }))}`)
  for (const bytes of [4_000, 100, 10, 1]) {
    try {
      while (true) db.prepare('INSERT INTO ballast VALUES (zeroblob(?))').run(bytes)
    } catch (error) {
      if ((error as { code?: string }).code !== 'SQLITE_FULL') throw error
    }
  }
}

test('a call that is held back for its attempts is answered although the database cannot be read', async () => {
  const hook = await startReceiver(never)
  const { worlds, call } = await startApi()
  const world = worlds.main
  await call({ method: 'PUT', target: '/api/partner/webhooks', body: { url: hook.url, secret: SECRET } })
  setSettings(world, { delivery: { ...PLAIN_DELIVERY, beforeResponse: true } })
  const root = '/api/partner/v1'
  const { json } = await call({ method: 'GET', target: `${root}/availability?domain=stalls-1.test` })
  const { domain, price_cents: expected_price, currency } = json
  const selling = call({
    method: 'POST',
    target: `${root}/orders`,
    body: { domain, expected_price, currency, buyer: { email: 'buyer@example.test' } },
    headers: { 'Idempotency-Key': randomUUID() },
  })
  await hook.has(1)
  breakReads(world)
  look(world)
  expect((await selling).status).toBe(201)
  mendReads(world)
})
