import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { moneyHandlers } from '../../../src/operator/routes/money.ts'
import type { Environment } from '../../../src/sandbox/app/environment.ts'
import { lastEventSeq } from '../../../src/sandbox/events/events.ts'
import { findListing } from '../../../src/sandbox/inventory/listings.ts'
import { bookPayable } from '../../../src/sandbox/ledger/ledger.ts'
import { recordHostedOrder, recordOrder, takeStep } from '../../../src/sandbox/sales/order-steps.ts'
import { listOrders, ordersByState } from '../../../src/sandbox/sales/orders.ts'
import type { Order } from '../../../src/sandbox/sales/types.ts'
import { findPayoutRun, startPayouts } from '../../../src/sandbox/settlement/payout-runs.ts'
import {
  findSettlementRun,
  listSettlementRuns,
  startSettlement,
} from '../../../src/sandbox/settlement/settlement-runs.ts'
import { advance } from '../../../src/sandbox/worlds/advance.ts'
import { endWorld, openWorld } from '../../../src/sandbox/worlds/open-world.ts'
import { setProgress } from '../../../src/sandbox/worlds/world-facts.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { castMember, setWall, testServerParts, testWorld } from '../../support/world.ts'

/** Several batches' worth. */
const ORDERS = 130
const DAY_MS = 86_400_000

/** Each look at the machine's time finds it 20 ms later, so that each batch ends a turn of the event loop. */
function slowWall() {
  let ticks = 0
  return { ...setWall(), monotonicMs: () => (ticks += 20) }
}

function worldToSettle(options: Parameters<typeof testWorld>[0] = {}): Environment {
  const world = testWorld({ inventory: 0, wall: slowWall(), ...options })
  world.commits.commitNow(() => {
    for (let n = 1; n <= ORDERS; n++) deliver(world, `live-site-${n}.test`)
  })
  return world
}

function deliver(world: Environment, domain: string): void {
  const expectedPriceCents = findListing(world, domain)?.priceCents as number
  const input = { domain, expectedPriceCents, currency: 'USD', buyer: { email: 'buyer@example.test' } }
  const started = takeStep(world, recordOrder(world, castMember(world, 'main'), input), 'start-transfer', null)
  takeStep(world, started, 'complete-transfer', null)
}

/** How many orders a call of the world sees as settled. */
function settledByCall(world: Environment): Promise<number> {
  return world.commits.perform({ durability: 'process-death' }, () => settled(world))
}

function settled(world: Environment): number {
  return ordersByState(world)['SETTLED'] ?? 0
}

/** A page with all orders of a run. */
const ALL = { limit: ORDERS }

function startNow(world: Environment): string {
  return world.commits.commitNow(() => startSettlement(world))
}

/** A run as an operator asks for it. */
async function settle(world: Environment) {
  const runId = startNow(world)
  await world.scheduler.catchUp()
  return findSettlementRun(world, runId, ALL)
}

/** How many turns of the event loop others have until some work ends. */
async function turnsUntil(work: Promise<unknown>): Promise<number> {
  let turns = 0
  let isDone = false
  void work.finally(() => {
    isDone = true
  })
  for (; !isDone; turns++) await new Promise((resolve) => setImmediate(resolve))
  return turns
}

test('others have a turn after each batch of a settlement run, and a call of its own world waits for all of it', async () => {
  const world = worldToSettle()
  startNow(world)
  expect(settled(world)).toBeLessThan(ORDERS)
  const call = settledByCall(world)
  expect(await turnsUntil(call)).toBeGreaterThan(4)
  expect(await call).toBe(ORDERS)
})

test('a run in batches gives what a run gives whose batches follow at once', async () => {
  const [one, other] = [worldToSettle(), worldToSettle()]
  const run = await settle(one)
  const runId = startNow(other)
  // Overdue tasks come first, all of them.
  other.commits.commitNow(() => {})
  expect(run).toEqual(findSettlementRun(other, runId, ALL))
  expect(run?.settled.rows).toHaveLength(ORDERS)
  expect(listSettlementRuns(one, { cursor: undefined, limit: 1 }).rows[0]).toMatchObject({ orders: ORDERS })
  expect(lastEventSeq(one)).toBe(lastEventSeq(other))
})

/** A run as the operator API makes it. */
async function settledByOperator(world: Environment) {
  const input = { world } as Parameters<(typeof moneyHandlers)['settlementRuns.create']>[0]
  const reply = await moneyHandlers['settlementRuns.create'](input)
  return 'body' in reply ? reply.body : null
}

test('the answer shows a run as its last batch left it, and no call comes in between', async () => {
  const world = worldToSettle()
  const run = settledByOperator(world)
  const undone = world.commits.perform({ durability: 'process-death' }, () => {
    const [first] = listOrders(world, { partnerId: null, status: 'SETTLED', limit: 1, oldestFirst: true }).rows
    return takeStep(world, first as Order, 'refund', null)
  })
  expect((await undone).status).toBe('REFUNDED')
  const shown = await run
  expect(shown?.settled_count).toBe(ORDERS)
  expect(new Set(shown?.settled.map(({ status }) => status))).toEqual(new Set(['SETTLED']))
})

test('the end of the world during a run is a conflict, not a run that reads as nothing', async () => {
  const world = worldToSettle()
  const run = settledByOperator(world)
  endWorld(world)
  await expect(run).rejects.toMatchObject({ status: 409, message: expect.stringContaining('deleted meanwhile') })
})

test('two runs at once come one after the other', async () => {
  const world = worldToSettle()
  const runs = await Promise.all([settle(world), settle(world)])
  expect(runs.map((run) => run?.settledCount)).toEqual([ORDERS, 0])
})

test('a process that dies during a run continues it at the next start, before any call', async () => {
  const folder = tempFolder()
  const file = join(folder, 'test.sqlite')
  const world = worldToSettle({ file })
  const runId = startNow(world)
  const first = settled(world)
  expect(first).toBeGreaterThan(0)
  const copy = join(folder, 'copy.sqlite')
  copyFileSync(file, copy)
  if (existsSync(`${file}-wal`)) copyFileSync(`${file}-wal`, `${copy}-wal`)
  const found = openWorld(copy, testServerParts(), 'test')
  expect(settled(found)).toBe(first)
  expect(await settledByCall(found)).toBe(ORDERS)
  await world.scheduler.catchUp()
  expect(findSettlementRun(found, runId, ALL)).toEqual(findSettlementRun(world, runId, ALL))
  for (const one of [found, world]) endWorld(one)
})

test('a batch that fails is made again, and the run ends as any other', async () => {
  const world = worldToSettle()
  const runId = startNow(world)
  world.db.pragma('query_only = ON')
  await expect(world.scheduler.catchUp()).rejects.toThrow('readonly')
  world.db.pragma('query_only = OFF')
  await world.scheduler.catchUp()
  const other = worldToSettle()
  await settle(other)
  expect(findSettlementRun(world, runId, ALL)).toEqual(findSettlementRun(other, runId, ALL))
})

test('the settlement run of a jump is made in batches, and a call meanwhile sees nothing or all of it', async () => {
  const world = worldToSettle()
  setProgress(world, { startAfterMs: null, completeAfterMs: null, settleEveryMs: DAY_MS })
  const jump = advance(world, { byMs: 2 * DAY_MS })
  const calls: Promise<number>[] = []
  const watch = async () => {
    for (let n = 0; n < 50; n++) {
      await new Promise((resolve) => setImmediate(resolve))
      calls.push(settledByCall(world))
    }
  }
  const [receipt] = await Promise.all([jump, watch()])
  expect([...new Set(await Promise.all(calls))].filter((count) => count !== 0 && count !== ORDERS)).toEqual([])
  expect(settled(world)).toBe(ORDERS)
  expect(receipt.happened.filter(({ kind }) => kind === 'settlement.run').map(({ summary }) => summary)).toEqual([
    `the settlement run settled ${ORDERS} orders`,
    'the settlement run settled 0 orders',
  ])
})

test('a settlement run that is due as the clock ticks is made in batches before the call that comes after it', async () => {
  const wall = slowWall()
  const world = worldToSettle({ wall, frozen: false, clockMs: null })
  setProgress(world, { startAfterMs: null, completeAfterMs: null, settleEveryMs: DAY_MS })
  wall.setMs(wall.nowMs() + DAY_MS)
  const call = settledByCall(world)
  expect(await turnsUntil(call)).toBeGreaterThan(4)
  expect(await call).toBe(ORDERS)
})

test('a payout run is made in batches, and pays each sale once', async () => {
  const world = testWorld({ inventory: 0, wall: slowWall() })
  const sales = 250
  world.commits.commitNow(() => {
    for (let n = 1; n <= sales; n++) {
      const { partnerId } = castMember(world, n % 3 === 0 ? 'other-partner' : 'main')
      const { seq: orderSeq } = recordHostedOrder(world, {
        partnerId,
        domain: `live-site-${n}.test`,
        priceCents: 1_000 + n,
        buyer: { email: 'buyer@example.test', country: 'DE' },
        returnUrl: 'https://shop.example/done',
        cancelUrl: 'https://shop.example/cancelled',
        linkId: null,
      })
      bookPayable(world, { orderSeq })
    }
  })
  const runId = world.commits.commitNow(() => startPayouts(world))
  const linesOf = () =>
    world.db
      .prepare(
        "SELECT count(*) AS lines, count(DISTINCT sale_seq) AS sales FROM ledger_entries WHERE kind = 'paid_out'",
      )
      .get()
  expect(linesOf()).toEqual({ lines: 100, sales: 100 })
  await world.scheduler.catchUp()
  expect(linesOf()).toEqual({ lines: sales, sales })
  const sums = world.db
    .prepare(
      'SELECT payout_seq, -sum(due_cents) AS cents FROM ledger_entries WHERE payout_seq IS NOT NULL GROUP BY 1 ORDER BY 1',
    )
    .all()
  expect(
    findPayoutRun(world, runId)?.payouts.map(({ seq, amountCents }) => ({ payout_seq: seq, cents: amountCents })),
  ).toEqual(sums)
})
