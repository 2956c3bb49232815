import { expect, onTestFinished, test } from 'vitest'
import { wallClock } from '../../../src/clock/wall-clock.ts'
import { recordEvent } from '../../../src/sandbox/events/events.ts'
import { PLAIN_DELIVERY } from '../../../src/sandbox/kernel/settings.ts'
import { registerEndpoint } from '../../../src/sandbox/webhooks/endpoints.ts'
import { setSettings } from '../../../src/sandbox/worlds/settings.ts'
import { SECRET } from '../../support/hooks.ts'
import { accepts, startReceiver } from '../../support/receiver.ts'
import { castMember, testWorld } from '../../support/world.ts'

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
