import { describe, expect, it } from 'vitest'
import { metIn, rowIn } from '../../support/coverage.ts'
import { advanceBy, deliveriesOf, SECRET, settled, signatureOf, startTelling } from '../../support/hooks.ts'
import { startReceiver } from '../../support/receiver.ts'
import type { TestSandbox } from '../../support/sandbox.ts'

const FROZEN = { inventory: 0, frozen: true, clockMs: Date.parse('2026-03-01T00:00:00.000Z') }
const WORLD = '/v1/worlds/default'

/** A receiver that answers 200 to what is signed rightly. */
const verifying = () =>
  startReceiver(
    (response, { body, headers }) =>
      void response.writeHead(headers['x-partner-signature'] === signatureOf(body, SECRET) ? 200 : 401).end(),
    { anything: true },
  )

async function withDelivery(hook: { url: string }) {
  const sandbox = await startTelling(hook.url, FROZEN)
  await sandbox.sell()
  await settled(sandbox)
  const [delivery] = await deliveriesOf(sandbox)
  return { sandbox, id: delivery!.delivery_id }
}

const probe = (sandbox: TestSandbox, id: string, body: object = {}) =>
  sandbox.operate('POST', `${WORLD}/deliveries/${id}/probe`, body)

const state = async (sandbox: TestSandbox, id: string) => (await rowIn(sandbox, 'webhooks', id)).state

describe('a probe', () => {
  it('sends a delivery with one thing wrong, and says what the receiver made of it', async () => {
    const hook = await verifying()
    const { sandbox, id } = await withDelivery(hook)
    const before = await metIn(sandbox)
    const { status, json } = await probe(sandbox, id)
    expect(status).toBe(200)
    expect(json.probes).toEqual(
      ['signature', 'body', 'secret'].map((tampering) => ({
        tampering,
        verdict: 'refused',
        status: 401,
        failure: null,
      })),
    )
    expect(json).toMatchObject({ delivery_id: id, state: 'delivered', attempt_count: 4 })
    const [valid, signature, body, secret] = hook.received
    expect(signature!.text).toBe(valid!.text)
    expect(secret!.text).toBe(valid!.text)
    expect(body!.text).not.toBe(valid!.text)
    expect({ ...body!.json, id: valid!.json.id }).toEqual(valid!.json)
    expect(new Set(hook.received.map(({ headers }) => headers['x-partner-signature'])).size).toBe(3)
    expect((await metIn(sandbox)).filter((row) => !before.includes(row))).toEqual([
      'webhooks refused-signature',
      'webhooks refused-body',
      'webhooks refused-secret',
    ])
  })

  it('sends one kind where that is asked for, and refuses to know others', async () => {
    const { sandbox, id } = await withDelivery(await verifying())
    expect((await probe(sandbox, id, { tampering: 'body' })).json.probes).toHaveLength(1)
    expect((await probe(sandbox, id, { tampering: 'nothing' })).status).toBe(400)
    expect((await probe(sandbox, 'dlv_nope')).status).toBe(404)
    expect(await state(sandbox, 'refused-body')).toBe('met')
    expect(await state(sandbox, 'refused-signature')).toBe('not_met')
  })

  it('that a receiver takes for valid is wrong, and leaves the delivery as it was', async () => {
    const { sandbox, id } = await withDelivery(await startReceiver(undefined, { anything: true }))
    const { json } = await probe(sandbox, id, { tampering: 'secret' })
    expect(json.probes).toEqual([{ tampering: 'secret', verdict: 'accepted', status: 200, failure: null }])
    expect(await rowIn(sandbox, 'webhooks', 'refused-secret')).toMatchObject({
      state: 'wrong',
      says: 'the receiver accepted it',
    })
    expect((await rowIn(sandbox, 'events', 'order.recorded')).count).toBe(1)
  })

  it('of a receiver that refuses everything proves nothing', async () => {
    const refusing = await startReceiver((response) => void response.writeHead(403).end(), { anything: true })
    const { sandbox, id } = await withDelivery(refusing)
    await probe(sandbox, id)
    expect(await state(sandbox, 'accepted')).toBe('not_met')
    for (const kind of ['signature', 'body', 'secret']) expect(await state(sandbox, `refused-${kind}`)).toBe('partly')
    expect((await deliveriesOf(sandbox))[0]).toMatchObject({ state: 'pending', attempt_count: 4 })
  })

  it('that is answered with 500 proves nothing either', async () => {
    const broken = await startReceiver((response) => void response.writeHead(500).end(), { anything: true })
    const { sandbox, id } = await withDelivery(broken)
    expect((await probe(sandbox, id)).json.probes[0]).toMatchObject({ verdict: 'unclear', failure: 'answered 500' })
    expect(await state(sandbox, 'refused-body')).toBe('partly')
  })
})

describe('deliveries', () => {
  it('one that is accepted tells the client of its event and of the step', async () => {
    const { sandbox } = await withDelivery(await verifying())
    expect(await metIn(sandbox)).toEqual(expect.arrayContaining(['webhooks accepted', 'events order.recorded']))
    const { orders } = (await sandbox.operate('GET', `${WORLD}/orders`)).json
    await sandbox.operate('POST', `${WORLD}/orders/${orders[0].public_id}/start-transfer`, {})
    await settled(sandbox)
    expect(await metIn(sandbox)).toEqual(
      expect.arrayContaining(['orders TRANSFER_IN_PROGRESS', 'orders EXTERNALLY_PAID>TRANSFER_IN_PROGRESS']),
    )
  })

  it('one that is refused tells it nothing', async () => {
    const { sandbox } = await withDelivery(await startReceiver((response) => void response.writeHead(500).end()))
    expect(await rowIn(sandbox, 'events', 'order.recorded')).toMatchObject({ state: 'partly', happened: { count: 1 } })
  })

  it('the same event twice is met by two answers of 2xx', async () => {
    const hook = await verifying()
    const sandbox = await startTelling(hook.url, FROZEN)
    await sandbox.operate('PUT', `${WORLD}/delivery-profile`, { duplicate: 1 })
    await sandbox.sell()
    await settled(sandbox)
    expect(await rowIn(sandbox, 'webhooks', 'twice')).toMatchObject({ state: 'met', count: 1 })
  })

  it('a later attempt that is accepted is met by the schedule', async () => {
    const hook = await startReceiver((response, _received, n) => void response.writeHead(n === 1 ? 500 : 200).end())
    const { sandbox } = await withDelivery(hook)
    expect(await state(sandbox, 'later')).toBe('not_met')
    await advanceBy(sandbox, '10s')
    expect(await rowIn(sandbox, 'webhooks', 'later')).toMatchObject({
      state: 'met',
      first_at: '2026-03-01T00:00:10.000Z',
    })
    expect(await metIn(sandbox)).toContain('gaps retry-schedule')
  })
})
