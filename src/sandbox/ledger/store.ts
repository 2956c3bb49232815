import type { PaymentModel } from '../../contract/payment-models.ts'
import { type Db, statement } from '../../storage/db.ts'
import { storedRows } from '../../storage/rows.ts'

/** What was sold: an order, or the deal of a brokerage case. */
export type SaleRef = { orderSeq: number } | { caseId: string }

export interface Sale {
  seq: number
  partnerId: string
  orderSeq: number | null
  caseId: string | null
  domain: string | null
  paymentModel: PaymentModel
  currency: string
  /** What it is worth now: the sum of its lines, which is nothing once it is undone. */
  grossCents: number
  commissionCents: number
  /** The partner's share of the price as it was when it was sold. */
  rateBasisPoints: number
  createdAtMs: number
}

/** What a line is about. The first and the last are about what the partner owes, the others about what it is owed. */
type EntryKind = 'retained' | 'accrued' | 'pending' | 'paid_out' | 'reversed' | 'settled'

export interface Entry {
  seq: number
  saleSeq: number
  partnerId: string
  kind: EntryKind
  /** All five are signed. */
  grossCents: number
  commissionCents: number
  /** What the service owes the partner. */
  dueCents: number
  /** The part of it that a payout run may pay now. */
  payableCents: number
  /** What the partner owes the service and no statement has said yet. */
  unsettledCents: number
  /** What the partner was owed in all, this line included. */
  balanceCents: number
  statementSeq: number | null
  payoutSeq: number | null
  createdAtMs: number
}

export const SALES = storedRows<Sale>()('sales', [
  'seq',
  'partnerId',
  'orderSeq',
  'caseId',
  'domain',
  'paymentModel',
  'currency',
  'grossCents',
  'commissionCents',
  'rateBasisPoints',
  'createdAtMs',
])

export const ENTRIES = storedRows<Entry>()('ledger_entries', [
  'seq',
  'saleSeq',
  'partnerId',
  'kind',
  'grossCents',
  'commissionCents',
  'dueCents',
  'payableCents',
  'unsettledCents',
  'balanceCents',
  'statementSeq',
  'payoutSeq',
  'createdAtMs',
])

/** From now on the sale is worth nothing; call it with the line that says so. */
export function endWorth(db: Db, saleSeq: number): void {
  statement(db, 'UPDATE sales SET gross_cents = 0, commission_cents = 0 WHERE seq = ?').run(saleSeq)
}

export function saleOf(db: Db, ref: SaleRef): Sale | null {
  if ('orderSeq' in ref) return SALES.where(db, 'order_seq = ?').get(ref.orderSeq) ?? null
  return SALES.where(db, 'case_id = ?').get(ref.caseId) ?? null
}

/** Whether the commission of a sale may be paid out or has been. */
export function isPending(db: Db, saleSeq: number): boolean {
  const sql = "SELECT 1 FROM ledger_entries WHERE sale_seq = ? AND kind = 'pending' LIMIT 1"
  return statement(db, sql).get(saleSeq) !== undefined
}

/** What a partner is owed now: as its latest line says, so that writing a line needs no sum over all lines. */
export function balanceOf(db: Db, partnerId: string): number {
  const sql = 'SELECT balance_cents FROM ledger_entries WHERE partner_id = ? ORDER BY seq DESC LIMIT 1'
  return statement<number>(db, sql).pluck().get(partnerId) ?? 0
}
