import { LISTING_CURRENCY } from '../inventory/draw-listing.ts'
import { pauseIn } from '../kernel/batches.ts'
import { type DateWindow, type Page, type Paging, readPage } from '../kernel/paging.ts'
import type { Credential, World } from '../kernel/world.ts'
import {
  linesOfStatement,
  ordersOfStatement,
  type StatementRow,
  statementById,
  statementRowsOfRun,
  statementRowsWhere,
} from './store.ts'

/** What a partner owes for a period. */
export interface Statement extends Omit<StatementRow, 'seq'> {
  /** Always the sum of the next two. */
  grossSoldCents: number
  commissionRetainedCents: number
  amountOwedCents: number
  /** What orders that were undone after an earlier statement take off the amount owed; never positive. */
  adjustmentCents: number
  currency: string
  /** The orders that this run settled, in the order in which it did. */
  publicIds: string[]
}

/** A page ends early rather than list more orders than this, unless a single statement does. */
const ORDERS_A_PAGE = 10_000

/**
 * A page of a partner's statements, newest first (SET-01). It has fewer than `limit` and a next page if they list many
 * orders.
 */
export function listStatements(
  world: World,
  caller: Credential,
  filter: DateWindow & Paging,
  ordersAPage = ORDERS_A_PAGE,
): Page<Statement> {
  const { partnerId } = caller
  const { rows, hasMore } = readPage(
    { ...filter, partnerId },
    (statementId) => statementById(world.db, statementId),
    (page) => statementRowsWhere(world.db, { ...filter, partnerId, ...page }),
  )
  const fitting: Statement[] = []
  let listed = 0
  for (const row of rows) {
    listed += ordersOfStatement(world.db, row.seq)
    if (fitting.length > 0 && listed > ordersAPage) break
    fitting.push(statementOf(world, row))
  }
  return { rows: fitting, hasMore: hasMore || fitting.length < rows.length }
}

/** The statements of a run, read in batches. */
export async function statementsOfRun(world: World, runSeq: number): Promise<Statement[]> {
  const pause = pauseIn(world)
  const statements: Statement[] = []
  for (const row of statementRowsOfRun(world.db, runSeq)) {
    const reader = new StatementReader(world, row)
    while (reader.readSome()) await pause()
    statements.push(reader.statement)
  }
  return statements
}

/** The same at once, for a run of one batch. */
export function statementsOfShortRun(world: World, runSeq: number): Statement[] {
  return statementRowsOfRun(world.db, runSeq).map((row) => statementOf(world, row))
}

function statementOf(world: World, row: StatementRow): Statement {
  const reader = new StatementReader(world, row)
  while (reader.readSome());
  return reader.statement
}

/** So many lines are read at a time: a statement may have a hundred thousand. */
const LINES_A_BATCH = 500

/** Adds up the lines of a statement. */
class StatementReader {
  readonly statement: Statement
  readonly #world: World
  readonly #statementSeq: number
  #afterSeq = 0

  constructor(world: World, { seq, ...facts }: StatementRow) {
    this.#world = world
    this.#statementSeq = seq
    const sums = { grossSoldCents: 0, commissionRetainedCents: 0, amountOwedCents: 0, adjustmentCents: 0 }
    this.statement = { ...facts, ...sums, currency: LISTING_CURRENCY, publicIds: [] }
  }

  /** @returns whether there are more lines. */
  readSome(): boolean {
    const { db } = this.#world
    const { statement } = this
    const lines = linesOfStatement(db, this.#statementSeq, this.#afterSeq, LINES_A_BATCH)
    for (const { settled, unsettledCents } of lines) {
      if (!settled) {
        statement.adjustmentCents -= unsettledCents
        continue
      }
      statement.publicIds.push(settled.publicId)
      statement.grossSoldCents += settled.grossCents
      statement.commissionRetainedCents += settled.commissionCents
      statement.amountOwedCents -= unsettledCents
    }
    this.#afterSeq = lines.at(-1)?.seq ?? this.#afterSeq
    return lines.length === LINES_A_BATCH
  }
}
