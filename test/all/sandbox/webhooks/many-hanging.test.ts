import { expect, onTestFinished, test } from 'vitest'
import { RULES } from '../../../../src/contract/rules.ts'
import { NO_DEFECT_HOOKS } from '../../../../src/sandbox/app/defect-hooks.ts'
import type { Environment } from '../../../../src/sandbox/app/environment.ts'
import { recordEvent } from '../../../../src/sandbox/events/events.ts'
import { randomKeys } from '../../../../src/sandbox/kernel/credentials.ts'
import type { Credential, Outbound } from '../../../../src/sandbox/kernel/world.ts'
import { createOutbound } from '../../../../src/sandbox/webhooks/address-policy.ts'
import { registerEndpoint } from '../../../../src/sandbox/webhooks/endpoints.ts'
import { createWorld } from '../../../../src/sandbox/worlds/open-world.ts'
import { never, startReceiver } from '../../../support/receiver.ts'
import { castMember, setWall, TEST_NOW_MS } from '../../../support/world.ts'

/** Longer than any test: no attempt of this file ends by its deadline. */
const rules = { ...RULES, webhooks: { ...RULES.webhooks, deadlineMs: 600_000 } }

/** One of the worlds of one server, with its two partners. */
function worldOfServer(outbound: Outbound): Environment {
  const options = { seed: 'many', inventory: 0, clockMs: TEST_NOW_MS, frozen: true, rateLimit: null }
  const around = { wall: setWall(), rules, hooks: NO_DEFECT_HOOKS, publicUrl: () => 'http://127.0.0.1', outbound }
  const world = createWorld('many', null, options, randomKeys, around)
  onTestFinished(() => world.deliverer.end())
  return world
}

function tell(world: Environment, { partnerId }: Credential, count: number): void {
  const data = { order: {} }
  world.commits.commitNow(() => {
    for (let n = 0; n < count; n++) recordEvent(world, { partnerId, type: 'order.recorded', data })
  })
}

test('a hook to a healthy endpoint arrives while those to a hundred that never answer are all in flight', async () => {
  const hanging = await startReceiver(never, { anything: true })
  const healthy = await startReceiver(undefined, { anything: true })
  const outbound = createOutbound()
  for (let n = 0; n < 50; n++) {
    const world = worldOfServer(outbound)
    for (const name of ['main', 'other-partner']) {
      const partner = castMember(world, name)
      world.commits.commitNow(() =>
        registerEndpoint(world, partner, { url: hanging.url, secret: 'sixteen-characters' }),
      )
      tell(world, partner, 8)
    }
  }
  // One for each endpoint and all that they share: nothing more goes out until one of them ends.
  await hanging.has(100 + 256)
  const world = worldOfServer(outbound)
  const partner = castMember(world, 'main')
  world.commits.commitNow(() => registerEndpoint(world, partner, { url: healthy.url, secret: 'sixteen-characters' }))
  tell(world, partner, 3)
  await healthy.has(3)
  expect(hanging.open()).toBe(100 + 256)
  expect(hanging.received).toHaveLength(100 + 256)
})
