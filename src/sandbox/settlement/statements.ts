import { LISTING_CURRENCY } from '../inventory/draw-listing.ts'
import { type DateWindow, type Page, type Paging, pageOf, startOf } from '../paging.ts'
import type { Credential, World } from '../world.ts'
import { linesOfStatement, type StatementRow, statementById, statementRowsOfRun, statementRowsWhere } from './store.ts'

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

/**
 * A page of a partner's statements, newest first (SET-01); the date range is about the end of the period.
 *
 * @throws ApiError validation_error for a cursor that is none of these statements.
 */
export function listStatements(world: World, caller: Credential, filter: DateWindow & Paging): Page<Statement> {
  const partnerId = world.rules.settlement.shows === 'own' ? caller.partnerId : null
  const beforeSeq = startOf(filter.cursor, (statementId) => {
    const last = statementById(world.db, statementId)
    return last && (partnerId === null || last.partnerId === partnerId) ? last.seq : null
  })
  const found = statementRowsWhere(world.db, { ...filter, partnerId, beforeSeq, limit: filter.limit + 1 })
  const { rows, hasMore } = pageOf(found, filter.limit)
  return { rows: rows.map((row) => statementFrom(world, row)), hasMore }
}

/** The statements that a run made. */
export function statementsOfRun(world: World, runSeq: number): Statement[] {
  return statementRowsOfRun(world.db, runSeq).map((row) => statementFrom(world, row))
}

/** Sums up the lines that the ledger has for it: those that settle an order, and those that make up for one. */
function statementFrom(world: World, row: StatementRow): Statement {
  const lines = linesOfStatement(world.db, row.seq)
  const settling = lines.filter((line) => line.statedCents >= 0)
  const grossSoldCents = sum(settling.map((line) => line.grossCents))
  const { seq: _seq, ...facts } = row
  return {
    ...facts,
    grossSoldCents,
    commissionRetainedCents: sum(settling.map((line) => line.commissionCents)),
    amountOwedCents:
      world.rules.settlement.owes === 'gross' ? grossSoldCents : sum(settling.map((line) => line.statedCents)),
    adjustmentCents: sum(lines.filter((line) => line.statedCents < 0).map((line) => line.statedCents)),
    currency: LISTING_CURRENCY,
    publicIds: settling.map((line) => line.publicId),
  }
}

function sum(cents: readonly number[]): number {
  return cents.reduce((total, next) => total + next, 0)
}
