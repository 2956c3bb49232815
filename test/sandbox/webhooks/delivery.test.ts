import { expect, test } from 'vitest'
import { probeVerdict } from '../../../src/sandbox/webhooks/delivery.ts'
import { advanceBy, deliveriesOf, register, SECRET, settled, signatureOf, startTelling } from '../../support/hooks.ts'
import { accepts, answers, startReceiver } from '../../support/receiver.ts'
import { startSandbox } from '../../support/sandbox.ts'

const START = '2026-03-01T00:00:00.000Z'
const FROZEN = { frozen: true, clockMs: Date.parse(START) }

const after = (ms: number) => new Date(Date.parse(START) + ms).toISOString()

test('a delivery has its members in the order of the document, and names the partner whose order it is about', async () => {
  const hook = await startReceiver()
  const sandbox = await startTelling(hook.url, FROZEN)
  await sandbox.sell()
  const [delivery] = await hook.has(1)
  expect(Object.keys(delivery!.json)).toEqual(['id', 'type', 'created_at', 'partner_id', 'data'])
  expect(delivery!.json.partner_id).toBe(sandbox.credentials[0]?.partner_id)
  expect(delivery!.headers['content-type']).toBe('application/json')
})

test('without an endpoint nothing is delivered', async () => {
  const sandbox = await startSandbox(FROZEN)
  await sandbox.sell()
  expect(await deliveriesOf(sandbox)).toEqual([])
})

test('eight attempts are made in two days of world time, each at its own instant with the same bytes', async () => {
  const hook = await startReceiver(answers(500))
  const sandbox = await startTelling(hook.url, FROZEN)
  await sandbox.sell()
  const { json: receipt } = await advanceBy(sandbox, '48h')
  expect(hook.received).toHaveLength(8)
  expect(new Set(hook.received.map(({ text }) => text)).size).toBe(1)
  expect(new Set(hook.received.map(({ headers }) => headers['x-partner-signature']))).toEqual(
    new Set([signatureOf(hook.received[0]!.body)]),
  )
  const minute = 60_000
  const hour = 60 * minute
  const gaps = [0, 10_000, minute, 5 * minute, 30 * minute, 2 * hour, 8 * hour, 24 * hour]
  const instants = gaps.map((_, i) => after(gaps.slice(0, i + 1).reduce((sum, gap) => sum + gap, 0)))
  const [delivery] = await deliveriesOf(sandbox)
  expect(delivery).toMatchObject({ state: 'failed', attempt_count: 8, next_attempt_at: null })
  expect(delivery!.attempts.map(({ at }) => at)).toEqual(instants)
  expect(delivery!.attempts.every(({ status, failure }) => status === 500 && failure === 'answered 500')).toBe(true)
  const attempts = receipt.happened.filter(({ kind }: { kind: string }) => kind === 'delivery.attempt')
  expect(attempts.map(({ at }: { at: string }) => at)).toEqual(instants.slice(1))
  expect(attempts[0].id).toBe(delivery!.delivery_id)
  const { host } = new URL(hook.url)
  expect(attempts[0].summary).toBe(`order.recorded to ${host} failed: answered 500; next attempt in 1m`)
  expect(attempts.at(-1).summary).toBe(`order.recorded to ${host} failed for good: answered 500`)
  await advanceBy(sandbox, '30d')
  expect(hook.received).toHaveLength(8)
})

test('the steps of a jump do not change when attempts are made', async () => {
  const hook = await startReceiver(answers(503))
  const sandbox = await startTelling(hook.url, FROZEN)
  await sandbox.sell()
  const happened = []
  for (const by of ['9s', '1s', '59s', '1s', '4m', '10m', '1h', '1h', '20h', '30h']) {
    happened.push(...(await advanceBy(sandbox, by)).json.happened)
  }
  const attempts = happened.filter(({ kind }) => kind === 'delivery.attempt').map(({ at }) => Date.parse(at))
  const whole = [10, 70, 370, 2_170, 9_370, 38_170, 124_570].map((seconds) => Date.parse(START) + seconds * 1_000)
  expect(attempts).toEqual(whole)
})

test('a frozen clock keeps retries waiting; the clock shows them; until next makes one', async () => {
  const hook = await startReceiver((response, _received, n) => void response.writeHead(n < 3 ? 500 : 204).end())
  const sandbox = await startTelling(hook.url, FROZEN)
  await sandbox.sell()
  await settled(sandbox)
  expect((await sandbox.operate('GET', '/v1/worlds/default/clock')).json).toMatchObject({
    pending: 2, // the retry, and the idempotency key that will be forgotten
    next_due: after(10_000),
  })
  const next = () => sandbox.operate('POST', '/v1/worlds/default/clock/advance', { until: 'next' })
  expect((await next()).json).toMatchObject({ to: after(10_000), happened: [{ kind: 'delivery.attempt' }] })
  expect((await next()).json).toMatchObject({ to: after(70_000), happened: [{ kind: 'delivery.attempt' }] })
  expect(hook.received).toHaveLength(3)
  const [delivery] = await deliveriesOf(sandbox)
  expect(delivery).toMatchObject({ state: 'delivered', next_attempt_at: null })
  expect(delivery!.attempts.map(({ status }) => status)).toEqual([500, 500, 204])
})

test('a running clock makes its retries by itself', async () => {
  const hook = await startReceiver((response, _received, n) => void response.writeHead(n < 2 ? 500 : 200).end())
  const sandbox = await startTelling(hook.url)
  await sandbox.sell()
  await hook.has(1)
  await settled(sandbox)
  // To just before the retry; the rest is real time.
  const { next_due } = (await sandbox.operate('GET', '/v1/worlds/default/clock')).json
  await sandbox.operate('POST', '/v1/worlds/default/clock/advance', {
    to: new Date(Date.parse(next_due) - 200).toISOString(),
  })
  await hook.has(2)
  await settled(sandbox)
  expect((await deliveriesOf(sandbox))[0]).toMatchObject({ state: 'delivered', attempt_count: 2 })
})

test('a jump makes attempts between the other things that happen, the clock standing at each', async () => {
  const nows: string[] = []
  const hook = await startReceiver(async (response) => {
    nows.push((await sandbox.operate('GET', '/v1/worlds/default/clock')).json.now)
    response.writeHead(500).end()
  })
  const sandbox = await startTelling(hook.url, FROZEN)
  await sandbox.sell()
  const [listing] = await sandbox.forSale(1)
  await sandbox.call({ path: '/quotes', body: { domain: listing!.domain } })
  const { happened } = (await advanceBy(sandbox, '20m')).json
  expect(happened.map(({ kind, at }: { kind: string; at: string }) => [kind, at])).toEqual([
    ['delivery.attempt', after(10_000)],
    ['delivery.attempt', after(70_000)],
    ['delivery.attempt', after(370_000)],
    ['quote.expired', after(600_001)],
  ])
  expect(nows).toEqual([after(0), after(10_000), after(70_000), after(370_000)])
})

test('what a receiver does during a jump happens in it, at that instant', async () => {
  const hook = await startReceiver(async (response, { json }) => {
    if (json.type === 'order.transfer_started') {
      await sandbox.operate('POST', `/v1/worlds/default/orders/${json.data.order.public_id}/complete-transfer`, {})
    }
    response.writeHead(200).end()
  })
  const sandbox = await startSandbox(FROZEN)
  await sandbox.operate('PUT', '/v1/worlds/default/delivery-profile', { delay: '1h' })
  await register(sandbox, hook.url)
  const { json: order } = await sandbox.sell()
  await sandbox.operate('POST', `/v1/worlds/default/orders/${order.public_id}/start-transfer`, {})
  const { happened } = (await advanceBy(sandbox, '3h')).json
  expect(happened.map(({ kind, at }: { kind: string; at: string }) => [kind, at])).toEqual([
    ['event', after(3_600_000)],
    ['delivery.attempt', after(3_600_000)],
    ['delivery.attempt', after(3_600_000)],
    ['delivery.attempt', after(7_200_000)],
  ])
  expect(hook.received.map(({ json }) => json.type)).toEqual([
    'order.recorded',
    'order.transfer_started',
    'order.transfer_completed',
  ])
})

test('a replaced registration takes over what is still due, and the log shows where each attempt went', async () => {
  const old = await startReceiver(answers(500))
  const fresh = await startReceiver()
  const sandbox = await startTelling(old.url, FROZEN)
  await sandbox.sell()
  await settled(sandbox)
  await register(sandbox, fresh.url, { secret: 'another-secret-altogether' })
  await advanceBy(sandbox, '10s')
  expect([old.received.length, fresh.received.length]).toEqual([1, 1])
  expect(fresh.received[0]!.text).toBe(old.received[0]!.text)
  expect(old.received[0]!.headers['x-partner-signature']).toBe(signatureOf(old.received[0]!.body, SECRET))
  expect(fresh.received[0]!.headers['x-partner-signature']).toBe(
    signatureOf(fresh.received[0]!.body, 'another-secret-altogether'),
  )
  const [delivery] = await deliveriesOf(sandbox)
  expect(delivery!.attempts.map(({ url }) => url)).toEqual([old.url, fresh.url])
})

test('every event of a settlement run is delivered, in event order', async () => {
  const hook = await startReceiver(accepts)
  const sandbox = await startSandbox(FROZEN)
  for (let n = 0; n < 6; n++) {
    const { json } = await sandbox.sell()
    await sandbox.operate('POST', `/v1/worlds/default/orders/${json.public_id}/start-transfer`, {})
    await sandbox.operate('POST', `/v1/worlds/default/orders/${json.public_id}/complete-transfer`, {})
  }
  await register(sandbox, hook.url)
  await sandbox.operate('POST', '/v1/worlds/default/settlement-runs', {})
  await settled(sandbox)
  const { events } = (await sandbox.call({ path: '/events?limit=200' })).json
  const settledEvents = events.filter(({ type }: { type: string }) => type === 'order.settled')
  expect(settledEvents).toHaveLength(6)
  expect(hook.received.map(({ json }) => json.id)).toEqual(settledEvents.map(({ id }: { id: string }) => id))
})

test.each([
  [null, 'unclear'],
  [199, 'unclear'],
  [200, 'accepted'],
  [299, 'accepted'],
  [300, 'unclear'],
  [400, 'refused'],
  [499, 'refused'],
  [500, 'unclear'],
] as const)('a receiver that answers %s to a delivery which it should refuse: %s', (status, verdict) => {
  expect(probeVerdict(status)).toBe(verdict)
})
