import type { Steps } from '../../contract/steps.ts'
import { LISTING_CURRENCY } from '../inventory/draw-listing.ts'
import { type DateWindow, type Page, type Paging, readPage } from '../kernel/paging.ts'
import type { Credential, World } from '../kernel/world.ts'
import {
  ordersOfStatement,
  type StatementRow,
  type StatementSums,
  statementById,
  statementRowsOfRun,
  statementRowsWhere,
  sumsOfStatement,
} from './store.ts'

/** What a partner owes for a period. */
export interface Statement {
  statementId: string
  partnerId: string
  periodStartMs: number
  periodEndMs: number
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
  const partnerId = world.rules.settlement.shows === 'own' ? caller.partnerId : null
  const { rows, hasMore } = readPage(
    { ...filter, partnerId },
    (statementId) => statementById(world.db, statementId),
    (page) => statementRowsWhere(world.db, { ...filter, partnerId, ...page }),
  )
  const fitting: Statement[] = []
  let listed = 0
  for (const row of rows) {
    const sums = sumsOfStatement(world.db, row.seq)
    listed += sums.orders
    if (fitting.length > 0 && listed > ordersAPage) break
    fitting.push(statementFrom(world, row, sums))
  }
  return { rows: fitting, hasMore: hasMore || fitting.length < rows.length }
}

export function* statementsOfRun(world: World, runSeq: number): Steps<Statement[]> {
  const statements: Statement[] = []
  for (const row of statementRowsOfRun(world.db, runSeq)) {
    statements.push(statementFrom(world, row, sumsOfStatement(world.db, row.seq)))
    yield
  }
  return statements
}

function statementFrom(world: World, { seq, ...facts }: StatementRow, sums: StatementSums): Statement {
  return {
    ...facts,
    grossSoldCents: sums.grossCents,
    commissionRetainedCents: sums.commissionCents,
    amountOwedCents: world.rules.settlement.owes === 'gross' ? sums.grossCents : sums.owedCents,
    adjustmentCents: sums.adjustmentCents,
    currency: LISTING_CURRENCY,
    publicIds: ordersOfStatement(world.db, seq),
  }
}
