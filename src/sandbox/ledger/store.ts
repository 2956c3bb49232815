import { type Db, statement } from '../../storage/database.ts'
import type { Sale, SaleRef } from './types.ts'

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
    `INSERT INTO sales (seq, transaction_id, partner_id, public_id, case_id, domain, payment_model, currency,
       gross_cents, commission_cents, rate_basis_points, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    sale.seq,
    sale.transactionId,
    sale.partnerId,
    sale.publicId,
    sale.caseId,
    sale.domain,
    sale.paymentModel,
    sale.currency,
    sale.grossCents,
    sale.commissionCents,
    sale.rateBasisPoints,
    sale.createdAtMs,
  )
}

/** From now on the sale is worth nothing; call it with the line that says so. */
export function endWorth(db: Db, saleSeq: number): void {
  statement(db, 'UPDATE sales SET gross_cents = 0, commission_cents = 0 WHERE seq = ?').run(saleSeq)
}

export function insertEntry(db: Db, entry: Entry): void {
  statement(
    db,
    `INSERT INTO ledger_entries (seq, entry_id, sale_seq, partner_id, kind, gross_cents, commission_cents, due_cents,
       payable_cents, unsettled_cents, balance_cents, statement_seq, payout_seq, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    entry.seq,
    entry.entryId,
    entry.saleSeq,
    entry.partnerId,
    entry.kind,
    entry.grossCents,
    entry.commissionCents,
    entry.dueCents,
    entry.payableCents,
    entry.unsettledCents,
    entry.balanceCents,
    entry.statementSeq,
    entry.payoutSeq,
    entry.createdAtMs,
  )
}

const SELECT_SALE = `SELECT seq, transaction_id AS transactionId, partner_id AS partnerId, public_id AS publicId,
  case_id AS caseId, domain, payment_model AS paymentModel, currency, gross_cents AS grossCents,
  commission_cents AS commissionCents, rate_basis_points AS rateBasisPoints, created_at AS createdAtMs FROM sales`

export function saleOf(db: Db, ref: SaleRef): Sale | null {
  const found =
    'publicId' in ref
      ? statement<Sale>(db, `${SELECT_SALE} WHERE public_id = ?`).get(ref.publicId)
      : statement<Sale>(db, `${SELECT_SALE} WHERE case_id = ?`).get(ref.caseId)
  return found ?? null
}

/** Whether the commission of a sale may be paid out or has been. */
export function isPending(db: Db, saleSeq: number): boolean {
  const sql = "SELECT 1 FROM ledger_entries WHERE sale_seq = ? AND kind = 'pending' LIMIT 1"
  return statement(db, sql).get(saleSeq) !== undefined
}

/** What a partner is owed now: as its latest line says, so that writing a line needs no sum over all lines. */
export function balanceOf(db: Db, partnerId: string): number {
  const row = statement<{ balanceCents: number }>(
    db,
    'SELECT balance_cents AS balanceCents FROM ledger_entries WHERE partner_id = ? ORDER BY seq DESC LIMIT 1',
  ).get(partnerId)
  return row?.balanceCents ?? 0
}
