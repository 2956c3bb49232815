import { expect, onTestFinished, test } from 'vitest'
import type { Slots } from '../../../../src/sandbox/kernel/world.ts'
import { createSlots } from '../../../../src/sandbox/webhooks/address-policy.ts'
import { advanceBy, deliveriesOf, register, settled, startTelling } from '../../../support/hooks.ts'
import { answers, never, startReceiver } from '../../../support/receiver.ts'

test('an endpoint that never answers does not hold up another one', { timeout: 30_000 }, async () => {
  const dead = await startReceiver(never)
  const live = await startReceiver()
  const sandbox = await startTelling(dead.url, { frozen: true })
  await register(sandbox, live.url, { as: 'other-partner' })
  for (let n = 0; n < 20; n++) await sandbox.sell()
  await dead.has(8)
  for (let n = 0; n < 5; n++) await sandbox.sell({ as: 'other-partner' })
  await live.has(5)
  // A ninth would have come had one of the first eight ended meanwhile.
  expect([dead.received.length, dead.mostOpen()]).toEqual([8, 8])
})

test('many attempts in flight at once are no reason for a warning', async () => {
  const warnings: Error[] = []
  const listen = (warning: Error) => warnings.push(warning)
  process.on('warning', listen)
  onTestFinished(() => void process.off('warning', listen))
  const dead = await startReceiver(never)
  const sandbox = await startTelling(dead.url, { frozen: true })
  await register(sandbox, dead.url, { as: 'other-partner' })
  await Promise.all(Array.from({ length: 20 }, (_, n) => sandbox.sell({ as: n % 2 ? 'main' : 'other-partner' })))
  await dead.has(16)
  expect(dead.mostOpen()).toBe(16)
  expect(warnings).toEqual([])
})

test('deliveries to one endpoint start in event order, one after the other', async () => {
  const hook = await startReceiver()
  const sandbox = await startTelling(hook.url, { frozen: true })
  await Promise.all(Array.from({ length: 25 }, () => sandbox.sell()))
  await settled(sandbox)
  const { events } = (await sandbox.call({ path: '/events?limit=200' })).json
  expect(hook.received.map(({ json }) => json.id)).toEqual(events.map(({ id }: { id: string }) => id))
  expect(hook.mostOpen()).toBe(1)
})

test('the next event starts although a slow attempt has not ended', async () => {
  const hook = await startReceiver((response, _received, n) => {
    if (n > 1) response.writeHead(200).end()
  })
  const sandbox = await startTelling(hook.url, { frozen: true })
  await sandbox.sell()
  await hook.has(1)
  await sandbox.sell()
  await hook.has(2)
  expect(hook.mostOpen()).toBe(2)
})

test('an event that fails does not hold up those after it', async () => {
  const hook = await startReceiver((response, _received, n) => answers(n === 1 ? 500 : 200)(response, _received, n))
  const sandbox = await startTelling(hook.url, { frozen: true })
  await sandbox.sell()
  await settled(sandbox)
  await sandbox.sell()
  await settled(sandbox)
  expect((await deliveriesOf(sandbox)).map(({ state }) => state)).toEqual(['pending', 'delivered'])
  await advanceBy(sandbox, '10s')
  expect((await deliveriesOf(sandbox)).map(({ state }) => state)).toEqual(['delivered', 'delivered'])
})

test('a receiver that fails now and then gets every event, and none that is not in the history', async () => {
  const hook = await startReceiver((response, _received, n) => {
    if (n % 3 === 0) response.socket?.destroy()
    else response.writeHead(n % 3 === 1 ? 503 : 200).end()
  })
  const sandbox = await startTelling(hook.url, { frozen: true })
  for (let n = 0; n < 10; n++) {
    await sandbox.sell()
    await advanceBy(sandbox, '7s')
  }
  await advanceBy(sandbox, '48h')
  const { events } = (await sandbox.call({ path: '/events?limit=200' })).json
  const told = new Set(hook.received.map(({ json }) => json.id))
  expect(told).toEqual(new Set(events.map(({ id }: { id: string }) => id)))
  expect((await deliveriesOf(sandbox)).every(({ state }) => state === 'delivered')).toBe(true)
})

function takeAll(slots: Slots, isFailing: boolean): number {
  let taken = 0
  while (slots.take(isFailing, () => {})) taken += 1
  return taken
}

test('endpoints that fail never hold more than half of the slots', () => {
  const slots = createSlots(64)
  expect(takeAll(slots, true)).toBe(32)
  expect(takeAll(slots, false)).toBe(32)
  slots.release()
  expect(slots.take(true, () => {})).toBe(false)
  expect(slots.take(false, () => {})).toBe(true)
})

test('whoever waits is told once when a slot is free', () => {
  const slots = createSlots(64)
  takeAll(slots, false)
  const told: string[] = []
  expect(slots.take(false, () => told.push('first'))).toBe(false)
  expect(slots.take(false, () => told.push('second'))).toBe(false)
  slots.release()
  expect(told).toEqual(['first', 'second'])
  slots.release()
  expect(told).toHaveLength(2)
})
