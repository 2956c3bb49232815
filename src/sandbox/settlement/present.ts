import { formatInstant } from '../../clock/instant.ts'
import type { Payout } from './payout-runs.ts'
import type { Statement } from './statements.ts'

/** A statement without its orders, which may be very many. */
export function presentStatement(statement: Statement) {
  return {
    statement_id: statement.statementId,
    period_start: formatInstant(statement.periodStartMs),
    period_end: formatInstant(statement.periodEndMs),
    gross_sold_cents: statement.grossSoldCents,
    commission_retained_cents: statement.commissionRetainedCents,
    amount_owed_cents: statement.amountOwedCents,
    adjustment_cents: statement.adjustmentCents,
    currency: statement.currency,
  }
}

export function presentPayout(payout: Payout) {
  return {
    payout_id: payout.payoutId,
    amount_cents: payout.amountCents,
    currency: payout.currency,
    kind: payout.kind,
    paid_at: formatInstant(payout.paidAtMs),
  }
}
