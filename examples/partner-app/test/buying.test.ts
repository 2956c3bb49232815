import { describe, expect } from 'vitest'
import type { Offer, Quote } from '../src/shop.ts'
import { test } from './open-shop.ts'

describe('a purchase', () => {
  test('goes from the search to the delivered domain', async ({ shop, world }) => {
    const [offer] = (await (await shop.get('/search?q=solar')).json()) as Offer[]
    const { id, publicId, status } = await shop.buy(offer?.domain ?? '')
    expect(status).toBe('EXTERNALLY_PAID')

    await world.orders.startTransfer(String(publicId))
    await world.orders.completeTransfer(String(publicId))
    const told = await world.waitFor('order.transfer_completed', { where: { public_id: String(publicId) } })
    await world.waitForDelivery({ eventId: told.id })
    await expect.poll(() => shop.purchases.find(id)?.status).toBe('TRANSFER_COMPLETED')
    expect(await (await shop.get(`/purchases/${id}/page`)).text()).toContain('The domain is yours.')
  })

  test('fails where the price has changed since the customer saw it', async ({ shop, world }) => {
    const [offer] = await shop.shop.search('solar')
    await world.domains.set(String(offer?.domain), { priceCents: Number(offer?.priceCents) + 100 })
    const purchase = await shop.post('/purchases', { ...offer, email: 'ada@example.test' })
    expect(purchase).toMatchObject({ status: 'failed', problem: 'price_mismatch', publicId: null })
    expect(await world.orders.all()).toEqual([])
  })

  test('has the quoted price for ten minutes, and no longer', async ({ shop, world }) => {
    const quote = await shop.post<Quote>('/quotes', { domain: 'stalls-1.test' })
    await world.domains.set('stalls-1.test', { priceCents: quote.priceCents + 100 })
    await world.clock.advance('9m59s')
    expect(await shop.buy('stalls-1.test', quote)).toMatchObject({ status: 'EXTERNALLY_PAID' })

    const late = await shop.post<Quote>('/quotes', { domain: 'stalls-2.test' })
    const { happened } = await world.clock.advance('10m30s')
    expect(happened.map(({ kind }) => kind)).toContain('quote.expired')
    expect(await shop.buy('stalls-2.test', late)).toMatchObject({ status: 'failed', problem: 'quote_expired' })
  })

  test('fails where another partner was faster', async ({ shop }) => {
    expect(await shop.buy('taken-1.test')).toMatchObject({ status: 'failed', problem: 'conflict' })
  })

  test('waits where the service holds the order, and says so', async ({ shop, world }) => {
    const { id, publicId } = await shop.buy('held-1.test')
    await world.waitForOrder(String(publicId), 'MANUAL_REVIEW')
    await world.orders.clear(String(publicId), { reason: 'the buyer is known' })
    const told = await world.waitFor('order.manual_review_cleared')
    await world.waitForDelivery({ eventId: told.id })
    await expect.poll(() => shop.purchases.find(id)?.status).toBe('EXTERNALLY_PAID')
  })

  test('is given back while the transfer has not completed', async ({ shop, world }) => {
    const { id, publicId } = await shop.buy('stalls-1.test')
    await world.orders.startTransfer(String(publicId))
    expect(await shop.post(`/purchases/${id}/refund`)).toMatchObject({ status: 'REFUNDED' })
    expect((await world.orders.show(String(publicId))).timeline.map(({ status }) => status)).toEqual([
      'EXTERNALLY_PAID',
      'TRANSFER_IN_PROGRESS',
      'REFUNDED',
    ])
    expect((await world.audit()).balanced).toBe(true)
  })
})
