import { LISTING_CURRENCY } from '../inventory/draw-listing.ts'
import { type DateWindow, type Page, type Paging, pageOf, startOf } from '../kernel/paging.ts'
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

/** What a partner is told it owes for a period. */
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
 * A page of a partner's statements, newest first (SET-01); the date range is about the end of the period. It has fewer
 * than `limit` and a next page where they list many orders.
 *
 * @throws ApiError validation_error for a cursor that is none of these statements.
 */
export function listStatements(
  world: World,
  caller: Credential,
  filter: DateWindow & Paging,
  ordersAPage = ORDERS_A_PAGE,
): Page<Statement> {
  const partnerId = world.rules.settlement.shows === 'own' ? caller.partnerId : null
  const beforeSeq = startOf(filter.cursor, (statementId) => {
    const last = statementById(world.db, statementId)
    return last && (partnerId === null || last.partnerId === partnerId) ? last.seq : null
  })
  const found = statementRowsWhere(world.db, { ...filter, partnerId, beforeSeq, limit: filter.limit + 1 })
  const { rows, hasMore } = pageOf(found, filter.limit)
  const summed = rows.map((row) => ({ row, sums: sumsOfStatement(world.db, row.seq) }))
  const fitting = summed.slice(
    0,
    countFitting(
      summed.map(({ sums }) => sums.orders),
      ordersAPage,
    ),
  )
  return {
    rows: fitting.map(({ row, sums }) => statementFrom(world, row, sums)),
    hasMore: hasMore || fitting.length < rows.length,
  }
}

/** How many statements, with so many orders each, make a page: at least one. */
function countFitting(orders: readonly number[], most: number): number {
  let listed = 0
  const tooMany = orders.findIndex((count, position) => {
    listed += count
    return position > 0 && listed > most
  })
  return tooMany === -1 ? orders.length : tooMany
}

/** The statements that a run made. */
export function statementsOfRun(world: World, runSeq: number): Statement[] {
  return statementRowsOfRun(world.db, runSeq).map((row) =>
    statementFrom(world, row, sumsOfStatement(world.db, row.seq)),
  )
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
