import { nextSequence } from '../../storage/db.ts'
import { lastEventSeq } from '../events/events.ts'
import { type Page, type Paging, pageOf, readPage, unknownCursor } from '../kernel/paging.ts'
import type { Happening, TaskSource } from '../kernel/scheduled-task.ts'
import type { World } from '../kernel/world.ts'
import { book, bookSettled } from '../ledger/ledger.ts'
import { takeStep } from '../sales/order-steps.ts'
import { findOrder, ordersAwaitingSettlement } from '../sales/orders.ts'
import type { Order } from '../sales/types.ts'
import { type Statement, statementsOfRun, statementsOfShortRun } from './statements.ts'
import {
  countSettled,
  endBatch,
  lastPeriodEnd,
  lastSettlementRun,
  openRun,
  partnersOfWorld,
  type RunFacts,
  runById,
  SETTLEMENT_RUNS,
  type SettlementRunRow,
  STATEMENTS,
  settlementRunsBefore,
  statementSeqs,
  undoneAfterSettlement,
} from './store.ts'

/** One closing of the period, over all partners. */
export interface SettlementRun extends RunFacts {
  settledCount: number
  /** A page of its orders: those of one statement after those of another, each as they were sold. */
  settled: Page<Order>
  /** One for each partner of the world, in the order in which they joined it. */
  statements: Statement[]
}

/** Few milliseconds' worth. */
const ORDERS_A_BATCH = 25

/**
 * Begins to close the period: every partner-collected order that has been delivered becomes SETTLED (STATE-03), and each partner
 * gets a statement of exactly those orders of its own (SET-01, SET-02), of zeros if there are none. Its first batch is settled at
 * once; those that follow are overdue tasks (see {@link settlementRuns}), so no call sees a part of a run, and a run that a
 * crash interrupts goes on at the next start.
 *
 * @returns the id of the run.
 */
export function startSettlement(world: World): string {
  start(world)
  return lastSettlementRun(world.db)?.runId as string
}

function start(world: World): Happening[] {
  const seq = nextSequence(world.db, 'settlement_runs')
  const run = { seq, runId: world.chance.id('settlementRun', seq), ranAtMs: world.clock.nowMs(), doneTo: 0 }
  SETTLEMENT_RUNS.insert(world.db, { ...run, orders: 0, eventSeq: 0 })
  openStatements(world, run)
  return settleBatch(world, run)
}

/** @returns what the run came to, once it is complete. */
function settleBatch(world: World, run: RunFacts & { doneTo: number }): Happening[] {
  const { db } = world
  const statements = statementSeqs(db, run.seq)
  const orders = ordersAwaitingSettlement(world, { afterSeq: run.doneTo, limit: ORDERS_A_BATCH })
  for (const order of orders) {
    takeStep(world, order, 'settle', null)
    bookSettled(world, order.seq, statements.get(order.partnerId) as number)
  }
  const isLast = orders.length < ORDERS_A_BATCH
  // Until then the run is news to itself.
  countSettled(db, run, orders.length, isLast ? lastEventSeq(world) : 0)
  endBatch(db, 'settlement_runs', run, isLast ? null : (orders.at(-1)?.seq ?? null))
  if (!isLast) return []
  adjust(world, statements)
  return [happeningOf(world, run)]
}

/** A page of the runs that have been made, newest first. */
export function listSettlementRuns({ db }: World, paging: Paging): Page<SettlementRunRow> {
  return readPage(
    paging,
    (runId) => runById(db, 'settlement_runs', runId),
    (page) => settlementRunsBefore(db, page),
  )
}

/**
 * A run that has been made, with its statements, read in batches, and a page of its orders as they are now.
 *
 * @returns null if there is none of that id.
 * @throws ApiError validation_error for a cursor that is none of its orders.
 */
export async function findSettlementRun(world: World, runId: string, paging: Paging): Promise<SettlementRun | null> {
  const run = runById(world.db, 'settlement_runs', runId)
  return run && settlementRunOf(world, run, await statementsOfRun(world, run.seq), paging)
}

/** The same of the last run, at once; null if batches of it are still to come, because then it may be long. */
export function lastRunIfComplete(world: World, paging: Paging): SettlementRun | null {
  const run = lastSettlementRun(world.db)
  if (run?.doneTo !== null) return null
  return settlementRunOf(world, run, statementsOfShortRun(world, run.seq), paging)
}

function settlementRunOf(
  world: World,
  { seq, runId, ranAtMs }: RunFacts,
  statements: Statement[],
  { cursor, limit }: Paging,
): SettlementRun {
  const publicIds = statements.flatMap((one) => one.publicIds)
  const last = cursor === undefined ? -1 : publicIds.indexOf(cursor)
  if (cursor !== undefined && last < 0) throw unknownCursor()
  const page = pageOf(publicIds.slice(last + 1, last + 2 + limit), limit)
  const settled = { ...page, rows: page.rows.map((publicId) => findOrder(world, publicId) as Order) }
  return { seq, runId, ranAtMs, settledCount: publicIds.length, settled, statements }
}

/** A statement for each partner, with the period since its last one; what it says is in the ledger. */
function openStatements(world: World, run: RunFacts): void {
  for (const { partnerId, sinceMs } of partnersOfWorld(world.db)) {
    const seq = nextSequence(world.db, 'settlement_statements')
    STATEMENTS.insert(world.db, {
      seq,
      statementId: world.chance.id('statement', seq),
      runSeq: run.seq,
      partnerId,
      // A credential may date from before a reset, when the clock was later.
      periodStartMs: lastPeriodEnd(world.db, partnerId) ?? Math.min(sinceMs, run.ranAtMs),
      periodEndMs: run.ranAtMs,
    })
  }
}

/** The statements make up for sales that were undone after an earlier one had stated them. */
function adjust(world: World, statements: ReadonlyMap<string, number>): void {
  for (const { saleSeq, partnerId, unsettledCents } of undoneAfterSettlement(world.db)) {
    const statementSeq = statements.get(partnerId) as number
    book(world, { seq: saleSeq, partnerId }, { kind: 'settled', unsettledCents: -unsettledCents, statementSeq })
  }
}

/**
 * Settlement runs that come round by themselves, counted from the last run or from the moment at which progress was set. A
 * world that was asleep makes up for the rounds that it missed: if there was nothing to settle, the last stands for all (SET-01).
 */
export const settlementRuns: TaskSource = {
  kind: 'settlement.run',
  peek({ db, settings: { progress } }) {
    const { settleEveryMs, sinceMs } = progress
    const last = lastSettlementRun(db)
    if (last && last.doneTo !== null) return { atMs: last.ranAtMs, id: 'settlement' }
    if (settleEveryMs === null) return null
    return { atMs: Math.max(last?.ranAtMs ?? sinceMs, sinceMs) + settleEveryMs, id: 'settlement' }
  },
  run(world) {
    const open = openRun(world.db, 'settlement_runs')
    return open ? settleBatch(world, open) : start(world)
  },
  lastRoundBefore(world, item, untilMs) {
    if (hasNews(world)) return item
    const everyMs = world.settings.progress.settleEveryMs as number
    const rounds = Math.max(0, Math.ceil((untilMs - item.atMs) / everyMs) - 1)
    return { ...item, atMs: item.atMs + rounds * everyMs }
  },
  count: (world) =>
    world.settings.progress.settleEveryMs === null && openRun(world.db, 'settlement_runs') === null ? 0 : 1,
  // Everything to settle came with an event.
  isIdle: (world) => world.settings.progress.settleEveryMs === null || !hasNews(world),
}

function happeningOf({ db }: World, { runId, ranAtMs }: RunFacts): Happening {
  const count = lastSettlementRun(db)?.orders
  const orders = count === 1 ? '1 order' : `${count} orders`
  return { atMs: ranAtMs, kind: 'settlement.run', id: runId, summary: `the settlement run settled ${orders}` }
}

function hasNews(world: World): boolean {
  return lastEventSeq(world) > (lastSettlementRun(world.db)?.eventSeq ?? 0)
}
