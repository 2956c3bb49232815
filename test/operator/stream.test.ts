import { expect, test } from 'vitest'
import { register } from '../support/hooks.ts'
import { startReceiver } from '../support/receiver.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'
import { listen } from '../support/stream.ts'

const START = { clockMs: Date.UTC(2026, 0, 15, 12), frozen: true, inventory: 0 }
const WORLD = '/v1/worlds/default'

/** An order that goes on by itself where the world lets it. */
async function sellMoving(sandbox: TestSandbox, n: number) {
  const domain = `live-site-${n}.test`
  const { json } = await sandbox.call({ path: `/availability?domain=${domain}` })
  return sandbox.sell({ order: { domain, expected_price: json.price_cents } })
}

async function listed(sandbox: TestSandbox, what: 'events' | 'requests' | 'deliveries') {
  return (await sandbox.operate('GET', `${WORLD}/${what}?limit=100`)).json[what]
}

test('an order is told as the call, its event, its delivery and the attempt, each as the lists show it', async () => {
  const sandbox = await startSandbox(START)
  const hook = await startReceiver()
  await register(sandbox, hook.url)
  const live = await listen(sandbox)
  await sandbox.sell()
  await live.until(({ event, data }) => event === 'delivery' && data.state === 'delivered')
  const of = (name: string) => live.heard.filter(({ event }) => event === name).map(({ data }) => data)
  expect(of('event')).toEqual(await listed(sandbox, 'events'))
  expect(of('request')).toEqual((await listed(sandbox, 'requests')).reverse().slice(1))
  expect(of('delivery').map(({ state, attempt_count }) => [state, attempt_count])).toEqual([
    ['pending', 0],
    ['delivered', 1],
  ])
  expect(of('delivery').at(-1)).toEqual((await listed(sandbox, 'deliveries'))[0])
})

test('a call that was refused, and one that belongs to no world, is told without any secret', async () => {
  const sandbox = await startSandbox(START)
  const { secret } = sandbox.credentials[0]!
  const live = await listen(sandbox, '?only=request')
  await sandbox.call({ path: '/domains', signs: { secret: 'not-the-secret' } })
  await sandbox.call({ path: `/domains?q=${secret}` })
  await sandbox.call({ path: '/nowhere', headers: { 'X-Partner-Key-Id': 'pk_sandbox_unknown' } })
  const told = await live.has('request', 3)
  expect(told[0]!.data.code).toBe('invalid_signature')
  expect(told.map(({ data }) => data.status >= 400)).toEqual([true, true, true])
  expect(JSON.stringify(told)).not.toContain(secret)
})

test('only what is wanted is told, and what nobody knows is refused by name', async () => {
  const sandbox = await startSandbox(START)
  const live = await listen(sandbox, '?only=clock,event')
  await sandbox.sell()
  await sandbox.operate('POST', `${WORLD}/clock/advance`, { by: '1h' })
  await live.has('clock', 1)
  expect(new Set(live.heard.map(({ event }) => event))).toEqual(new Set(['clock', 'event']))
  const refused = await sandbox.operate('GET', `${WORLD}/stream?only=orders`)
  expect([refused.status, refused.json.detail]).toEqual([
    400,
    'only must name request, event, delivery, clock, act, with commas between them, not "orders"',
  ])
  expect((await sandbox.operate('GET', `${WORLD}/stream?after=evt_unknown`)).status).toBe(400)
  expect((await sandbox.operate('GET', '/v1/worlds/nowhere/stream')).status).toBe(404)
})

test('what an operator changes is reported to who asks for it, and to nobody else', async () => {
  const sandbox = await startSandbox()
  const { json: order } = await sandbox.sell()
  const asked = await listen(sandbox, '?only=act,clock')
  const usual = await listen(sandbox)
  await sandbox.operate('POST', `/v1/worlds/default/orders/${order.public_id}/hold`, { reason: 'looks odd' })
  await sandbox.operate('PUT', '/v1/worlds/default/clock', { mode: 'frozen' })
  await usual.has('clock', 1)
  const { json } = await sandbox.operate('GET', '/v1/worlds/default/acts')
  expect((await asked.has('act', 2)).map(({ data }) => data)).toEqual(json.acts)
  expect(usual.heard.filter(({ event }) => event === 'act')).toEqual([])
})

test('the guard stands before a stream as before everything', async () => {
  const sandbox = await startSandbox({ ...START, operatorToken: 'a-token-of-the-operator' })
  expect((await sandbox.operate('GET', `${WORLD}/stream`)).status).toBe(401)
})

test('an event that was undone is never told', async () => {
  const sandbox = await startSandbox(START)
  const live = await listen(sandbox, '?only=event')
  const { json: first } = await sandbox.sell()
  const tooEarly = `${WORLD}/orders/${first.public_id}/complete-transfer`
  expect((await sandbox.operate('POST', tooEarly, {})).status).toBe(409)
  await sandbox.sell()
  await live.has('event', 2)
  expect(live.heard.map(({ data }) => data)).toEqual(await listed(sandbox, 'events'))
})

test('after an event the history comes first and then what happens, with nothing missed and nothing twice', async () => {
  const sandbox = await startSandbox(START)
  await Promise.all(Array.from({ length: 110 }, () => sandbox.sell()))
  const [{ id: first }] = await listed(sandbox, 'events')
  const [live] = await Promise.all([
    listen(sandbox, `?only=event&after=${first}`),
    ...Array.from({ length: 20 }, () => sandbox.sell()),
  ])
  await Promise.all(Array.from({ length: 10 }, () => sandbox.sell()))
  await live.has('event', 139)
  const all = []
  for (let cursor: string | null = '0'; cursor !== null; ) {
    const { json } = await sandbox.operate('GET', `${WORLD}/events?limit=100&cursor=${cursor}`)
    all.push(...json.events)
    cursor = json.next_cursor
  }
  expect(live.heard.map(({ data }) => data)).toEqual(all.slice(1))
}, 30_000)

test('what happens in a jump is told as it happens, and the clock says when it is over', async () => {
  const sandbox = await startSandbox(START)
  await sandbox.operate('PUT', `${WORLD}/progress`, { start_after: '1h', complete_after: '1h' })
  await sellMoving(sandbox, 1)
  const live = await listen(sandbox, '?only=event,clock')
  await sandbox.operate('POST', `${WORLD}/clock/advance`, { by: '1d' })
  await live.has('event', 2)
  const clock = await live.until(({ event, data }) => event === 'clock' && data.advancing === null)
  expect(clock.data).toEqual((await sandbox.operate('GET', `${WORLD}/clock`)).json)
  expect(live.heard.filter(({ event }) => event === 'event').map(({ data }) => data.type)).toEqual([
    'order.transfer_started',
    'order.transfer_completed',
  ])
})

test('while a jump waits for a receiver, clock and stream say how far it has come', async () => {
  const sandbox = await startSandbox(START)
  let answer: () => void = () => {}
  const hook = await startReceiver((response) => {
    answer = () => void response.writeHead(200).end()
  })
  await sandbox.operate('PUT', `${WORLD}/delivery-profile`, { delay: '1h' })
  await register(sandbox, hook.url)
  await sandbox.sell()
  const live = await listen(sandbox, '?only=clock')
  const jump = sandbox.operate('POST', `${WORLD}/clock/advance`, { by: '1d' })
  const { data } = await live.until(({ data: { advancing } }) => advancing?.now === '2026-01-15T13:00:00.000Z')
  expect(data.advancing).toEqual({
    from: '2026-01-15T12:00:00.000Z',
    to: '2026-01-16T12:00:00.000Z',
    now: '2026-01-15T13:00:00.000Z',
    things_done: 0,
  })
  expect((await sandbox.operate('GET', `${WORLD}/clock`)).json.advancing).toEqual(data.advancing)
  await hook.has(1)
  answer()
  expect((await jump).json.counts).toEqual({ 'delivery.attempt': 1, 'idempotency.expired': 1 })
  await live.until(({ data: { advancing } }) => advancing === null)
})

test('a stream goes on over a reset and tells the new history from its beginning', async () => {
  const sandbox = await startSandbox(START)
  const live = await listen(sandbox, '?only=event,clock')
  await sandbox.sell()
  await live.has('event', 1)
  await sandbox.operate('POST', `${WORLD}/reset`, {})
  await live.has('clock', 1)
  await sandbox.sell()
  const told = await live.has('event', 2)
  expect(told[1]!.data).toEqual((await listed(sandbox, 'events'))[0])
})

test('a stream ends in good order when its world is deleted', async () => {
  const sandbox = await startSandbox(START)
  await sandbox.operate('POST', '/v1/worlds', { name: 'brief', inventory: 0 })
  const live = await listen(sandbox, '', 'brief')
  await sandbox.operate('DELETE', '/v1/worlds/brief')
  expect(await live.ended).toBe(true)
})

test('a server stops at once although streams are open, and ends them in good order', async () => {
  const sandbox = await startSandbox(START)
  const streams = await Promise.all([listen(sandbox), listen(sandbox), listen(sandbox)])
  await sandbox.close()
  expect(await Promise.all(streams.map(({ ended }) => ended))).toEqual([true, true, true])
})
