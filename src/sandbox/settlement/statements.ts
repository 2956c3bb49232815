import { atOnce, type Steps } from '../../contract/steps.ts'
import { LISTING_CURRENCY } from '../inventory/draw-listing.ts'
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
    fitting.push(atOnce(statementFrom(world, row)))
  }
  return { rows: fitting, hasMore: hasMore || fitting.length < rows.length }
}

export function* statementsOfRun(world: World, runSeq: number): Steps<Statement[]> {
  const statements: Statement[] = []
  for (const row of statementRowsOfRun(world.db, runSeq)) statements.push(yield* statementFrom(world, row))
  return statements
}

/** So many lines are read at a time: a statement may have a hundred thousand. */
const LINES_A_PAGE = 500

function* statementFrom({ db }: World, { seq, ...facts }: StatementRow): Steps<Statement> {
  const sums = { grossSoldCents: 0, commissionRetainedCents: 0, amountOwedCents: 0, adjustmentCents: 0 }
  const publicIds: string[] = []
  for (let afterSeq = 0; ; ) {
    const lines = linesOfStatement(db, seq, afterSeq, LINES_A_PAGE)
    for (const { settled, unsettledCents } of lines) {
      if (!settled) {
        sums.adjustmentCents -= unsettledCents
        continue
      }
      publicIds.push(settled.publicId)
      sums.grossSoldCents += settled.grossCents
      sums.commissionRetainedCents += settled.commissionCents
      sums.amountOwedCents -= unsettledCents
    }
    if (lines.length < LINES_A_PAGE) break
    afterSeq = lines.at(-1)?.seq ?? 0
    yield
  }
  return { ...facts, ...sums, currency: LISTING_CURRENCY, publicIds }
}
