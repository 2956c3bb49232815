import type { PaymentModel } from '../../contract/payment-models.ts'
import { type Db, statement } from '../../storage/database.ts'
import type { Sale, SaleRef } from './ledger.ts'

/** What a line tells of. The first and the last are about what the partner owes, the others about what it is owed. */
export type EntryKind = 'retained' | 'accrued' | 'pending' | 'paid_out' | 'reversed' | 'settled'

/** One line of the ledger, complete. */
export interface Entry {
  seq: number
  entryId: string
  saleSeq: number
  partnerId: string
  kind: EntryKind
  grossCents: number
  commissionCents: number
  dueCents: number
  payableCents: number
  unsettledCents: number
  /** What the partner was owed in all, this line included. */
  balanceCents: number
  statementSeq: number | null
  payoutSeq: number | null
  createdAtMs: number
}

export function insertSale(db: Db, sale: Sale): void {
  statement(
    db,
    `INSERT INTO sales (seq, transaction_id, partner_id, public_id, case_id, domain, payment_model, currency, created_at)
     VALUES (@seq, @transactionId, @partnerId, @publicId, @caseId, @domain, @paymentModel, @currency, @createdAtMs)`,
  ).run(sale)
}

export function insertEntry(db: Db, entry: Entry): void {
  statement(
    db,
    `INSERT INTO ledger_entries (seq, entry_id, sale_seq, partner_id, kind, gross_cents, commission_cents, due_cents,
       payable_cents, unsettled_cents, balance_cents, statement_seq, payout_seq, created_at)
     VALUES (@seq, @entryId, @saleSeq, @partnerId, @kind, @grossCents, @commissionCents, @dueCents,
       @payableCents, @unsettledCents, @balanceCents, @statementSeq, @payoutSeq, @createdAtMs)`,
  ).run(entry)
}

interface SaleRow {
  seq: number
  transaction_id: string
  partner_id: string
  public_id: string | null
  case_id: string | null
  domain: string | null
  payment_model: PaymentModel
  currency: string
  created_at: number
}

export function saleOf(db: Db, ref: SaleRef): Sale | null {
  const row =
    'publicId' in ref
      ? statement(db, 'SELECT * FROM sales WHERE public_id = ?').get(ref.publicId)
      : statement(db, 'SELECT * FROM sales WHERE case_id = ?').get(ref.caseId)
  return row ? saleFrom(row as SaleRow) : null
}

function saleFrom(row: SaleRow): Sale {
  return {
    seq: row.seq,
    transactionId: row.transaction_id,
    partnerId: row.partner_id,
    publicId: row.public_id,
    caseId: row.case_id,
    domain: row.domain,
    paymentModel: row.payment_model,
    currency: row.currency,
    createdAtMs: row.created_at,
  }
}

/** Where a sale stands: sums of its lines, and whether its commission may be or has been paid. */
export interface Standing {
  grossCents: number
  commissionCents: number
  payableCents: number
  unsettledCents: number
  isPending: boolean
}

export function standingOf(db: Db, saleSeq: number): Standing {
  const row = statement(
    db,
    `SELECT coalesce(sum(gross_cents), 0) AS grossCents, coalesce(sum(commission_cents), 0) AS commissionCents,
       coalesce(sum(payable_cents), 0) AS payableCents, coalesce(sum(unsettled_cents), 0) AS unsettledCents,
       coalesce(max(kind = 'pending'), 0) AS isPending
     FROM ledger_entries WHERE sale_seq = ?`,
  ).get(saleSeq) as Omit<Standing, 'isPending'> & { isPending: 0 | 1 }
  return { ...row, isPending: row.isPending === 1 }
}

/** What a partner is owed now: as its latest line says, so that writing a line needs no sum over all lines. */
export function balanceOf(db: Db, partnerId: string): number {
  const row = statement(
    db,
    'SELECT balance_cents AS balanceCents FROM ledger_entries WHERE partner_id = ? ORDER BY seq DESC LIMIT 1',
  ).get(partnerId) as { balanceCents: number } | undefined
  return row?.balanceCents ?? 0
}
