import { describe, expect, it } from 'vitest'
import {
  type DeliveryAttempt,
  type DeliveryProfile,
  type PartnerEvent,
  type RegisteredEndpoint,
  WaitTimeout,
  type WholeDelivery,
} from '../../src/index.ts'
import { USUAL_TIMEOUT_MS } from '../../src/library/wait.ts'
import { startReceiver } from '../support/receiver.ts'
import { buy, shareSandbox } from './support.ts'

const openWorld = shareSandbox()

describe('waiting for an event', () => {
  it('finds what has happened already', async () => {
    const world = await openWorld()
    const publicId = await buy(world, 'stalls-1.test')
    const event = await world.waitFor('order.recorded', { timeoutMs: 0 })
    expect(event.data.order.public_id).toBe(publicId)
  })

  it('comes back when it happens', async () => {
    const world = await openWorld()
    const waiting = world.waitFor('order.recorded', { where: { domain: 'stalls-2.test' } })
    await buy(world, 'stalls-1.test')
    const publicId = await buy(world, 'stalls-2.test')
    expect((await waiting).data.order.public_id).toBe(publicId)
  })

  it('goes on after an event that is known', async () => {
    const world = await openWorld()
    for (const n of [1, 2]) await buy(world, `stalls-${n}.test`)
    const first = await world.waitFor('order.recorded')
    const second = await world.waitFor('order.recorded', { after: first })
    expect([first, second].map(({ data }) => data.order.domain)).toEqual(['stalls-1.test', 'stalls-2.test'])
    expect(await world.waitFor('order.recorded', { after: first.id })).toEqual(second)
    await expect(world.waitFor('order.recorded', { after: 'evt_nowhere' })).rejects.toThrow('no event with the id')
  })

  it('finds what comes while the message of its failure is made', async () => {
    const world = await openWorld()
    await buy(world, 'stalls-1.test')
    let looks = 0
    const event = await world.waitFor(() => looks++ > 0, { timeoutMs: 0 })
    expect([event.type, looks]).toEqual(['order.recorded', 2])
  })

  it('asks a predicate', async () => {
    const world = await openWorld()
    const publicId = await buy(world, 'stalls-1.test')
    const waiting = world.waitFor((event) => event.type.startsWith('order.transfer'))
    await world.orders.startTransfer(publicId)
    expect((await waiting).type).toBe('order.transfer_started')
  })

  it('misses none of a hundred that come while it waits', async () => {
    const world = await openWorld()
    const numbers = Array.from({ length: 100 }, (_, n) => n + 1)
    const waits = numbers.map((n) => world.waitFor('order.recorded', { where: { domain: `stalls-${n}.test` } }))
    await Promise.all(numbers.map((n) => buy(world, `stalls-${n}.test`)))
    const events = await Promise.all(waits)
    expect(new Set(events.map(({ id }) => id)).size).toBe(100)
  })

  it('reads on where the history is long', async () => {
    const world = await openWorld()
    for (let n = 1; n <= 201; n++) await buy(world, `stalls-${n}.test`)
    expect((await world.waitFor('order.recorded', { where: { domain: 'stalls-201.test' } })).type).toBe(
      'order.recorded',
    )
  })
})

describe('what did not come', () => {
  it('is told with what did happen, and with the calls that were refused', async () => {
    const world = await openWorld()
    const publicId = await buy(world, 'stalls-1.test')
    const { requestId } = await world.as('only-search').call('POST', '/quotes', { domain: 'stalls-2.test' })
    const error = await world
      .waitFor('order.settled', { where: { public_id: publicId }, timeoutMs: 50 })
      .catch((e) => e)
    expect(error).toBeInstanceOf(WaitTimeout)
    expect(error.message).toContain(`waited 50 ms for order.settled with public_id ${publicId}, but it did not happen`)
    expect(error.message).toContain(`order.recorded of ${publicId}`)
    expect(error.message).toMatch(/refused: POST \/api\/partner\/v1\/quotes as only-search got 403 forbidden: .+buy/)
    expect(error.message).toContain(requestId)
  })

  it('in a frozen world is told to need time', async () => {
    const world = await openWorld({ progress: { startAfter: '10m' }, clock: '2026-01-15T12:00:00Z' })
    const publicId = await buy(world, 'taken-7.test').catch(() => buy(world, 'held-9.test'))
    await world.orders.clear(publicId)
    const { message } = await world.waitFor('order.transfer_started', { timeoutMs: 50 }).catch((e) => e)
    expect(message).toContain('its clock is frozen at 2026-01-15T12:00:00.000Z')
    expect(message).toContain('advance it')
    await world.clock.advance('10m')
    await world.waitFor('order.transfer_started', { timeoutMs: 0 })
  })

  it('in a world without events is told plainly', async () => {
    const world = await openWorld()
    await expect(world.waitFor('order.refunded', { timeoutMs: 1 })).rejects.toThrow('this world has no events')
  })

  it('in a world that nobody called is told so', async () => {
    const world = await openWorld()
    const error = await world.waitFor('order.refunded', { timeoutMs: 1 }).catch((thrown) => thrown)
    expect(error.message).toContain('no call used a key of this world')
    await world.call('GET', '/orders')
    const later = await world.waitFor('order.refunded', { timeoutMs: 1 }).catch((thrown) => thrown)
    expect(later.message).not.toContain('no call used a key of this world')
  })

  it('cannot come if its name is unknown, which is refused at once with the name that was meant', async () => {
    const world = await openWorld()
    const event = world.waitFor('order.setled' as 'order.settled')
    await expect(event).rejects.toThrow(
      new TypeError('unknown event type "order.setled"; did you mean "order.settled"?'),
    )
    const order = world.waitForOrder('ord_1', ['REFUNDED', 'SETTELD' as 'SETTLED'])
    await expect(order).rejects.toThrow(new TypeError('unknown order state "SETTELD"; did you mean "SETTLED"?'))
    const none = world.waitForOrder('ord_1', undefined as unknown as 'SETTLED')
    await expect(none).rejects.toThrow('unknown order state undefined; there are EXTERNALLY_PAID, ')
  })

  it('is told before vitest or jest ends the test', () => {
    expect(USUAL_TIMEOUT_MS).toBeLessThan(5_000)
  })

  it('of a delivery says what came of those that there are', async () => {
    const world = await openWorld()
    const unregistered = world.waitForDelivery({ timeoutMs: 1 })
    await expect(unregistered).rejects.toThrow('was a webhook endpoint registered before?')
    await world.call('PUT', '/api/partner/webhooks', { url: 'http://127.0.0.1:1/hooks', secret: 'a-secret-of-sixteen' })
    await buy(world, 'stalls-1.test')
    await world.waitForDelivery({ state: 'pending', where: ({ attempt_count: made }) => made === 1 })
    await expect(world.waitForDelivery({ timeoutMs: 1 })).rejects.toThrow(
      /order\.recorded is pending, attempt 1 at http:\/\/127\.0\.0\.1:1\/hooks: \S+/,
    )
  })

  it('of a call says which came', async () => {
    const world = await openWorld()
    await world.call('GET', '/orders')
    const waiting = world.waitForRequest({ endpoint: 'quotes.create', timeoutMs: 1 })
    await expect(waiting).rejects.toThrow('calls, newest first: GET /api/partner/v1/orders 200')
  })

  it('of an order says how it is', async () => {
    const world = await openWorld()
    const publicId = await buy(world, 'held-1.test')
    const waiting = world.waitForOrder(publicId, ['SETTLED', 'REFUNDED'], { timeoutMs: 50 })
    await expect(waiting).rejects.toThrow('it is MANUAL_REVIEW and allows clear, refund, cancel')
    await expect(world.waitForOrder('ord_none', 'SETTLED', { timeoutMs: 1 })).rejects.toThrow('no such order')
  })

  it('of a deleted world says so at once', async () => {
    const world = await openWorld()
    const waiting = world.waitFor('order.recorded', { timeoutMs: 4_000 })
    await world.delete()
    await expect(waiting).rejects.toMatchObject({ name: 'SandboxRefusal', status: 404 })
  })
})

describe('waiting for more than events', () => {
  it('sees an order through steps that no event tells', async () => {
    const world = await openWorld()
    const publicId = await buy(world, 'stalls-1.test')
    const waiting = world.waitForOrder(publicId, 'MANUAL_REVIEW')
    await world.orders.hold(publicId)
    expect((await waiting).public_id).toBe(publicId)
  })

  it('sees deliveries and their copies', async () => {
    const world = await openWorld()
    const receiver = await startReceiver()
    await world.call('PUT', '/api/partner/webhooks', { url: receiver.url, secret: 'a-secret-of-sixteen' })
    await world.deliveries.profile({ duplicate: 1 })
    await buy(world, 'stalls-1.test')
    const event: PartnerEvent = await world.waitFor('order.recorded')
    const first: WholeDelivery = await world.waitForDelivery({ eventId: event.id })
    expect(first.attempts.map(({ status }: DeliveryAttempt) => status)).toEqual([200])
    const copy = await world.waitForDelivery({ type: 'order.recorded', where: ({ copy }) => copy === 1 })
    expect(copy.body).toBe(first.body)
    expect((await world.deliveries.redeliver(copy.delivery_id)).attempts).toHaveLength(2)
    const { probes } = await world.deliveries.probe(copy.delivery_id, 'body')
    expect(probes).toEqual([{ tampering: 'body', verdict: 'accepted', status: 200, failure: null }])
    const profile: DeliveryProfile = await world.deliveries.profile()
    expect(profile).toMatchObject({ duplicate: 1, drop: false })
    const endpoints: RegisteredEndpoint[] = await world.deliveries.endpoints()
    expect(endpoints.map(({ url }) => url)).toEqual([receiver.url])
    await expect(world.waitForDelivery({ state: 'failed', timeoutMs: 20 })).rejects.toThrow(
      'a delivery with state failed',
    )
  })

  it('sees calls', async () => {
    const world = await openWorld()
    const waiting = world.waitForRequest({ endpoint: 'orders.create', status: 201 })
    await buy(world, 'stalls-1.test')
    expect((await waiting).credential).toBe('main')
    const target = await world.waitForRequest({ where: ({ method }) => method === 'POST' })
    expect(target.endpoint).toBe('orders.create')
  })
})
