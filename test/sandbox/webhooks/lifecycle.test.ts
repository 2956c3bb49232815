import { expect, test } from 'vitest'
import { advanceBy, deliveriesOf, register, settled, startTelling } from '../../support/hooks.ts'
import { answers, never, startReceiver } from '../../support/receiver.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const FROZEN = { frozen: true, clockMs: Date.parse('2026-03-01T00:00:00.000Z') }

test('what was in flight when the server stopped is sent again by the next one, byte for byte', async () => {
  let isAwake = false
  const hook = await startReceiver((response) => {
    if (isAwake) response.writeHead(200).end()
  })
  const folder = tempFolder()
  const first = await startTelling(hook.url, { ...FROZEN, dataDir: folder })
  await first.sell()
  await hook.has(1)
  await first.close()
  isAwake = true
  const second = await startSandbox({ ...FROZEN, dataDir: folder })
  await hook.has(2)
  await settled(second)
  expect(hook.received[1]!.text).toBe(hook.received[0]!.text)
  const [delivery] = await deliveriesOf(second)
  expect(delivery).toMatchObject({ state: 'delivered', attempt_count: 1 })
})

test('retries and profile go on after a restart where they were', async () => {
  const hook = await startReceiver(answers(500))
  const folder = tempFolder()
  const first = await startTelling(hook.url, { ...FROZEN, dataDir: folder })
  await first.operate('PUT', '/v1/worlds/default/delivery-profile', { duplicate: 1 })
  await first.sell()
  await advanceBy(first, '1h')
  const before = await deliveriesOf(first)
  await first.close()
  const second = await startSandbox({ dataDir: folder })
  expect(await deliveriesOf(second)).toEqual(before)
  expect((await second.operate('GET', '/v1/worlds/default/delivery-profile')).json.duplicate).toBe(1)
  await advanceBy(second, '47h')
  expect((await deliveriesOf(second)).map(({ state, attempt_count }) => [state, attempt_count])).toEqual([
    ['failed', 8],
    ['failed', 8],
  ])
})

test('a reset ends what is in flight and writes nothing of it into the new world', async () => {
  const hook = await startReceiver(never)
  const sandbox = await startTelling(hook.url, FROZEN)
  await sandbox.sell()
  await hook.has(1)
  expect((await sandbox.operate('POST', '/v1/worlds/default/reset', {})).status).toBe(200)
  const fresh = await startReceiver()
  await register(sandbox, fresh.url)
  await sandbox.sell()
  await settled(sandbox)
  const deliveries = await deliveriesOf(sandbox)
  expect(deliveries).toMatchObject([{ state: 'delivered', attempt_count: 1, attempts: [{ url: fresh.url }] }])
})

test('a world with an attempt in flight can be deleted, and a call held back for it is answered', async () => {
  const hook = await startReceiver(never)
  const sandbox = await startSandbox()
  const { json } = await sandbox.operate('POST', '/v1/worlds', { name: 'short', frozen: true })
  const main = json.credentials[0]
  const known = sandbox.credentials.find(({ name }) => name === 'main')!
  Object.assign(known, { key_id: main.key_id, secret: main.secret })
  await register(sandbox, hook.url)
  await sandbox.operate('PUT', '/v1/worlds/short/delivery-profile', { before_response: true })
  const selling = sandbox.sell()
  await hook.has(1)
  expect((await sandbox.operate('DELETE', '/v1/worlds/short')).status).toBe(204)
  expect((await selling).status).toBe(201)
  expect((await sandbox.operate('GET', '/v1/worlds/short/deliveries')).status).toBe(404)
})

test('a jump that waits for an attempt ends when the server is stopped', async () => {
  const hook = await startReceiver(never)
  const sandbox = await startTelling(hook.url, FROZEN)
  await sandbox.sell()
  await hook.has(1)
  const jumping = advanceBy(sandbox, '48h').then(
    ({ status }) => status,
    () => 'hung up',
  )
  // A second jump is refused as soon as the first is under way.
  while ((await sandbox.operate('POST', '/v1/worlds/default/reset', {})).status !== 409) await hook.has(1)
  await sandbox.close()
  // Had the attempt been waited for, the jump would have arrived.
  expect([409, 'hung up']).toContain(await jumping)
})

test('worlds deliver apart: a jump in one makes no attempt in another', async () => {
  const hook = await startReceiver(answers(500))
  const sandbox = await startTelling(hook.url, FROZEN)
  await sandbox.sell()
  await settled(sandbox)
  await sandbox.operate('POST', '/v1/worlds', { name: 'other', frozen: true })
  await advanceBy(sandbox, '48h', 'other')
  expect(hook.received).toHaveLength(1)
})

test('a running clock does not tick while a jump waits for an attempt', async () => {
  const sandbox = await startSandbox()
  const hook = await startReceiver(async (response, _received, n) => {
    // Some milliseconds of real time.
    for (let calls = 0; n === 2 && calls < 20; calls++) await sandbox.call({ path: '/events' })
    response.writeHead(500).end()
  })
  await register(sandbox, hook.url)
  await sandbox.sell()
  await hook.has(1)
  const { json } = await advanceBy(sandbox, '2m')
  expect(Date.parse(json.to) - Date.parse(json.from)).toBe(120_000)
  const [delivery] = await deliveriesOf(sandbox)
  const [first, second, third] = delivery!.attempts.map(({ at }) => Date.parse(at))
  expect([second! - first!, third! - second!]).toEqual([10_000, 60_000])
})
