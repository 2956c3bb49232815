import { counted } from '../../contract/words.ts'
import { type Db, nextSequence } from '../../storage/db.ts'
import { storedRows } from '../../storage/rows.ts'
import { lastEventSeq } from '../events/events.ts'
import { type Page, type Paging, pageOf, readPage } from '../kernel/paging.ts'
import type { Happening, TaskSource } from '../kernel/scheduler.ts'
import type { World } from '../kernel/world.ts'
import { book, bookSettled } from '../ledger/ledger.ts'
import { takeStep } from '../sales/order-steps.ts'
import { findOrder, ordersAwaitingSettlement } from '../sales/orders.ts'
import type { Order } from '../sales/types.ts'
import { openStatements, ordersOfRun, type Statement, statementSeqs, statementsOfRun } from './statements.ts'
import { endBatch, type OpenRun, openRun, type Run, type RunFacts, runById } from './store.ts'

/** One closing of the period, over all partners. */
export interface SettlementRun extends RunFacts {
  isComplete: boolean
  settledCount: number
  /** A page of its orders as they are now: those of one statement after those of another, each as they were sold. */
  settled: Page<Order>
  /** One for each partner of the world, in the order in which they joined it. */
  statements: Statement[]
}

const RUNS = storedRows<Run & { orders: number }>()('settlement_runs', [
  'seq',
  'runId',
  'ranAtMs',
  'orders',
  'eventSeq',
  'doneTo',
])

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
  RUNS.insert(world.db, { ...run, orders: 0, eventSeq: 0 })
  openStatements(world, run)
  return settleBatch(world, run)
}

/** @returns what the run came to, once it is complete. */
function settleBatch(world: World, run: OpenRun): Happening[] {
  const { db } = world
  const statements = statementSeqs(db, run.seq)
  const orders = ordersAwaitingSettlement(world, { afterSeq: run.doneTo, limit: ORDERS_A_BATCH })
  for (const order of orders) {
    takeStep(world, order, 'settle', null)
    bookSettled(world, order.seq, statements.get(order.partnerId) as number)
  }
  const isLast = orders.length < ORDERS_A_BATCH
  // Until then the run is news to itself.
  const sql = 'UPDATE settlement_runs SET orders = orders + ?, event_seq = ? WHERE seq = ?'
  db.statement(sql).run(orders.length, isLast ? lastEventSeq(world) : 0, run.seq)
  endBatch(db, 'settlement_runs', run, isLast ? null : (orders.at(-1)?.seq ?? null))
  if (!isLast) return []
  adjust(world, statements)
  const settled = counted(lastSettlementRun(db)?.orders ?? 0, 'order')
  return [
    { atMs: run.ranAtMs, kind: 'settlement.run', id: run.runId, summary: `the settlement run settled ${settled}` },
  ]
}

/** The statements make up for sales that were undone after an earlier one had stated them. */
function adjust(world: World, statements: ReadonlyMap<string, number>): void {
  for (const { saleSeq, partnerId, unsettledCents } of undoneAfterSettlement(world.db)) {
    const statementSeq = statements.get(partnerId) as number
    book(world, { seq: saleSeq, partnerId }, { kind: 'settled', unsettledCents: -unsettledCents, statementSeq })
  }
}

/** Sales that were undone after a statement had stated them, as far as none has made up for it. */
function undoneAfterSettlement(db: Db) {
  const sql = `SELECT sale_seq AS saleSeq, partner_id AS partnerId, sum(unsettled_cents) AS unsettledCents
    FROM (SELECT DISTINCT sale_seq AS undone FROM ledger_entries INDEXED BY ledger_reversed WHERE kind = 'reversed')
    CROSS JOIN ledger_entries ON sale_seq = undone
    GROUP BY sale_seq HAVING sum(unsettled_cents) < 0 ORDER BY sale_seq`
  return db.statement<{ saleSeq: number; partnerId: string; unsettledCents: number }>(sql).all()
}

/** A settlement run of the past, with what its statements came to. */
interface SettlementRunRow extends RunFacts {
  /** How many orders it settled. */
  orders: number
  statements: number
  owedCents: number
  /** Never positive. */
  adjustmentCents: number
}

const LINES_OF_RUN = `FROM settlement_statements AS made JOIN ledger_entries ON statement_seq = made.seq
  WHERE made.run_seq = settlement_runs.seq`

const PAGE_OF_RUNS = `SELECT seq, run_id AS runId, ran_at AS ranAtMs, orders,
    (SELECT count(*) FROM settlement_statements WHERE run_seq = settlement_runs.seq) AS statements,
    (SELECT 0 - coalesce(sum(min(unsettled_cents, 0)), 0) ${LINES_OF_RUN}) AS owedCents,
    (SELECT 0 - coalesce(sum(max(unsettled_cents, 0)), 0) ${LINES_OF_RUN}) AS adjustmentCents
  FROM settlement_runs WHERE seq < @beforeSeq ORDER BY seq DESC LIMIT @limit`

/** A page of the runs that have been made, newest first. */
export function listSettlementRuns({ db }: World, paging: Paging): Page<SettlementRunRow> {
  return readPage(
    paging,
    (runId) => runById(db, 'settlement_runs', runId),
    (page) => db.statement<SettlementRunRow>(PAGE_OF_RUNS).all(page),
  )
}

/**
 * A run that has been begun, with its statements, and a page of its orders.
 *
 * @returns null if there is none of that id.
 * @throws ApiError validation_error for a cursor that is none of its orders.
 */
export function findSettlementRun(world: World, runId: string, paging: Paging): SettlementRun | null {
  const run = runById(world.db, 'settlement_runs', runId)
  if (!run) return null
  const { seq, ranAtMs, doneTo } = run
  const statements = statementsOfRun(world, seq)
  const page = pageOf(ordersOfRun(world, seq, paging), paging.limit)
  return {
    seq,
    runId,
    ranAtMs,
    isComplete: doneTo === null,
    settledCount: statements.reduce((sum, { orderCount }) => sum + orderCount, 0),
    settled: { ...page, rows: page.rows.map((publicId) => findOrder(world, publicId) as Order) },
    statements,
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

function hasNews(world: World): boolean {
  return lastEventSeq(world) > (lastSettlementRun(world.db)?.eventSeq ?? 0)
}

function lastSettlementRun(db: Db): (Run & { orders: number }) | null {
  return RUNS.where(db, 'true ORDER BY seq DESC LIMIT 1').get() ?? null
}
