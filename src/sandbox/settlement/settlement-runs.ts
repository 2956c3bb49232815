import type { Steps } from '../../contract/steps.ts'
import { nextSequence } from '../../storage/database.ts'
import { lastEventSeq } from '../events/events.ts'
import { type Page, type Paging, readPage } from '../kernel/paging.ts'
import type { Happening, ScheduledTask, TaskSource } from '../kernel/scheduled-task.ts'
import type { World } from '../kernel/world.ts'
import { book, bookSettled } from '../ledger/ledger.ts'
import { takeStep } from '../sales/order-steps.ts'
import { findOrder, ordersAwaitingSettlement } from '../sales/orders.ts'
import type { Order } from '../sales/types.ts'
import { type Statement, statementsOfRun } from './statements.ts'
import {
  lastPeriodEnd,
  lastSettlementRun,
  partnersOfWorld,
  type Run,
  runById,
  SETTLEMENT_RUNS,
  type SettlementRunRow,
  STATEMENTS,
  settlementRunsBefore,
  undoneAfterSettlement,
} from './store.ts'

/** One closing of the period, over all partners. */
export interface SettlementRun extends Omit<Run, 'eventSeq'> {
  settled: Order[]
  /** One for each partner of the world, in the order in which they joined it. */
  statements: Statement[]
}

/**
 * Closes the period: every partner-collected order that has been delivered becomes SETTLED (STATE-03), and each partner gets a
 * statement of exactly those orders of its own (SET-01, SET-02), of zeros if there are none.
 */
export function* runSettlement(world: World): Steps<SettlementRun> {
  const settled: Order[] = []
  for (const order of ordersAwaitingSettlement(world)) {
    settled.push(takeStep(world, order, 'settle', null))
    yield
  }
  const seq = nextSequence(world.db, 'settlement_runs')
  const run = { seq, runId: world.chance.id('settlementRun', seq), ranAtMs: world.clock.nowMs(), settled }
  SETTLEMENT_RUNS.insert(world.db, { ...run, orders: settled.length, eventSeq: lastEventSeq(world) })
  const statementSeqs = openStatements(world, run)
  for (const order of settled) {
    bookSettled(world, order.seq, statementSeqs.get(order.partnerId) as number)
    yield
  }
  adjust(world, statementSeqs)
  return { ...run, statements: yield* statementsOfRun(world, seq) }
}

/** A page of the runs that have been made, newest first. */
export function listSettlementRuns({ db }: World, paging: Paging): Page<SettlementRunRow> {
  return readPage(
    paging,
    (runId) => runById(db, 'settlement_runs', runId),
    (page) => settlementRunsBefore(db, page),
  )
}

/** A run that has been made, with its orders as they are now; null if there is none of that id. */
export function* findSettlementRun(world: World, runId: string): Steps<SettlementRun | null> {
  const found = runById(world.db, 'settlement_runs', runId)
  const [row] = found ? settlementRunsBefore(world.db, { beforeSeq: found.seq + 1, limit: 1 }) : []
  if (!row) return null
  const statements = yield* statementsOfRun(world, row.seq)
  const settled: Order[] = []
  for (const id of statements.flatMap(({ publicIds }) => publicIds)) {
    const order = findOrder(world, id)
    if (order) settled.push(order)
    yield
  }
  return { seq: row.seq, runId: row.runId, ranAtMs: row.ranAtMs, settled, statements }
}

/** A statement for each partner, with the period since its last one; what it says is in the ledger. */
function openStatements(world: World, run: { seq: number; ranAtMs: number }): Map<string, number> {
  const statementSeqs = new Map<string, number>()
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
    statementSeqs.set(partnerId, seq)
  }
  return statementSeqs
}

/** The statements make up for sales that were undone after an earlier one had stated them. */
function adjust(world: World, statementSeqs: ReadonlyMap<string, number>): void {
  for (const { saleSeq, partnerId, unsettledCents } of undoneAfterSettlement(world.db)) {
    const statementSeq = statementSeqs.get(partnerId) as number
    book(world, { seq: saleSeq, partnerId }, { kind: 'settled', unsettledCents: -unsettledCents, statementSeq })
  }
}

/**
 * Settlement runs that come round by themselves, counted from the last run or from the moment at which progress was set. A
 * world that was asleep makes up for the rounds that it missed: if there was nothing to settle, the last stands for all (SET-01).
 */
export const settlementRuns: TaskSource = {
  kind: 'settlement.run',
  peek(world) {
    const { settleEveryMs, sinceMs } = world.settings.progress
    if (settleEveryMs === null) return null
    const ranAtMs = lastSettlementRun(world.db)?.ranAtMs ?? sinceMs
    return { atMs: Math.max(ranAtMs, sinceMs) + settleEveryMs, id: 'settlement' }
  },
  runInSteps: runAt,
  lastRoundBefore(world, item, untilMs) {
    if (hasNews(world)) return item
    const everyMs = world.settings.progress.settleEveryMs as number
    const rounds = Math.max(0, Math.ceil((untilMs - item.atMs) / everyMs) - 1)
    return { ...item, atMs: item.atMs + rounds * everyMs }
  },
  count: (world) => (world.settings.progress.settleEveryMs === null ? 0 : 1),
  // Everything to settle came with an event.
  isIdle: (world) => world.settings.progress.settleEveryMs === null || !hasNews(world),
}

function* runAt(world: World, { atMs }: ScheduledTask): Steps<Happening[]> {
  const { runId, settled } = yield* runSettlement(world)
  const orders = settled.length === 1 ? '1 order' : `${settled.length} orders`
  return [{ atMs, kind: 'settlement.run', id: runId, summary: `the settlement run settled ${orders}` }]
}

function hasNews(world: World): boolean {
  return lastEventSeq(world) > (lastSettlementRun(world.db)?.eventSeq ?? 0)
}
