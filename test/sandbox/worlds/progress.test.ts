import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { wallClock } from '../../../src/clock/wall-clock.ts'
import { RULES } from '../../../src/contract/rules.ts'
import { NO_DEFECT_HOOKS } from '../../../src/sandbox/app/defect-hooks.ts'
import type { Environment, JumpReceipt } from '../../../src/sandbox/app/environment.ts'
import { findListing } from '../../../src/sandbox/inventory/listings.ts'
import { recordHostedOrder, recordOrder, takeStep } from '../../../src/sandbox/sales/order-steps.ts'
import { findOrder, orderTimelines } from '../../../src/sandbox/sales/orders.ts'
import type { Order } from '../../../src/sandbox/sales/types.ts'
import { startSettlement } from '../../../src/sandbox/settlement/settlement-runs.ts'
import { advance } from '../../../src/sandbox/worlds/advance.ts'
import { openWorld } from '../../../src/sandbox/worlds/open-world.ts'
import { resetWorld } from '../../../src/sandbox/worlds/snapshots.ts'
import { setProgress } from '../../../src/sandbox/worlds/world-facts.ts'
import { size } from '../../support/size.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { castMember, setWall, TEST_NOW_MS, testWorld } from '../../support/world.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const HOURLY = { startAfterMs: HOUR_MS, completeAfterMs: HOUR_MS, settleEveryMs: null }
const buyer = { email: 'buyer@example.test' }

/** A recorded order of a name; one that begins with `hosted` was paid on the hosted page. */
function sell(world: Environment, domain: string): Order {
  const caller = castMember(world, 'main')
  const listing = findListing(world, domain)
  if (!listing) throw new Error(`${domain} is not listed`)
  const { priceCents, currency } = listing
  return world.commits.commitNow(() =>
    recordOrder(world, caller, { domain, expectedPriceCents: priceCents, currency, buyer }),
  )
}

function sellHosted(world: Environment, domain: string): Order {
  const url = 'https://shop.example.test/'
  const priceCents = findListing(world, domain)?.priceCents as number
  const { partnerId } = castMember(world, 'main')
  const sale = { partnerId, domain, priceCents, buyer, returnUrl: url, cancelUrl: url, linkId: null }
  return world.commits.commitNow(() => recordHostedOrder(world, sale))
}

const now = (world: Environment, { publicId }: Order) => findOrder(world, publicId) as Order

const kinds = ({ happened }: JumpReceipt) =>
  happened.filter(({ kind }) => kind !== 'event').map(({ atMs, kind }) => [atMs - TEST_NOW_MS, kind])

test('without progress an order stays where it is', async () => {
  const world = testWorld()
  const order = sell(world, 'deal-closes-1.test')
  expect((await advance(world, { byMs: 365 * DAY_MS })).happened).toEqual([])
  expect(now(world, order).status).toBe('EXTERNALLY_PAID')
})

test('a transfer starts, completes and is settled, each in its time', async () => {
  const world = testWorld({ progress: { startAfterMs: HOUR_MS, completeAfterMs: 2 * HOUR_MS, settleEveryMs: DAY_MS } })
  const order = sell(world, 'deal-closes-1.test')
  const receipt = await advance(world, { byMs: DAY_MS })
  expect(kinds(receipt)).toEqual([
    [HOUR_MS, 'order.step'],
    [3 * HOUR_MS, 'order.step'],
    [DAY_MS, 'settlement.run'],
  ])
  expect(receipt.happened.filter(({ kind }) => kind === 'event').map(({ summary }) => summary.split(' ')[0])).toEqual([
    'order.transfer_started',
    'order.transfer_completed',
    'order.settled',
  ])
  expect(orderTimelines.of(world.db, order.seq).map(({ status, atMs }) => [status, atMs - TEST_NOW_MS])).toEqual([
    ['EXTERNALLY_PAID', 0],
    ['TRANSFER_IN_PROGRESS', HOUR_MS],
    ['TRANSFER_COMPLETED', 3 * HOUR_MS],
    ['SETTLED', DAY_MS],
  ])
})

test('what completes at the instant of a settlement run is in it', async () => {
  const world = testWorld({ progress: { ...HOURLY, settleEveryMs: 2 * HOUR_MS } })
  const order = sell(world, 'deal-closes-1.test')
  await advance(world, { byMs: 2 * HOUR_MS })
  expect(now(world, order).status).toBe('SETTLED')
})

test('a hosted order completes by itself and is not settled', async () => {
  const world = testWorld({ progress: { ...HOURLY, settleEveryMs: DAY_MS } })
  const order = sellHosted(world, 'deal-closes-1.test')
  await advance(world, { byMs: 2 * DAY_MS })
  expect(orderTimelines.of(world.db, order.seq).map(({ status }) => status)).toEqual([
    'TRANSFER_IN_PROGRESS',
    'TRANSFER_COMPLETED',
  ])
})

test('a hosted order of fails-N is refunded at its birth', () => {
  const world = testWorld()
  const order = sellHosted(world, 'fails-1.test')
  expect(order.status).toBe('REFUNDED')
  expect(orderTimelines.of(world.db, order.seq).map(({ status }) => status)).toEqual([
    'TRANSFER_IN_PROGRESS',
    'REFUNDED',
  ])
})

test('a held order waits, and its time begins when it is cleared', async () => {
  const world = testWorld({ progress: HOURLY })
  const order = sell(world, 'held-1.test')
  await advance(world, { byMs: DAY_MS })
  expect(now(world, order).status).toBe('MANUAL_REVIEW')
  world.commits.commitNow(() => takeStep(world, now(world, order), 'clear', null))
  expect(kinds(await advance(world, { byMs: DAY_MS }))).toEqual([
    [DAY_MS + HOUR_MS, 'order.step'],
    [DAY_MS + 2 * HOUR_MS, 'order.step'],
  ])
})

test('progress that is set later counts from then, and nothing happens in the past', async () => {
  const world = testWorld()
  const order = sell(world, 'deal-closes-1.test')
  await advance(world, { byMs: 10 * DAY_MS })
  setProgress(world, { ...HOURLY, settleEveryMs: HOUR_MS })
  expect(now(world, order).status).toBe('EXTERNALLY_PAID')
  expect(kinds(await advance(world, { byMs: HOUR_MS }))).toEqual([
    [10 * DAY_MS + HOUR_MS, 'order.step'],
    [10 * DAY_MS + HOUR_MS, 'settlement.run'],
  ])
  setProgress(world, { startAfterMs: null, completeAfterMs: null, settleEveryMs: null })
  expect((await advance(world, { byMs: DAY_MS })).happened).toEqual([])
  expect(now(world, order).status).toBe('TRANSFER_IN_PROGRESS')
})

test('a settlement run by hand puts off the next one', async () => {
  const world = testWorld({ progress: { settleEveryMs: DAY_MS } })
  await advance(world, { byMs: HOUR_MS })
  world.commits.commitNow(() => startSettlement(world))
  expect(kinds(await advance(world, { byMs: 2 * DAY_MS }))).toEqual([
    [DAY_MS + HOUR_MS, 'settlement.run'],
    [2 * DAY_MS + HOUR_MS, 'settlement.run'],
  ])
})

test('until idle ends when all is settled, although settlement runs come round for ever', async () => {
  const world = testWorld({ progress: { ...HOURLY, settleEveryMs: DAY_MS } })
  const order = sell(world, 'deal-closes-1.test')
  sell(world, 'stalls-1.test')
  const receipt = await advance(world, { until: 'idle' })
  expect(kinds(receipt).at(-1)).toEqual([DAY_MS, 'settlement.run'])
  expect(now(world, order).status).toBe('SETTLED')
  expect((await advance(world, { until: 'idle' })).happened).toEqual([])
})

test('a reset begins the waits anew with the clock', async () => {
  const world = testWorld({ progress: { ...HOURLY, settleEveryMs: DAY_MS } })
  await advance(world, { byMs: 100 * DAY_MS })
  resetWorld(world)
  sell(world, 'deal-closes-1.test')
  expect(kinds(await advance(world, { byMs: DAY_MS }))).toEqual([
    [HOUR_MS, 'order.step'],
    [2 * HOUR_MS, 'order.step'],
    [DAY_MS, 'settlement.run'],
  ])
})

test('a restart changes nothing about what is due', async () => {
  const folder = tempFolder()
  const file = join(folder, 'world.sqlite')
  const before = testWorld({ file, progress: HOURLY })
  sell(before, 'deal-closes-1.test')
  sell(before, 'stalls-1.test')
  before.deliverer.end()
  before.db.close()
  const surroundings = { wall: setWall(), rules: RULES, hooks: NO_DEFECT_HOOKS, publicUrl: () => 'http://127.0.0.1' }
  const after = openWorld(file, surroundings, 'test')
  onTestFinished(() => {
    after.deliverer.end()
    after.db.close()
  })
  expect(kinds(await advance(after, { byMs: DAY_MS }))).toEqual([
    [HOUR_MS, 'order.step'],
    [2 * HOUR_MS, 'order.step'],
  ])
})

test('a running world goes on by itself, without any call', async () => {
  const world = testWorld({
    wall: wallClock,
    clockMs: null,
    frozen: false,
    progress: { startAfterMs: 30, completeAfterMs: 30 },
  })
  onTestFinished(() => world.scheduler.end())
  const order = sell(world, 'deal-closes-1.test')
  const steps: string[] = []
  await new Promise<void>((resolve) => {
    world.scheduler.watch((happened) => {
      for (const { summary } of happened) if (steps.push(summary) === 2) resolve()
    })
  })
  expect(steps).toEqual([
    'start-transfer of the order for deal-closes-1.test: TRANSFER_IN_PROGRESS',
    'complete-transfer of the order for deal-closes-1.test: TRANSFER_COMPLETED',
  ])
  const [recorded, started, completed] = orderTimelines.of(world.db, order.seq).map(({ atMs }) => atMs)
  expect([started, completed]).toEqual([(recorded as number) + 30, (recorded as number) + 60])
})

test('a year over thousands of orders is lived through in one jump', async () => {
  const orders = size(2_000, 10_000)
  const world = testWorld({
    inventory: 0,
    progress: { startAfterMs: DAY_MS, completeAfterMs: DAY_MS, settleEveryMs: 7 * DAY_MS },
  })
  world.commits.commitNow(() => {
    const caller = castMember(world, 'main')
    for (let n = 1; n <= orders; n++) {
      const domain = `live-site-${n}.test`
      const expectedPriceCents = findListing(world, domain)?.priceCents as number
      recordOrder(world, caller, { domain, expectedPriceCents, currency: 'USD', buyer })
    }
  })
  const { counts, happened, truncated } = await advance(world, { byMs: 365 * DAY_MS })
  expect(counts).toEqual({ 'order.step': 2 * orders, 'settlement.run': 52, event: 3 * orders })
  expect([happened.length, truncated]).toEqual([10_000, true])
}, 60_000)
