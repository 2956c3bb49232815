import { expect, test } from 'vitest'
import { deliveriesOf, register } from '../../support/hooks.ts'
import { never, startReceiver } from '../../support/receiver.ts'
import { startSandbox } from '../../support/sandbox.ts'

const PROFILE = '/v1/worlds/default/delivery-profile'

test('before_response waits for no delayed attempt, for no failing one longer than its time, and for no read', async () => {
  const hook = await startReceiver(never)
  const sandbox = await startSandbox({ frozen: true, clockMs: Date.parse('2026-03-01T00:00:00.000Z') })
  await register(sandbox, hook.url)
  await sandbox.operate('PUT', PROFILE, { before_response: true, delay: '1h' })
  expect((await sandbox.sell()).status).toBe(201)
  expect(hook.received).toEqual([])
  await sandbox.operate('PUT', PROFILE, { before_response: true })
  const selling = sandbox.sell()
  await hook.has(1)
  expect((await sandbox.call({ path: '/events' })).status).toBe(200)
  expect(hook.open()).toBe(1)
  expect((await selling).status).toBe(201)
  expect((await deliveriesOf(sandbox)).at(-1)?.attempts).toMatchObject([{ failure: 'no whole answer in 5 seconds' }])
})
