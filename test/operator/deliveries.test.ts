import { expect, test } from 'vitest'
import { advanceBy, deliveriesOf, register, SECRET, settled, signatureOf } from '../support/hooks.ts'
import { answers, startReceiver } from '../support/receiver.ts'
import { sandboxOfFile, startSandbox } from '../support/sandbox.ts'

const START_MS = Date.parse('2026-03-01T00:00:00.000Z')
const FROZEN = { frozen: true, clockMs: START_MS }
/** For what is refused, or only read. */
const shared = sandboxOfFile(FROZEN)
const LOG = '/v1/worlds/default/deliveries'

test('the log has each delivery with its exact body and every attempt', async () => {
  const hook = await startReceiver((response) => void response.writeHead(503).end('come back later'))
  const sandbox = await startSandbox(FROZEN)
  await register(sandbox, hook.url)
  const { json: order } = await sandbox.sell()
  await settled(sandbox)
  const { json: page } = await sandbox.operate('GET', LOG)
  const [event] = hook.received
  const shown = {
    delivery_id: page.deliveries[0].delivery_id,
    event_id: event!.json.id,
    type: 'order.recorded',
    about: order.public_id,
    domain: order.domain,
    partner_id: event!.json.partner_id,
    copy: 0,
    state: 'pending',
    attempt_count: 1,
    last_attempt: {
      number: 1,
      at: '2026-03-01T00:00:00.000Z',
      cause: 'schedule',
      probe: null,
      status: 503,
      failure: 'answered 503',
    },
    next_attempt_at: '2026-03-01T00:00:10.000Z',
    created_at: '2026-03-01T00:00:00.000Z',
  }
  expect(page).toEqual({ deliveries: [shown], next_cursor: null })
  expect(shown.delivery_id).toMatch(/^dlv_[0-9a-z]+$/)
  const { json: whole } = await sandbox.operate('GET', `${LOG}/${shown.delivery_id}`)
  const attempt = {
    number: 1,
    cause: 'schedule',
    at: '2026-03-01T00:00:00.000Z',
    url: hook.url,
    signature: signatureOf(event!.body),
    signature_spoilt: false,
    probe: null,
    status: 503,
    failure: 'answered 503',
    answer: 'come back later',
    took_ms: whole.attempts[0].took_ms,
  }
  expect(whole).toEqual({ ...shown, body: event!.text, traceparent: null, attempts: [attempt] })
})

test('the log is searched by the order or case and the domain that a delivery is about', async () => {
  const hook = await startReceiver()
  const sandbox = await startSandbox(FROZEN)
  await register(sandbox, hook.url)
  const { json: order } = await sandbox.sell()
  const { json: sold } = await sandbox.sell()
  const wanted = { tier: 'managed', buyer_email: 'b@example.test', budget: 500_000 }
  const { json: opened } = await sandbox.call({ path: '/brokerage', body: wanted })
  await sandbox.operate('POST', `/v1/worlds/default/brokerage/${opened.case_id}/close-deal`, { price_cents: 70_000 })
  await settled(sandbox)
  const about = async (q: string) =>
    (await sandbox.operate('GET', `${LOG}?q=${q}`)).json.deliveries.map(
      ({ about: id, domain }: { about: string; domain: string | null }) => [id, domain],
    )
  expect(await about(order.public_id)).toEqual([[order.public_id, order.domain]])
  expect(await about(sold.domain.toUpperCase())).toEqual([[sold.public_id, sold.domain]])
  expect(await about(opened.case_id)).toEqual([[opened.case_id, null]])
  expect(await about('nowhere')).toEqual([])
})

test('the registered address of each partner is listed, without its secret', async () => {
  const sandbox = await startSandbox(FROZEN)
  const hook = await startReceiver()
  const endpoints = () => sandbox.operate('GET', '/v1/worlds/default/webhook-endpoints')
  expect((await endpoints()).json).toEqual({ webhook_endpoints: [] })
  await register(sandbox, hook.url)
  const { partner_id } = sandbox.credentials.find(({ name }) => name === 'main')!
  const registered = { created_at: '2026-03-01T00:00:00.000Z', updated_at: '2026-03-01T00:00:00.000Z' }
  expect((await endpoints()).json).toEqual({ webhook_endpoints: [{ partner_id, url: hook.url, ...registered }] })
})

test('a secret that a receiver sends back is not shown', async () => {
  const sandbox = await startSandbox(FROZEN)
  const hook = await startReceiver(
    (response) => void response.writeHead(500).end(`${SECRET} ${sandbox.credentials[0]!.secret}`),
  )
  await register(sandbox, hook.url)
  await sandbox.sell()
  await settled(sandbox)
  expect((await deliveriesOf(sandbox))[0]!.attempts[0]!.answer).toBe('[redacted] [redacted]')
})

test('the log is paged newest first, and narrowed by state, partner, event and type alone and together', async () => {
  const hook = await startReceiver((response, { json }) =>
    answers(json.type === 'order.recorded' ? 200 : 500)(response, ...([] as unknown as [never, never])),
  )
  const sandbox = await startSandbox(FROZEN)
  await register(sandbox, hook.url)
  await register(sandbox, hook.url, { as: 'other-partner' })
  for (const as of ['main', 'main', 'other-partner']) {
    const { json } = await sandbox.sell({ as })
    await sandbox.operate('POST', `/v1/worlds/default/orders/${json.public_id}/start-transfer`, {})
  }
  await settled(sandbox)
  const all = (await sandbox.operate('GET', LOG)).json.deliveries
  expect(all).toHaveLength(6)
  const ids = async (query: string) =>
    (await sandbox.operate('GET', `${LOG}?${query}`)).json.deliveries.map(
      ({ delivery_id }: { delivery_id: string }) => delivery_id,
    )
  const partners = ['main', 'other-partner'].map(
    (name) => sandbox.credentials.find((credential) => credential.name === name)!.partner_id,
  )
  for (const state of [undefined, 'pending', 'delivered', 'failed', 'dropped']) {
    for (const partner_id of [undefined, ...partners, 'ptr_nobody']) {
      for (const type of [undefined, 'order.recorded', 'order.transfer_started', 'order.settled']) {
        for (const event_id of [undefined, all[1].event_id]) {
          const filter = Object.entries({ state, partner_id, type, event_id }).filter(
            ([, value]) => value !== undefined,
          )
          const expected = all.filter((row: Record<string, string>) =>
            filter.every(([name, value]) => row[name] === value),
          )
          const query = filter.map(([name, value]) => `${name}=${value}`).join('&')
          expect([query, await ids(query)]).toEqual([
            query,
            expected.map((row: { delivery_id: string }) => row.delivery_id),
          ])
        }
      }
    }
  }
  const first = (await sandbox.operate('GET', `${LOG}?limit=4`)).json
  const second = (await sandbox.operate('GET', `${LOG}?limit=4&cursor=${first.next_cursor}`)).json
  expect([...first.deliveries, ...second.deliveries]).toEqual(all)
  expect(second.next_cursor).toBeNull()
})

test.each(['state=lost', 'limit=0', 'limit=101', 'cursor=dlv_nowhere', 'type=order.lost', 'other=1'])(
  'a list with %s is refused',
  async (query) => {
    const sandbox = shared
    expect((await sandbox.operate('GET', `${LOG}?${query}`)).status).toBe(400)
  },
)

test('a redelivery goes at once to the endpoint registered now, with the same bytes, and delivers what was given up', async () => {
  const dead = await startReceiver(answers(500))
  const live = await startReceiver()
  const sandbox = await startSandbox(FROZEN)
  await register(sandbox, dead.url)
  await sandbox.sell()
  await advanceBy(sandbox, '48h')
  const [given] = await deliveriesOf(sandbox)
  expect(given!.state).toBe('failed')
  await register(sandbox, live.url)
  const { status, json } = await sandbox.operate('POST', `${LOG}/${given!.delivery_id}/redeliver`, {})
  expect([status, json.state, json.attempt_count]).toEqual([200, 'delivered', 9])
  expect(json.attempts.at(-1)).toMatchObject({ cause: 'operator', url: live.url, status: 200, failure: null })
  expect(live.received.map(({ text }) => text)).toEqual([dead.received[0]!.text])
  const again = await sandbox.operate('POST', `${LOG}/${given!.delivery_id}/redeliver`, {})
  expect([again.json.state, live.received.length]).toEqual(['delivered', 2])
})

test('a redelivery that fails leaves the schedule as it was', async () => {
  const hook = await startReceiver(answers(500))
  const sandbox = await startSandbox(FROZEN)
  await register(sandbox, hook.url)
  await sandbox.sell()
  await settled(sandbox)
  const [before] = await deliveriesOf(sandbox)
  const { json } = await sandbox.operate('POST', `${LOG}/${before!.delivery_id}/redeliver`, {})
  expect(json).toMatchObject({ state: 'pending', attempt_count: 2, next_attempt_at: before!.next_attempt_at })
  await advanceBy(sandbox, '48h')
  expect(hook.received).toHaveLength(9)
})

test('events are narrowed by partner and type', async () => {
  const sandbox = await startSandbox(FROZEN)
  const { json: order } = await sandbox.sell()
  await sandbox.sell({ as: 'other-partner' })
  await sandbox.operate('POST', `/v1/worlds/default/orders/${order.public_id}/start-transfer`, {})
  const types = async (query: string) =>
    (await sandbox.operate('GET', `/v1/worlds/default/events?${query}`)).json.events.map(
      ({ type }: { type: string }) => type,
    )
  const main = sandbox.credentials[0]!.partner_id
  expect(await types('')).toEqual(['order.recorded', 'order.recorded', 'order.transfer_started'])
  expect(await types(`partner_id=${main}`)).toEqual(['order.recorded', 'order.transfer_started'])
  expect(await types(`partner_id=${main}&type=order.recorded`)).toEqual(['order.recorded'])
  expect(await types('type=order.transfer_started')).toEqual(['order.transfer_started'])
  expect(await types('partner_id=ptr_nobody')).toEqual([])
  expect((await sandbox.operate('GET', '/v1/worlds/default/events?type=order.lost')).status).toBe(400)
})
