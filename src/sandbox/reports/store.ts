import { PAYMENT_MODELS, type PaymentModel } from '../../contract/payment-models.ts'
import { type Db, statement } from '../../storage/database.ts'
import type { DateWindow } from '../kernel/paging.ts'
import type { AttributedSale, CommissionLine, Totals, Transaction, TransactionFilter } from './types.ts'

interface Scope {
  /** Null for all partners. */
  partnerId: string | null
}

interface PageOf {
  beforeSeq: number
  limit: number
}

const STATUS = `coalesce((SELECT status FROM orders WHERE orders.public_id = sales.public_id),
  (SELECT status FROM brokerage_cases WHERE brokerage_cases.case_id = sales.case_id))`

type SalesScope = Scope & { models: readonly PaymentModel[] }

/** Newest first. */
export function transactionsWhere(db: Db, filter: TransactionFilter & SalesScope & PageOf): Transaction[] {
  const sql = `SELECT seq, transaction_id AS transactionId, public_id AS publicId, case_id AS caseId, domain,
      gross_cents AS salePriceCents, commission_cents AS commissionCents, currency, payment_model AS paymentModel,
      ${STATUS} AS status, created_at AS createdAtMs
    FROM sales WHERE seq < @beforeSeq AND ${salesWhere(filter)} ORDER BY seq DESC LIMIT @limit`
  return statement<Transaction>(db, sql).all(filter)
}

export function totalsOf(db: Db, filter: TransactionFilter & SalesScope): Totals {
  const sql = `SELECT count(*) AS count, coalesce(sum(gross_cents), 0) AS gmvCents,
      coalesce(sum(commission_cents), 0) AS commissionCents
    FROM sales WHERE ${salesWhere(filter)}`
  return statement(db, sql).get(filter) as Totals
}

function salesWhere(filter: TransactionFilter & SalesScope): string {
  const wanted = ['true']
  const isEvery = PAYMENT_MODELS.every((model) => filter.models.includes(model))
  if (!isEvery) wanted.push(`payment_model IN (${filter.models.map((model) => `'${model}'`).join(', ')})`)
  if (filter.partnerId !== null) wanted.push('partner_id = @partnerId')
  if (filter.fromMs !== undefined) wanted.push('created_at >= @fromMs')
  if (filter.toMs !== undefined) wanted.push('created_at < @toMs')
  if (filter.paymentModel !== undefined) wanted.push('payment_model = @paymentModel')
  if (filter.status !== undefined) wanted.push(`${STATUS} = @status`)
  return wanted.join(' AND ')
}

export function saleByTransactionId(db: Db, transactionId: string): { seq: number; partnerId: string } | null {
  const row = statement(db, 'SELECT seq, partner_id AS partnerId FROM sales WHERE transaction_id = ?').get(
    transactionId,
  )
  return (row as { seq: number; partnerId: string } | undefined) ?? null
}

/** Lines about what the service owes; what a partner keeps of its own sales is none of it. */
const LINE = (
  index = '',
) => `SELECT ledger_entries.seq, entry_id AS entryId, ledger_entries.partner_id AS partnerId, kind,
    due_cents AS amountCents, balance_cents AS balanceCents, public_id AS publicId, case_id AS caseId,
    ledger_entries.created_at AS createdAtMs
  FROM ledger_entries ${index} JOIN sales ON sales.seq = sale_seq
  WHERE kind IN ('accrued', 'pending', 'paid_out', 'reversed')
    AND (payment_model <> 'partner_collected' OR due_cents <> 0)`

/** Newest first. */
export function commissionLinesWhere(db: Db, filter: DateWindow & Scope & PageOf): CommissionLine[] {
  const wanted = ['ledger_entries.seq < @beforeSeq']
  if (filter.partnerId !== null) wanted.push('ledger_entries.partner_id = @partnerId')
  if (filter.fromMs !== undefined) wanted.push('ledger_entries.created_at >= @fromMs')
  if (filter.toMs !== undefined) wanted.push('ledger_entries.created_at < @toMs')
  // SQLite would take the index of all lines, and walk over those of partner-collected sales one by one.
  const index = filter.partnerId === null ? '' : 'INDEXED BY ledger_of_commissions'
  const sql = `${LINE(index)} AND ${wanted.join(' AND ')} ORDER BY ledger_entries.seq DESC LIMIT @limit`
  return statement<CommissionLine>(db, sql).all(filter)
}

export function commissionLineById(db: Db, entryId: string): CommissionLine | null {
  return statement<CommissionLine>(db, `${LINE()} AND entry_id = ?`).get(entryId) ?? null
}

type AttributedScope = Scope & { sales: 'attributed' | 'all' }

const ATTRIBUTED = `SELECT orders.seq, orders.public_id AS publicId, orders.partner_id AS partnerId, link_id AS linkId,
    buyer, orders.domain, gross_cents AS amountCents, sales.commission_cents AS commissionCents,
    orders.currency, orders.created_at AS createdAtMs
  FROM orders JOIN sales ON sales.public_id = orders.public_id`

/** Newest first. */
export function attributedSalesWhere(db: Db, filter: DateWindow & AttributedScope & PageOf): AttributedSale[] {
  const sql = `${ATTRIBUTED} WHERE orders.seq < @beforeSeq AND ${attributedWhere(filter)}
    ORDER BY orders.seq DESC LIMIT @limit`
  return statement<AttributedRow>(db, sql).all(filter).map(attributedFrom)
}

export function attributedTotals(db: Db, filter: DateWindow & AttributedScope): Totals {
  const sql = `SELECT count(*) AS count, coalesce(sum(amountCents), 0) AS gmvCents,
      coalesce(sum(commissionCents), 0) AS commissionCents
    FROM (${ATTRIBUTED} WHERE ${attributedWhere(filter)})`
  return statement(db, sql).get(filter) as Totals
}

export function attributedSaleByPublicId(
  db: Db,
  publicId: string,
  sales: AttributedScope['sales'],
): AttributedSale | null {
  const sql = `${ATTRIBUTED} WHERE orders.public_id = @publicId AND ${attributedWhere({ partnerId: null, sales })}`
  const row = statement<AttributedRow>(db, sql).get({ publicId })
  return row ? attributedFrom(row) : null
}

function attributedWhere(filter: DateWindow & AttributedScope): string {
  const wanted = [filter.sales === 'all' ? '1' : 'link_id IS NOT NULL']
  if (filter.partnerId !== null) wanted.push('orders.partner_id = @partnerId')
  if (filter.fromMs !== undefined) wanted.push('orders.created_at >= @fromMs')
  if (filter.toMs !== undefined) wanted.push('orders.created_at < @toMs')
  return wanted.join(' AND ')
}

type AttributedRow = Omit<AttributedSale, 'buyer'> & { buyer: string }

function attributedFrom(row: AttributedRow): AttributedSale {
  const { email, country } = JSON.parse(row.buyer) as { email: string; country?: string }
  return { ...row, buyer: { email, country: country ?? null } }
}

/** Checkout sessions of a partner that came by one of its links. */
export function countLinkedCheckouts(db: Db, partnerId: string, { fromMs, toMs }: DateWindow): number {
  const wanted = ['partner_id = @partnerId', 'link_id IS NOT NULL']
  if (fromMs !== undefined) wanted.push('created_at >= @fromMs')
  if (toMs !== undefined) wanted.push('created_at < @toMs')
  const sql = `SELECT count(*) AS n FROM checkout_sessions WHERE ${wanted.join(' AND ')}`
  return (statement(db, sql).get({ partnerId, fromMs, toMs }) as { n: number }).n
}
