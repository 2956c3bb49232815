import { expect, test } from 'vitest'
import { ORDER_STATES } from '../../../src/contract/order-states.ts'
import type { Environment } from '../../../src/sandbox/app/environment.ts'
import { casesByState } from '../../../src/sandbox/brokerage/cases.ts'
import { sessionsByState } from '../../../src/sandbox/checkout/sessions.ts'
import { listListings } from '../../../src/sandbox/inventory/listings.ts'
import { audit } from '../../../src/sandbox/reports/audit.ts'
import { listOrders, ordersByState } from '../../../src/sandbox/sales/orders.ts'
import { advance } from '../../../src/sandbox/worlds/advance.ts'
import { MONTH_MS, seedWorld } from '../../../src/sandbox/worlds/month-of-sales.ts'
import { TEST_NOW_MS, testWorld } from '../../support/world.ts'

const orders = (world: Environment) => listOrders(world, { partnerId: null, limit: 1_000, cursor: undefined }).rows
const sum = (counts: Readonly<Record<string, number>>) =>
  Object.values(counts).reduce((total, count) => total + count, 0)

test('a month has as many orders as were asked for, in every state, and its money reconciles', async () => {
  const world = testWorld()
  const { fromMs, toMs, stopped, made } = await seedWorld(world, 60)
  expect([fromMs, toMs, stopped]).toEqual([TEST_NOW_MS, TEST_NOW_MS + MONTH_MS, false])
  expect(made).toMatchObject({ orders: 60, cases: 4, settlement_runs: 4, payout_runs: 1 })
  expect(made.quotes).toBeGreaterThan(30)
  expect(sum(ordersByState(world))).toBe(60)
  expect(Object.keys(ordersByState(world)).sort()).toEqual([...ORDER_STATES].sort())
  expect(casesByState(world)).toEqual({ OPEN: 1, NEGOTIATING: 1, DEAL_CLOSED: 1, CLOSED_NO_DEAL: 1 })
  expect(sessionsByState(world)).toMatchObject({ cancelled: expect.any(Number), paid: expect.any(Number) })
  expect(await audit(world)).toMatchObject({ balanced: true })
})

test('eight orders have every state, and both partners sell', async () => {
  const world = testWorld()
  await seedWorld(world, 8)
  expect(Object.keys(ordersByState(world)).sort()).toEqual([...ORDER_STATES].sort())
  expect(new Set(orders(world).map(({ partnerId }) => partnerId)).size).toBe(2)
})

test('the same seed gives the same month, another seed and a second month give others', async () => {
  const [first, same, other] = [testWorld(), testWorld(), testWorld({ seed: 'other' })]
  for (const world of [first, same, other]) await seedWorld(world, 10)
  expect(orders(same)).toEqual(orders(first))
  expect(orders(other)).not.toEqual(orders(first))
  const before = orders(first).length
  expect((await seedWorld(first, 10)).made.orders).toBe(10)
  expect(orders(first)).toHaveLength(before + 10)
  expect(new Set(orders(first).map(({ domain }) => domain)).size).toBe(20)
})

test('what was for sale before is for sale after it', async () => {
  const world = testWorld({ inventory: 50 })
  await seedWorld(world, 30)
  const sold = new Set(orders(world).map(({ domain }) => domain))
  const before = listListings(testWorld({ inventory: 50 }), { limit: 100 }).listings
  expect(before).toHaveLength(50)
  expect(before.filter(({ domain }) => sold.has(domain))).toEqual([])
})

test('a world that another jump moves, or that has no seller, is refused and stays as it is', async () => {
  const world = testWorld()
  const jump = advance(world, { byMs: 1_000 })
  await expect(seedWorld(world, 1)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('being advanced'),
  })
  await jump
  expect(sum(ordersByState(world))).toBe(0)

  const noSeller = testWorld()
  Object.assign(noSeller, { credentials: new Map() })
  await expect(seedWorld(noSeller, 1)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('may sell'),
  })
  expect([sum(ordersByState(noSeller)), noSeller.clock.nowMs()]).toEqual([0, TEST_NOW_MS])
})

test('of two at once the second is refused and leaves nothing', async () => {
  const world = testWorld()
  const alone = testWorld()
  const [first, second] = await Promise.allSettled([
    seedWorld(world, 300),
    seedWorld(world, 300),
    seedWorld(alone, 300),
  ])
  expect(first).toMatchObject({ status: 'fulfilled', value: { made: { orders: 300 } } })
  expect(second).toMatchObject({ status: 'rejected', reason: { code: 'conflict' } })
  expect(listListings(world, { limit: 1_000 }).listings).toHaveLength(
    listListings(alone, { limit: 1_000 }).listings.length,
  )
})

test('open points that change the rules refuse no order', async () => {
  const gaps = {
    'expected-price-unit': 'units',
    'hosted-order-state': 'EXTERNALLY_PAID',
    'second-quote': 'refused',
    'cleared-order': 'starts its transfer',
    'payable-from': 'the sale',
    'refunded-domain': 'withdrawn',
  } as const
  const world = testWorld({ gaps: gaps as never })
  expect((await seedWorld(world, 40)).made.orders).toBe(40)
  expect(await audit(world)).toMatchObject({ balanced: true })
})
