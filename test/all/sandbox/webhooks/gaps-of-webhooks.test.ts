import { expect, test } from 'vitest'
import { observed } from '../../../support/gap-values.ts'
import { advanceBy, deliveriesOf, register, settled } from '../../../support/hooks.ts'
import { answers, startReceiver } from '../../../support/receiver.ts'
import { sellHosted } from '../../../support/sales.ts'
import { startSandbox, type TestSandbox } from '../../../support/sandbox.ts'

const START_MS = Date.parse('2026-03-01T00:00:00.000Z')
const FROZEN = { frozen: true, clockMs: START_MS }
const HOUR_SECONDS = 3_600

const statesOf = async (sandbox: TestSandbox) => (await deliveriesOf(sandbox)).map(({ state }) => state)

const events = (sandbox: TestSandbox, query = '') => sandbox.call({ path: `/events${query}` })

observed(
  'retry-schedule',
  {
    '10s 1m 5m 30m 2h 8h 24h': [0, 10, 60, 300, 1_800, 2 * HOUR_SECONDS, 8 * HOUR_SECONDS, 24 * HOUR_SECONDS],
    '5s 5s 5s': [0, 5, 5, 5],
    '1h 6h 24h 24h 24h': [0, 1, 6, 24, 24, 24].map((hours) => hours * HOUR_SECONDS),
    never: [0],
  },
  async (sandbox) => {
    const hook = await startReceiver(answers(500))
    await register(sandbox, hook.url)
    await sandbox.sell()
    await settled(sandbox)
    await advanceBy(sandbox, '10d')
    const [delivery] = await deliveriesOf(sandbox)
    expect([delivery?.state, delivery?.next_attempt_at]).toEqual(['failed', null])
    const instants = [START_MS, ...(delivery?.attempts ?? []).map(({ at }) => Date.parse(at))]
    return instants.slice(1).map((atMs, i) => (atMs - (instants[i] as number)) / 1_000)
  },
  FROZEN,
)

observed(
  'webhook-secret-min-length',
  { 16: [400, 400, 200, 200], 20: [400, 400, 400, 200], none: [400, 200, 200, 200] },
  async (sandbox) => {
    const url = 'http://127.0.0.1:9/hook'
    const found = []
    for (const length of [0, 1, 16, 20]) {
      found.push(
        await sandbox.call({ method: 'PUT', path: '/api/partner/webhooks', body: { url, secret: 's'.repeat(length) } }),
      )
    }
    return found.map(({ status }) => status)
  },
)

observed(
  'delivered-by',
  { 'any 2xx': ['delivered', 'delivered', 'pending'], 'only 200': ['delivered', 'pending', 'pending'] },
  async (sandbox) => {
    const seen = []
    for (const status of [200, 204, 302]) {
      const hook = await startReceiver(answers(status))
      await register(sandbox, hook.url)
      await sandbox.sell()
      await settled(sandbox)
      seen.push((await statesOf(sandbox)).at(-1))
    }
    return seen
  },
  FROZEN,
)

observed(
  'webhook-url-refusal',
  { validation_error: [400, 'validation_error', 400], forbidden: [403, 'forbidden', 400] },
  async (sandbox) => {
    const { status, json } = await register(sandbox, 'http://192.0.2.1/hook')
    return [status, json.code, (await register(sandbox, 'no url')).status]
  },
)

/** Domains of the deliveries in the order in which they came, where the first attempt of the first one fails. */
async function arrivals(sandbox: TestSandbox): Promise<number[]> {
  const hook = await startReceiver((response, _received, n) => void response.writeHead(n === 1 ? 500 : 200).end())
  await register(sandbox, hook.url)
  const sold: string[] = []
  for (let n = 0; n < 3; n++) {
    sold.push((await sandbox.sell()).json.public_id)
    await settled(sandbox)
  }
  await advanceBy(sandbox, '1h')
  return hook.received.map(({ json }) => sold.indexOf(json.data.order.public_id))
}

observed(
  'delivery-order',
  { no: [0, 1, 2, 0], yes: [0, 0, 1, 2], 'no order is kept': [0, 1, 2, 0] },
  (sandbox) => arrivals(sandbox),
  FROZEN,
)

test('where no order is kept, the latest of several that are due is told first', async () => {
  const sandbox = await startSandbox({ ...FROZEN, gaps: { 'delivery-order': 'no order is kept' } })
  const hook = await startReceiver()
  await register(sandbox, hook.url)
  await sandbox.operate('PUT', '/v1/worlds/default/delivery-profile', { delay: '1m' })
  const sold: string[] = []
  for (let n = 0; n < 3; n++) sold.push((await sandbox.sell()).json.public_id)
  await advanceBy(sandbox, '1m')
  expect(hook.received.map(({ json }) => sold.indexOf(json.data.order.public_id))).toEqual([2, 1, 0])
})

test('what is held up goes at once to the endpoint that replaces the failing one', async () => {
  const sandbox = await startSandbox({ ...FROZEN, gaps: { 'delivery-order': 'yes' } })
  const failing = await startReceiver(answers(500))
  await register(sandbox, failing.url)
  for (let n = 0; n < 3; n++) {
    await sandbox.sell()
    await settled(sandbox)
  }
  expect(failing.received).toHaveLength(1)
  const valid = await startReceiver()
  await register(sandbox, valid.url)
  await settled(sandbox)
  expect(valid.received).toHaveLength(3)
  expect(await statesOf(sandbox)).toEqual(['delivered', 'delivered', 'delivered'])
})

observed(
  'unknown-after-id',
  {
    validation_error: [400, 'validation_error'],
    not_found: [404, 'not_found'],
    'an empty page': [200, { events: [], next_cursor: null }],
  },
  async (sandbox) => {
    const foreign = (await sandbox.sell({ as: 'other-partner' })).json.timeline[0].event_id
    const answersTo = await Promise.all(['evt_unknown', foreign].map((id) => events(sandbox, `?after_id=${id}`)))
    const [unknown, other] = answersTo.map(({ status, json }) => [status, json.code ?? json])
    expect(other).toEqual(unknown)
    return unknown
  },
)

observed(
  'events-limits',
  {
    '1 to 200, 50 by default': [200, 400, 50],
    '1 to 100, 20 by default': [400, 400, 20],
    '1 to 1000, 100 by default': [200, 200, 51],
  },
  async (sandbox) => {
    await Promise.all(Array.from({ length: 51 }, () => sandbox.sell()))
    const usual = (await events(sandbox)).json.events.length
    const limits = await Promise.all([200, 201].map((limit) => events(sandbox, `?limit=${limit}`)))
    return [...limits.map(({ status }) => status), usual]
  },
)

observed(
  'events-limit-outside',
  { validation_error: [400, 400, 400], 'the nearest bound': [1, 2, 400] },
  async (sandbox) => {
    await sandbox.sell()
    await sandbox.sell()
    const found = await Promise.all(['0', '9999', 'many'].map((limit) => events(sandbox, `?limit=${limit}`)))
    return found.map(({ status, json }) => (status === 200 ? json.events.length : status))
  },
)

observed(
  'last-page-cursor',
  { none: ['null', 'null'], 'the last event': ['the last event', 'null'] },
  async (sandbox) => {
    await sandbox.sell()
    const { json: page } = await events(sandbox)
    const { json: beyond } = await events(sandbox, `?after_id=${page.events[0].id}`)
    const named = (cursor: unknown) => (cursor === page.events.at(-1).id ? 'the last event' : String(cursor))
    return [named(page.next_cursor), named(beyond.next_cursor)]
  },
)

observed(
  'transfer-events',
  {
    none: ['order.transfer_started'],
    'transfer.started and transfer.completed': ['order.transfer_started', 'transfer.started'],
  },
  async (sandbox) => {
    const hook = await startReceiver()
    await register(sandbox, hook.url)
    await sellHosted(sandbox)
    await settled(sandbox)
    expect(hook.received.map(({ json }) => json.type)).toEqual(['order.transfer_started'])
    const { json } = await events(sandbox)
    return json.events.map(({ type }: { type: string }) => type)
  },
)
