import { expect, onTestFinished, test } from 'vitest'
import { wallClock } from '../../../../src/clock/wall-clock.ts'
import { RULES } from '../../../../src/contract/rules.ts'
import type { Environment } from '../../../../src/sandbox/app/environment.ts'
import { recordEvent } from '../../../../src/sandbox/events/events.ts'
import { PLAIN_DELIVERY } from '../../../../src/sandbox/kernel/settings.ts'
import { listDeliveries } from '../../../../src/sandbox/webhooks/deliveries.ts'
import { registerEndpoint } from '../../../../src/sandbox/webhooks/endpoints.ts'
import { advance } from '../../../../src/sandbox/worlds/advance.ts'
import { setSettings } from '../../../../src/sandbox/worlds/world-facts.ts'
import { SECRET } from '../../../support/hooks.ts'
import { accepts, answers, never, type Receiver, startReceiver } from '../../../support/receiver.ts'
import { castMember, testWorld } from '../../../support/world.ts'

const NOT_TRIED = 'not tried: the receiver did not answer 2 attempts in a row during this jump of the clock'
const HOUR_MS = 3_600_000

/** A world whose receiver has so long for an answer, with one event to be told. */
function worldTelling({ url }: Receiver): Environment {
  const deadlineMs = 1_000 // So long that an attempt reaches its receiver on a busy machine, too.
  const world = testWorld({ rules: { ...RULES, webhooks: { ...RULES.webhooks, deadlineMs } } })
  onTestFinished(() => {
    world.deliverer.end()
    world.db.close()
  })
  const { partnerId } = castMember(world, 'main')
  world.commits.commitNow(() => {
    registerEndpoint(world, castMember(world, 'main'), { url, secret: SECRET })
    recordEvent(world, { partnerId, type: 'order.recorded', data: { order: {} } })
  })
  return world
}

const lastOf = (world: Environment) => listDeliveries(world, { limit: 1 }).rows[0]

test('a receiver that never answers is tried twice in a jump, and its further attempts fail at once', async () => {
  const hook = await startReceiver(never, { anything: true })
  const world = worldTelling(hook)
  await hook.has(1)
  await advance(world, { byMs: 48 * HOUR_MS })
  expect(hook.received).toHaveLength(3)
  expect(lastOf(world)).toMatchObject({ state: 'failed', attempts: 8, last: { failure: NOT_TRIED } })
})

test('the next jump tries it again', async () => {
  const hook = await startReceiver((response, received, n) => (n > 3 ? accepts : never)(response, received, n), {
    anything: true,
  })
  const world = worldTelling(hook)
  await hook.has(1)
  await advance(world, { byMs: HOUR_MS })
  expect(lastOf(world)).toMatchObject({ state: 'pending', last: { failure: NOT_TRIED } })
  await advance(world, { byMs: 8 * HOUR_MS })
  expect(lastOf(world)).toMatchObject({ state: 'delivered', last: { status: 200 } })
})

test('a receiver that refuses, or answers now and then, is tried every time', async () => {
  const hook = await startReceiver((response, received, n) => (n % 2 ? never : answers(503))(response, received, n), {
    anything: true,
  })
  const world = worldTelling(hook)
  await hook.has(1)
  await advance(world, { byMs: 48 * HOUR_MS })
  expect(hook.received).toHaveLength(8)
})

test('in a world whose clock runs a delayed delivery is made in its time, without another call', async () => {
  const hook = await startReceiver(accepts, { anything: true })
  const world = testWorld({ wall: wallClock, clockMs: null, frozen: false })
  onTestFinished(() => {
    world.scheduler.end()
    world.deliverer.end()
    world.db.close()
  })
  const main = castMember(world, 'main')
  world.commits.commitNow(() => registerEndpoint(world, main, { url: hook.url, secret: SECRET }))
  setSettings(world, { delivery: { ...PLAIN_DELIVERY, delayMs: 50 } })
  // It has looked at the empty outbox, and sees no reason to look again.
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  world.commits.commitNow(() =>
    recordEvent(world, { partnerId: main.partnerId, type: 'order.recorded', data: { order: {} } }),
  )
  await hook.has(1)
  expect(hook.received).toHaveLength(1)
})
