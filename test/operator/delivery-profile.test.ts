import { expect, test } from 'vitest'
import { cliAgainst } from '../cli/against.ts'
import { advanceBy, deliveriesOf, register, settled, signatureOf } from '../support/hooks.ts'
import { answers, startReceiver } from '../support/receiver.ts'
import { sandboxOfFile, startSandbox, type TestSandbox } from '../support/sandbox.ts'

const FROZEN = { frozen: true, clockMs: Date.parse('2026-03-01T00:00:00.000Z') }
/** For what is refused, or only read. */
const shared = sandboxOfFile(FROZEN)
const PROFILE = '/v1/worlds/default/delivery-profile'
const PLAIN = {
  duplicate: 0,
  reorder: false,
  delay: null,
  drop: false,
  wrong_secret: false,
  before_response: false,
}

async function misbehaving(profile: Record<string, unknown>, answerer = answers(200)) {
  const hook = await startReceiver(answerer)
  const sandbox = await startSandbox(FROZEN)
  await register(sandbox, hook.url)
  expect((await sandbox.operate('PUT', PROFILE, profile)).json).toEqual({ ...PLAIN, ...profile })
  return { hook, sandbox }
}

async function eventIds(sandbox: TestSandbox): Promise<string[]> {
  return (await sandbox.call({ path: '/events?limit=200' })).json.events.map(({ id }: { id: string }) => id)
}

test('a world delivers plainly until it is told otherwise; what is left out is plain again', async () => {
  const sandbox = await startSandbox(FROZEN)
  expect((await sandbox.operate('GET', PROFILE)).json).toEqual(PLAIN)
  await sandbox.operate('PUT', PROFILE, { duplicate: 5, delay: 'PT90S', drop: true })
  expect((await sandbox.operate('GET', PROFILE)).json).toEqual({ ...PLAIN, duplicate: 5, delay: '1m30s', drop: true })
  expect((await sandbox.operate('PUT', PROFILE, {})).json).toEqual(PLAIN)
})

test.each([
  { duplicate: 6 },
  { duplicate: -1 },
  { duplicate: 1.5 },
  { reorder: 'yes' },
  { delay: 'soon' },
  { delay: '0s' },
  { delay: '366d' },
  { delay: 10 },
  { drop: null },
  { wrong_secret: 1 },
  { lose: true },
])('the profile %j is refused', async (profile) => {
  const sandbox = shared
  expect((await sandbox.operate('PUT', PROFILE, profile)).status).toBe(400)
  expect((await sandbox.operate('GET', PROFILE)).json).toEqual(PLAIN)
})

test('duplicate sends extra copies of each delivery, all with the same bytes', async () => {
  const { hook, sandbox } = await misbehaving({ duplicate: 2 })
  await sandbox.sell()
  await sandbox.sell()
  await settled(sandbox)
  const [one, two] = await eventIds(sandbox)
  expect(hook.received.map(({ json }) => json.id)).toEqual([one, one, one, two, two, two])
  expect(new Set(hook.received.map(({ text }) => text)).size).toBe(2)
  expect((await deliveriesOf(sandbox)).map(({ copy }) => copy)).toEqual([0, 1, 2, 0, 1, 2])
})

test('delay makes the first attempt later in world time', async () => {
  const { hook, sandbox } = await misbehaving({ delay: '1h' })
  await sandbox.sell()
  await advanceBy(sandbox, '59m59s')
  expect(hook.received).toEqual([])
  const { happened } = (await advanceBy(sandbox, '1s')).json
  expect(happened).toMatchObject([{ at: '2026-03-01T01:00:00.000Z', kind: 'delivery.attempt' }])
  expect(hook.received[0]!.json.created_at).toBe('2026-03-01T00:00:00.000Z')
})

test('reorder sends later events first among those due together', async () => {
  const { hook, sandbox } = await misbehaving({ reorder: true, delay: '1s' })
  for (let n = 0; n < 5; n++) await sandbox.sell()
  await advanceBy(sandbox, '1s')
  expect(hook.received.map(({ json }) => json.id)).toEqual((await eventIds(sandbox)).reverse())
})

test('drop sends nothing; the history has the event, and an operator can still send it', async () => {
  const { hook, sandbox } = await misbehaving({ drop: true })
  await sandbox.sell()
  await advanceBy(sandbox, '48h')
  expect(hook.received).toEqual([])
  expect(await eventIds(sandbox)).toHaveLength(1)
  const [delivery] = await deliveriesOf(sandbox)
  expect(delivery).toMatchObject({ state: 'dropped', attempt_count: 0, next_attempt_at: null })
  await sandbox.operate('POST', `/v1/worlds/default/deliveries/${delivery!.delivery_id}/redeliver`, {})
  expect(hook.received.map(({ json }) => json.id)).toEqual(await eventIds(sandbox))
})

test('wrong_secret signs with a secret that was never registered', async () => {
  const { hook, sandbox } = await misbehaving({ wrong_secret: true })
  await sandbox.sell()
  await settled(sandbox)
  const [wrong] = hook.received
  expect(wrong!.headers['x-partner-signature']).toMatch(/^[0-9a-f]{64}$/)
  expect(wrong!.headers['x-partner-signature']).not.toBe(signatureOf(wrong!.body))
  await sandbox.operate('PUT', PROFILE, {})
  await sandbox.sell()
  await settled(sandbox)
  expect(hook.received[1]!.headers['x-partner-signature']).toBe(signatureOf(hook.received[1]!.body))
})

test('an attempt that was spoilt on purpose says so for ever, and a valid one that it was not', async () => {
  const { sandbox } = await misbehaving({ wrong_secret: true })
  await sandbox.sell()
  await settled(sandbox)
  await sandbox.operate('PUT', PROFILE, {})
  const log = '/v1/worlds/default/deliveries'
  const { delivery_id: id } = (await sandbox.operate('GET', log)).json.deliveries[0]
  const { json } = await sandbox.operate('POST', `${log}/${id}/redeliver`, {})
  expect(json.attempts.map((made: { signature_spoilt: boolean }) => made.signature_spoilt)).toEqual([true, false])
  const { ok } = cliAgainst(sandbox)
  const spoilt =
    /\nattempt (\d)\n {2}signature +[0-9a-f]{64} \(wrong on purpose: the delivery profile has wrong_secret\)\n/g
  expect([...(await ok('delivery', 'show', id)).matchAll(spoilt)].map(([, number]) => number)).toEqual(['1'])
})

test('before_response holds the answer of a call back until the hook has been answered', async () => {
  const order: string[] = []
  const { hook, sandbox } = await misbehaving({ before_response: true }, async (response) => {
    // The receiver may call us meanwhile.
    expect((await sandbox.call({ path: '/orders' })).json.orders).toHaveLength(1)
    order.push('hook answered')
    response.writeHead(200).end()
  })
  const { status } = await sandbox.sell()
  order.push('call answered')
  expect([status, hook.received.length, order]).toEqual([201, 1, ['hook answered', 'call answered']])
})

test('a reset keeps the profile and empties the outbox', async () => {
  const { hook, sandbox } = await misbehaving({ delay: '1h' })
  await sandbox.sell()
  await sandbox.operate('POST', '/v1/worlds/default/reset', {})
  expect((await sandbox.operate('GET', PROFILE)).json).toEqual({ ...PLAIN, delay: '1h' })
  await advanceBy(sandbox, '48h')
  expect([hook.received, await deliveriesOf(sandbox)]).toEqual([[], []])
})
