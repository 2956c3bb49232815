import type { PaymentModel } from '../../contract/payment-models.ts'
import { type Db, statement } from '../../storage/db.ts'
import { conditionsOf, storedRows, windowOn } from '../../storage/rows.ts'
import type { DateWindow } from '../kernel/paging.ts'
import type { Payout } from './types.ts'

/** A run: a settlement or a payout of all partners. */
export interface Run {
  seq: number
  runId: string
  ranAtMs: number
  /** The last event that it knew of. */
  eventSeq: number
  /** The last order or sale that it has come to; null once it is complete. */
  doneTo: number | null
}

/** How a run is shown. */
export type RunFacts = Pick<Run, 'seq' | 'runId' | 'ranAtMs'>

export const SETTLEMENT_RUNS = storedRows<Run & { orders: number }>()('settlement_runs', [
  'seq',
  'runId',
  'ranAtMs',
  'orders',
  'eventSeq',
  'doneTo',
])
export const PAYOUT_RUNS = storedRows<Run>()('payout_runs', ['seq', 'runId', 'ranAtMs', 'eventSeq', 'doneTo'])

type RunTable = 'settlement_runs' | 'payout_runs'

/** The run whose last batch is still to come, which can only be the last one; null if it is complete. */
export function openRun(db: Db, table: RunTable): (RunFacts & { doneTo: number }) | null {
  const sql = `SELECT seq, run_id AS runId, ran_at AS ranAtMs, done_to AS doneTo FROM ${table}
    WHERE seq = (SELECT max(seq) FROM ${table}) AND done_to IS NOT NULL`
  return statement<RunFacts & { doneTo: number }>(db, sql).get() ?? null
}

/** @param doneTo null for the last batch. */
export function endBatch(db: Db, table: RunTable, { seq }: RunFacts, doneTo: number | null): void {
  statement(db, `UPDATE ${table} SET done_to = ? WHERE seq = ?`).run(doneTo, seq)
}

/** Adds to what a settlement run has settled, and says which event it knew of last. */
export function countSettled(db: Db, { seq }: RunFacts, orders: number, eventSeq: number): void {
  statement(db, 'UPDATE settlement_runs SET orders = orders + ?, event_seq = ? WHERE seq = ?').run(
    orders,
    eventSeq,
    seq,
  )
}

/** Null if there is none of that id. */
export function runById(db: Db, table: RunTable, runId: string): RunFacts | null {
  const sql = `SELECT seq, run_id AS runId, ran_at AS ranAtMs FROM ${table} WHERE run_id = ?`
  return statement<RunFacts>(db, sql).get(runId) ?? null
}

interface PageOfRuns {
  beforeSeq: number
  limit: number
}

/** A settlement run of the past, with what its statements came to. */
export interface SettlementRunRow extends RunFacts {
  /** How many orders it settled. */
  orders: number
  statements: number
  owedCents: number
  /** Never positive. */
  adjustmentCents: number
}

const LINES_OF_RUN = `FROM settlement_statements AS made JOIN ledger_entries ON statement_seq = made.seq
  WHERE made.run_seq = settlement_runs.seq`

const SETTLEMENT_RUN = `SELECT seq, run_id AS runId, ran_at AS ranAtMs, orders,
  (SELECT count(*) FROM settlement_statements WHERE run_seq = settlement_runs.seq) AS statements,
  (SELECT 0 - coalesce(sum(min(unsettled_cents, 0)), 0) ${LINES_OF_RUN}) AS owedCents,
  (SELECT 0 - coalesce(sum(max(unsettled_cents, 0)), 0) ${LINES_OF_RUN}) AS adjustmentCents
  FROM settlement_runs`

/** Newest first. */
export function settlementRunsBefore(db: Db, page: PageOfRuns): SettlementRunRow[] {
  const sql = `${SETTLEMENT_RUN} WHERE seq < @beforeSeq ORDER BY seq DESC LIMIT @limit`
  return statement<SettlementRunRow>(db, sql).all(page)
}

export function lastSettlementRun(db: Db): (Run & { orders: number }) | null {
  return statement<Run & { orders: number }>(db, `${SETTLEMENT_RUNS.select} ORDER BY seq DESC LIMIT 1`).get() ?? null
}

/** A payout run of the past, with what its payouts came to. */
export interface PayoutRunRow extends RunFacts {
  payouts: number
  paidCents: number
}

/** Newest first. */
export function payoutRunsBefore(db: Db, page: PageOfRuns): PayoutRunRow[] {
  return statement<PayoutRunRow>(
    db,
    `SELECT seq, run_id AS runId, ran_at AS ranAtMs,
       (SELECT count(*) FROM payouts WHERE run_seq = payout_runs.seq) AS payouts,
       (SELECT coalesce(sum(amount_cents), 0) FROM payouts WHERE run_seq = payout_runs.seq) AS paidCents
     FROM payout_runs WHERE seq < @beforeSeq ORDER BY seq DESC LIMIT @limit`,
  ).all(page)
}

/** Everyone who has or had a credential, and since when. */
export function partnersOfWorld(db: Db): { partnerId: string; sinceMs: number }[] {
  return statement<{ partnerId: string; sinceMs: number }>(
    db,
    `SELECT partner_id AS partnerId, min(created_at) AS sinceMs FROM credentials GROUP BY partner_id ORDER BY min(id)`,
  ).all()
}

export function lastPeriodEnd(db: Db, partnerId: string): number | null {
  const sql = 'SELECT period_end FROM settlement_statements WHERE partner_id = ? ORDER BY seq DESC LIMIT 1'
  return statement<number>(db, sql).pluck().get(partnerId) ?? null
}

export interface StatementRow {
  seq: number
  statementId: string
  partnerId: string
  periodStartMs: number
  periodEndMs: number
}

export const STATEMENTS = storedRows<StatementRow & { runSeq: number }>()('settlement_statements', [
  'seq',
  'statementId',
  'runSeq',
  'partnerId',
  'periodStartMs',
  'periodEndMs',
])

export function statementById(db: Db, statementId: string): StatementRow | null {
  return STATEMENTS.where(db, 'statement_id = ?').get(statementId) ?? null
}

/** The statement of each partner that a run makes. */
export function statementSeqs(db: Db, runSeq: number): Map<string, number> {
  return new Map(statementRowsOfRun(db, runSeq).map(({ partnerId, seq }) => [partnerId, seq]))
}

export function statementRowsOfRun(db: Db, runSeq: number): StatementRow[] {
  return STATEMENTS.where(db, 'run_seq = ? ORDER BY seq').all(runSeq)
}

interface PageFilter extends DateWindow {
  /** Null for all partners. */
  partnerId: string | null
  beforeSeq: number
  limit: number
}

const stated = conditionsOf<PageFilter>('seq < @beforeSeq', 'partner_id = @partnerId', ...windowOn('period_end'))

/** Newest first. */
export function statementRowsWhere(db: Db, filter: PageFilter): StatementRow[] {
  return STATEMENTS.where(db, `${stated(filter)} ORDER BY seq DESC LIMIT @limit`).all(filter)
}

/** A line of a statement: it settles an order, or makes up for one that was undone after an earlier statement. */
export interface StatementLine {
  seq: number
  /** What was booked for the order; null for a line that makes up for one. */
  settled: { publicId: string; grossCents: number; commissionCents: number } | null
  /** Positive where it takes something off what is owed. */
  unsettledCents: number
}

const LINE = `SELECT line.seq, unsettled_cents AS unsettledCents, public_id AS publicId,
    (SELECT gross_cents FROM ledger_entries WHERE sale_seq = sales.seq AND gross_cents > 0) AS grossCents,
    (SELECT commission_cents FROM ledger_entries WHERE sale_seq = sales.seq AND gross_cents > 0) AS commissionCents
  FROM ledger_entries AS line JOIN sales ON sales.seq = sale_seq JOIN orders ON orders.seq = order_seq
  WHERE statement_seq = ? AND line.seq > ? ORDER BY line.seq LIMIT ?`

/** Some lines of a statement, in the order in which its run booked them. */
export function linesOfStatement(db: Db, statementSeq: number, afterSeq: number, limit: number): StatementLine[] {
  type Row = Pick<StatementLine, 'seq' | 'unsettledCents'> & NonNullable<StatementLine['settled']>
  const rows = statement<Row>(db, LINE).all(statementSeq, afterSeq, limit)
  // A line that settles an order takes off what was not stated yet; one that makes up for an undone order adds to it.
  return rows.map(({ seq, unsettledCents, ...settled }) => ({
    seq,
    unsettledCents,
    settled: unsettledCents <= 0 ? settled : null,
  }))
}

/** How many orders a statement settles. */
export function ordersOfStatement(db: Db, statementSeq: number): number {
  const sql = 'SELECT count(*) FROM ledger_entries WHERE statement_seq = ? AND unsettled_cents <= 0'
  return statement<number>(db, sql).pluck().get(statementSeq) as number
}

/** Sales that were undone after a statement had stated them, as far as none has made up for it. */
export function undoneAfterSettlement(db: Db): { saleSeq: number; partnerId: string; unsettledCents: number }[] {
  return statement<{ saleSeq: number; partnerId: string; unsettledCents: number }>(
    db,
    `SELECT sale_seq AS saleSeq, partner_id AS partnerId, sum(unsettled_cents) AS unsettledCents
     FROM (SELECT DISTINCT sale_seq AS undone FROM ledger_entries INDEXED BY ledger_reversed WHERE kind = 'reversed')
     CROSS JOIN ledger_entries ON sale_seq = undone
     GROUP BY sale_seq HAVING sum(unsettled_cents) < 0 ORDER BY sale_seq`,
  ).all()
}

/** What may be paid for a sale now; negative where more was paid than it turned out to be worth. */
export interface Payable {
  saleSeq: number
  partnerId: string
  paymentModel: PaymentModel
  cents: number
}

/** Some of the sales for which something may be paid, in the order of their numbers. */
export function payables(db: Db, page: { afterSeq: number; limit: number }): Payable[] {
  return statement<Payable>(db, `${PAYABLE} ORDER BY saleSeq LIMIT ?`).all(page.afterSeq, page.limit)
}

/** What may be paid to each partner for its sales of each model, in the order of the first of these sales. */
export function payableSums(db: Db): Omit<Payable, 'saleSeq'>[] {
  const sql = `SELECT partnerId, paymentModel, sum(cents) AS cents FROM (${PAYABLE})
    GROUP BY partnerId, paymentModel ORDER BY min(saleSeq)`
  return statement<Omit<Payable, 'saleSeq'>>(db, sql).all(0)
}

const PAYABLE = `SELECT sale_seq AS saleSeq, sales.partner_id AS partnerId, payment_model AS paymentModel,
    sum(payable_cents) AS cents
  FROM ledger_entries JOIN sales ON sales.seq = sale_seq
  WHERE payable_cents <> 0 AND sale_seq > ?
  GROUP BY sale_seq HAVING sum(payable_cents) <> 0`

export const PAYOUTS = storedRows<Payout & { runSeq: number }>()('payouts', [
  'seq',
  'payoutId',
  'runSeq',
  'partnerId',
  'kind',
  'amountCents',
  'currency',
  'paidAtMs',
])

export function payoutById(db: Db, payoutId: string): Payout | null {
  return PAYOUTS.where(db, 'payout_id = ?').get(payoutId) ?? null
}

const paid = conditionsOf<Partial<PageFilter>>('seq < @beforeSeq', 'partner_id = @partnerId', ...windowOn('paid_at'))

/** Newest first. */
export function payoutsWhere(db: Db, filter: PageFilter): Payout[] {
  return PAYOUTS.where(db, `${paid(filter)} ORDER BY seq DESC LIMIT @limit`).all(filter)
}

export function payoutsOfRun(db: Db, runSeq: number): Payout[] {
  return PAYOUTS.where(db, 'run_seq = ? ORDER BY seq').all(runSeq)
}

export function totalPaid(db: Db, filter: DateWindow & { partnerId: string | null }): number {
  const sql = `SELECT coalesce(sum(amount_cents), 0) FROM payouts WHERE ${paid(filter)}`
  return statement<number>(db, sql).pluck().get(filter) as number
}
