import { describe, expect } from 'vitest'
import { test } from './open-shop.ts'

describe('a bad day', () => {
  test('a lost reply leads to one order, not two', async ({ shop, world }) => {
    const { publicId } = await shop.buy('lost-reply-1.test')
    const orders = await world.orders.all()
    expect(orders.map(({ public_id }) => public_id)).toEqual([publicId])
    expect(await world.requests.all({ endpoint: 'orders.create' })).toHaveLength(2)
  })

  test('a busy service is asked again when it said so', async ({ shop, world }) => {
    expect(await shop.buy('rate-limited-1.test')).toMatchObject({ status: 'EXTERNALLY_PAID' })
    expect(shop.pauses).toEqual([1_000])
    await world.waitForRequest({ endpoint: 'orders.create', status: 429 })
  })

  test('a failing service is asked again, with the same idempotency key', async ({ shop, world }) => {
    expect(await shop.buy('error-1.test')).toMatchObject({ status: 'EXTERNALLY_PAID' })
    const calls = await world.requests.all({ endpoint: 'orders.create' })
    expect(calls.map(({ status }) => status)).toEqual([201, 500])
    const keys = await Promise.all(calls.map(async ({ request_id }) => keyOf(await world.requests.show(request_id))))
    expect(new Set(keys).size).toBe(1)
  })

  test('what was under way when the shop went down is finished, and bought once', async ({ shop, world }) => {
    await world.faults.add({ match: { endpoint: 'orders.create' }, effect: { drop: 'after-commit' }, times: 4 })
    await shop.buy('stalls-1.test')
    expect(shop.purchases.open()).toHaveLength(1)
    await shop.shop.finishOpenPurchases()
    expect(shop.purchases.open()).toEqual([])
    expect(await world.orders.all()).toHaveLength(1)
  })

  test('a webhook that comes twice counts once', async ({ shop, world }) => {
    await world.deliveries.profile({ duplicate: 1 })
    const { publicId } = await shop.buy('stalls-1.test')
    const told = await world.waitFor('order.recorded', { where: { public_id: String(publicId) } })
    await world.waitForDelivery({ eventId: told.id, where: ({ copy }) => copy === 0 })
    await world.waitForDelivery({ eventId: told.id, where: ({ copy }) => copy === 1 })
    await expect.poll(() => world.requests.all({ endpoint: 'orders.detail' })).toHaveLength(1)
  })

  test('a webhook that is not signed changes nothing', async ({ shop, world }) => {
    const { publicId } = await shop.buy('stalls-1.test')
    // The valid webhook of the sale makes the shop look once; from here on it has no reason to.
    await world.waitForRequest({ endpoint: 'orders.detail' })
    await world.deliveries.profile({ wrongSecret: true })
    await world.orders.startTransfer(String(publicId))
    const told = await world.waitFor('order.transfer_started')
    const { attempts } = await world.waitForDelivery({
      ...{ eventId: told.id, state: 'pending' },
      where: ({ attempt_count: made }) => made > 0,
    })
    expect(attempts.map(({ status }) => status)).toEqual([401])
    expect(shop.purchases.findByOrder(String(publicId))?.status).toBe('EXTERNALLY_PAID')
  })
})

function keyOf({ request }: { request: { headers: [string, string][] } }): string | undefined {
  return request.headers.find(([name]) => name.toLowerCase() === 'idempotency-key')?.[1]
}
