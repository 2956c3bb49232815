import { type Db, statement } from '../../storage/db.ts'
import { conditionsOf, windowOn } from '../../storage/rows.ts'
import type { DateWindow } from '../kernel/paging.ts'
import type { AttributedSale, CommissionLine, Totals, Transaction, TransactionFilter } from './types.ts'

interface ReportScope extends DateWindow {
  partnerId: string
}

interface PageOf {
  beforeSeq: number
  limit: number
}

const PUBLIC_ID = '(SELECT public_id FROM orders WHERE orders.seq = sales.order_seq)'

const STATUS = `coalesce((SELECT status FROM orders WHERE orders.seq = sales.order_seq),
  (SELECT status FROM brokerage_cases WHERE brokerage_cases.case_id = sales.case_id))`

type SalesScope = ReportScope & TransactionFilter

/** Newest first. */
export function transactionsWhere(db: Db, filter: SalesScope & PageOf): Transaction[] {
  const sql = `SELECT seq, ${PUBLIC_ID} AS publicId, case_id AS caseId, domain,
      gross_cents AS salePriceCents, commission_cents AS commissionCents, currency, payment_model AS paymentModel,
      ${STATUS} AS status, created_at AS createdAtMs
    FROM sales WHERE seq < @beforeSeq AND ${salesWhere(filter)} ORDER BY seq DESC LIMIT @limit`
  return statement<Transaction>(db, sql).all(filter)
}

export function totalsOf(db: Db, filter: SalesScope): Totals {
  const sql = `SELECT count(*) AS count, coalesce(sum(gross_cents), 0) AS gmvCents,
      coalesce(sum(commission_cents), 0) AS commissionCents
    FROM sales WHERE ${salesWhere(filter)}`
  return statement<Totals>(db, sql).get(filter) as Totals
}

const salesWhere = conditionsOf<SalesScope>(
  'partner_id = @partnerId',
  ...windowOn('created_at'),
  'payment_model = @paymentModel',
  `${STATUS} = @status`,
)

export function saleBySeq(db: Db, seq: number): { seq: number; partnerId: string } | null {
  const sql = 'SELECT seq, partner_id AS partnerId FROM sales WHERE seq = ?'
  return statement<{ seq: number; partnerId: string }>(db, sql).get(seq) ?? null
}

/** Lines about what the service owes, without what a partner keeps of its own sales. */
const LINE = (index = '') => `SELECT ledger_entries.seq, ledger_entries.partner_id AS partnerId, kind,
    due_cents AS amountCents, balance_cents AS balanceCents, ${PUBLIC_ID} AS publicId, case_id AS caseId,
    ledger_entries.created_at AS createdAtMs
  FROM ledger_entries ${index} JOIN sales ON sales.seq = sale_seq
  WHERE kind IN ('accrued', 'pending', 'paid_out', 'reversed')
    AND (payment_model <> 'partner_collected' OR due_cents <> 0)`

const linesWhere = conditionsOf<ReportScope & PageOf>(
  'ledger_entries.seq < @beforeSeq',
  'ledger_entries.partner_id = @partnerId',
  ...windowOn('ledger_entries.created_at'),
)

/** Newest first. */
export function commissionLinesWhere(db: Db, filter: ReportScope & PageOf): CommissionLine[] {
  // SQLite would take the index of all lines, and walk over those of partner-collected sales one by one.
  const sql = `${LINE('INDEXED BY ledger_of_commissions')} AND ${linesWhere(filter)} ORDER BY ledger_entries.seq DESC LIMIT @limit`
  return statement<CommissionLine>(db, sql).all(filter)
}

export function commissionLineBySeq(db: Db, seq: number): CommissionLine | null {
  return statement<CommissionLine>(db, `${LINE()} AND ledger_entries.seq = ?`).get(seq) ?? null
}

const ATTRIBUTED = `SELECT orders.seq, orders.public_id AS publicId, orders.partner_id AS partnerId, link_id AS linkId,
    buyer, orders.domain, gross_cents AS amountCents, sales.commission_cents AS commissionCents,
    orders.currency, orders.created_at AS createdAtMs
  FROM orders JOIN sales ON sales.order_seq = orders.seq WHERE link_id IS NOT NULL`

/** Newest first. */
export function attributedSalesWhere(db: Db, filter: ReportScope & PageOf): AttributedSale[] {
  const sql = `${ATTRIBUTED} AND orders.seq < @beforeSeq AND ${boughtWhere(filter)}
    ORDER BY orders.seq DESC LIMIT @limit`
  return statement<AttributedRow>(db, sql).all(filter).map(attributedFrom)
}

export function attributedTotals(db: Db, filter: ReportScope): Totals {
  const sql = `SELECT count(*) AS count, coalesce(sum(amountCents), 0) AS gmvCents,
      coalesce(sum(commissionCents), 0) AS commissionCents
    FROM (${ATTRIBUTED} AND ${boughtWhere(filter)})`
  return statement<Totals>(db, sql).get(filter) as Totals
}

export function attributedSaleByPublicId(db: Db, publicId: string): AttributedSale | null {
  const sql = `${ATTRIBUTED} AND orders.public_id = ?`
  const row = statement<AttributedRow>(db, sql).get(publicId)
  return row ? attributedFrom(row) : null
}

const boughtWhere = conditionsOf<ReportScope>('orders.partner_id = @partnerId', ...windowOn('orders.created_at'))

type AttributedRow = Omit<AttributedSale, 'buyer'> & { buyer: string }

function attributedFrom(row: AttributedRow): AttributedSale {
  const { email, country } = JSON.parse(row.buyer) as { email: string; country?: string }
  return { ...row, buyer: { email, country: country ?? null } }
}

const openedWhere = conditionsOf<ReportScope>('partner_id = @partnerId', ...windowOn('created_at'))

/** Checkout sessions of a partner that came by one of its links. */
export function countLinkedCheckouts(db: Db, filter: ReportScope): number {
  const sql = `SELECT count(*) FROM checkout_sessions WHERE link_id IS NOT NULL AND ${openedWhere(filter)}`
  return statement<number>(db, sql).pluck().get(filter) as number
}
