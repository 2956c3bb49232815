import type { PaymentModel } from '../../contract/payment-models.ts'
import type { Rules } from '../../contract/rules.ts'
import { type Db, statement } from '../../storage/database.ts'
import type { DateWindow } from '../kernel/paging.ts'
import type { Payout } from './types.ts'

interface Run {
  seq: number
  runId: string
  ranAtMs: number
  /** The last event that it knew of. */
  eventSeq: number
}

export function insertRun(db: Db, run: Run & { settled: readonly unknown[] }): void {
  statement(
    db,
    'INSERT INTO settlement_runs (seq, run_id, ran_at, orders, event_seq) VALUES (@seq, @runId, @ranAtMs, @orders, @eventSeq)',
  ).run({ ...factsOf(run), orders: run.settled.length })
}

/** A settlement run of the past, with what its statements came to. */
export interface SettlementRunRow {
  seq: number
  runId: string
  ranAtMs: number
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
export function settlementRunsBefore(db: Db, beforeSeq: number, limit: number): SettlementRunRow[] {
  const sql = `${SETTLEMENT_RUN} WHERE seq < ? ORDER BY seq DESC LIMIT ?`
  return statement<SettlementRunRow>(db, sql).all(beforeSeq, limit)
}

export function settlementRunSeq(db: Db, runId: string): number | null {
  const sql = 'SELECT seq FROM settlement_runs WHERE run_id = ?'
  return statement<number>(db, sql).pluck().get(runId) ?? null
}

/** The latest run of all. */
export function lastRun(db: Db): { ranAtMs: number; eventSeq: number } | null {
  const sql = 'SELECT ran_at AS ranAtMs, event_seq AS eventSeq FROM settlement_runs ORDER BY seq DESC LIMIT 1'
  return statement<{ ranAtMs: number; eventSeq: number }>(db, sql).get() ?? null
}

export function insertPayoutRun(db: Db, run: Run): void {
  statement(
    db,
    'INSERT INTO payout_runs (seq, run_id, ran_at, event_seq) VALUES (@seq, @runId, @ranAtMs, @eventSeq)',
  ).run(factsOf(run))
}

/** A payout run of the past, with what its payouts came to. */
export interface PayoutRunRow {
  seq: number
  runId: string
  ranAtMs: number
  payouts: number
  paidCents: number
}

/** Newest first. */
export function payoutRunsBefore(db: Db, beforeSeq: number, limit: number): PayoutRunRow[] {
  return statement<PayoutRunRow>(
    db,
    `SELECT seq, run_id AS runId, ran_at AS ranAtMs,
       (SELECT count(*) FROM payouts WHERE run_seq = payout_runs.seq) AS payouts,
       (SELECT coalesce(sum(amount_cents), 0) FROM payouts WHERE run_seq = payout_runs.seq) AS paidCents
     FROM payout_runs WHERE seq < ? ORDER BY seq DESC LIMIT ?`,
  ).all(beforeSeq, limit)
}

export function payoutRunSeq(db: Db, runId: string): number | null {
  const sql = 'SELECT seq FROM payout_runs WHERE run_id = ?'
  return statement<number>(db, sql).pluck().get(runId) ?? null
}

function factsOf({ seq, runId, ranAtMs, eventSeq }: Run): Run {
  return { seq, runId, ranAtMs, eventSeq }
}

/** Everyone who has or had a credential, and since when. */
export function partnersOfWorld(db: Db): { partnerId: string; sinceMs: number }[] {
  return statement<{ partnerId: string; sinceMs: number }>(
    db,
    `SELECT partner_id AS partnerId, min(created_at) AS sinceMs FROM credentials GROUP BY partner_id ORDER BY min(id)`,
  ).all()
}

export function lastPeriodEnd(db: Db, partnerId: string): number | null {
  const row = statement<{ endMs: number }>(
    db,
    'SELECT period_end AS endMs FROM settlement_statements WHERE partner_id = ? ORDER BY seq DESC LIMIT 1',
  ).get(partnerId)
  return row?.endMs ?? null
}

export interface StatementRow {
  seq: number
  statementId: string
  partnerId: string
  periodStartMs: number
  periodEndMs: number
}

const STATEMENT = `SELECT seq, statement_id AS statementId, partner_id AS partnerId, period_start AS periodStartMs,
  period_end AS periodEndMs FROM settlement_statements`

export function insertStatement(db: Db, row: StatementRow & { runSeq: number }): void {
  statement(
    db,
    `INSERT INTO settlement_statements (seq, statement_id, run_seq, partner_id, period_start, period_end)
     VALUES (@seq, @statementId, @runSeq, @partnerId, @periodStartMs, @periodEndMs)`,
  ).run(row)
}

export function statementById(db: Db, statementId: string): StatementRow | null {
  return statement<StatementRow>(db, `${STATEMENT} WHERE statement_id = ?`).get(statementId) ?? null
}

export function statementRowsOfRun(db: Db, runSeq: number): StatementRow[] {
  return statement<StatementRow>(db, `${STATEMENT} WHERE run_seq = ? ORDER BY seq`).all(runSeq)
}

interface PageFilter extends DateWindow {
  /** Null for all partners. */
  partnerId: string | null
  beforeSeq: number
  limit: number
}

/** Newest first. */
export function statementRowsWhere(db: Db, filter: PageFilter): StatementRow[] {
  const sql = `${STATEMENT} WHERE ${conditions(filter, 'period_end')} ORDER BY seq DESC LIMIT @limit`
  return statement<StatementRow>(db, sql).all(filter)
}

/** What the filter asks for, `at` being the column that the date range is about. */
function conditions(filter: Partial<PageFilter>, at: string): string {
  const wanted = ['1']
  if (filter.beforeSeq !== undefined) wanted.push('seq < @beforeSeq')
  if (filter.partnerId !== null) wanted.push('partner_id = @partnerId')
  if (filter.fromMs !== undefined) wanted.push(`${at} >= @fromMs`)
  if (filter.toMs !== undefined) wanted.push(`${at} < @toMs`)
  return wanted.join(' AND ')
}

/** What the lines of a statement come to: those that settle an order, and apart from them those that make up for one. */
export interface StatementSums {
  orders: number
  grossCents: number
  commissionCents: number
  owedCents: number
  /** Never positive. */
  adjustmentCents: number
}

// A line that settles an order takes off what was not stated yet; one that makes up for an undone order adds to it.
export function sumsOfStatement(db: Db, statementSeq: number): StatementSums {
  return statement(
    db,
    `SELECT count(booked.seq) AS orders, coalesce(sum(booked.gross_cents), 0) AS grossCents,
       coalesce(sum(booked.commission_cents), 0) AS commissionCents,
       0 - coalesce(sum(min(settled.unsettled_cents, 0)), 0) AS owedCents,
       0 - coalesce(sum(max(settled.unsettled_cents, 0)), 0) AS adjustmentCents
     FROM ledger_entries AS settled
     LEFT JOIN ledger_entries AS booked
       ON settled.unsettled_cents <= 0 AND booked.sale_seq = settled.sale_seq AND booked.gross_cents > 0
     WHERE settled.statement_seq = ?`,
  ).get(statementSeq) as StatementSums
}

/** The orders that a statement settles, in the order in which its run did. */
export function ordersOfStatement(db: Db, statementSeq: number): string[] {
  const sql = `SELECT public_id FROM ledger_entries AS settled JOIN sales ON sales.seq = sale_seq
    WHERE statement_seq = ? AND unsettled_cents <= 0 ORDER BY settled.seq`
  return statement<string>(db, sql).pluck().all(statementSeq)
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

export function payables(db: Db, { models, pays }: Rules['payouts']): Payable[] {
  const isSound = pays === 'payable' && !models.includes('partner_collected')
  const found = statement<Payable>(db, isSound ? PAYABLE : EARNED(pays)).all()
  return found.filter(({ paymentModel }) => models.includes(paymentModel))
}

const PAYABLE = `SELECT sale_seq AS saleSeq, sales.partner_id AS partnerId, payment_model AS paymentModel,
    sum(payable_cents) AS cents
  FROM ledger_entries JOIN sales ON sales.seq = sale_seq WHERE payable_cents <> 0
  GROUP BY sale_seq HAVING sum(payable_cents) <> 0 ORDER BY sale_seq`

/** For broken variants, which pay what was retained, or what is not yet payable. */
const EARNED = (pays: Rules['payouts']['pays']) => `SELECT sale_seq AS saleSeq, sales.partner_id AS partnerId,
    payment_model AS paymentModel, sum(CASE payment_model WHEN 'partner_collected' THEN ledger_entries.commission_cents + due_cents
      ELSE ${pays === 'payable' ? 'payable_cents' : 'due_cents'} END) AS cents
  FROM ledger_entries JOIN sales ON sales.seq = sale_seq GROUP BY sale_seq HAVING cents <> 0 ORDER BY sale_seq`

const PAYOUT = `SELECT seq, payout_id AS payoutId, partner_id AS partnerId, kind, amount_cents AS amountCents, currency,
  paid_at AS paidAtMs FROM payouts`

export function insertPayout(db: Db, payout: Payout, runSeq: number): void {
  statement(
    db,
    `INSERT INTO payouts (seq, payout_id, run_seq, partner_id, kind, amount_cents, currency, paid_at)
     VALUES (@seq, @payoutId, @runSeq, @partnerId, @kind, @amountCents, @currency, @paidAtMs)`,
  ).run({ ...payout, runSeq })
}

export function payoutById(db: Db, payoutId: string): Payout | null {
  return statement<Payout>(db, `${PAYOUT} WHERE payout_id = ?`).get(payoutId) ?? null
}

/** Newest first. */
export function payoutsWhere(db: Db, filter: PageFilter): Payout[] {
  const sql = `${PAYOUT} WHERE ${conditions(filter, 'paid_at')} ORDER BY seq DESC LIMIT @limit`
  return statement<Payout>(db, sql).all(filter)
}

export function payoutsOfRun(db: Db, runSeq: number): Payout[] {
  return statement<Payout>(db, `${PAYOUT} WHERE run_seq = ? ORDER BY seq`).all(runSeq)
}

export function totalPaid(db: Db, filter: DateWindow & { partnerId: string | null }): number {
  const { partnerId, fromMs, toMs } = filter
  const sql = `SELECT coalesce(sum(amount_cents), 0) AS cents FROM payouts
    WHERE ${conditions({ partnerId, fromMs, toMs }, 'paid_at')}`
  return (statement(db, sql).get({ partnerId, fromMs, toMs }) as { cents: number }).cents
}
