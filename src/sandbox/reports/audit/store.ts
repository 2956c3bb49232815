import type { OrderState } from '../../../contract/order-states.ts'
import type { OrderPaymentModel, PaymentModel } from '../../../contract/payment-models.ts'
import { type Db, statement } from '../../../storage/database.ts'

const TABLES = {
  events: 'events',
  orders: 'orders',
  cases: 'brokerage_cases',
  sales: 'sales',
  entries: 'ledger_entries',
  refunds: 'refunds',
  settlementRuns: 'settlement_runs',
  payoutRuns: 'payout_runs',
}

/** Up to which row of each table an audit looks, so that what happens meanwhile is not half in it. */
export type Extent = Record<keyof typeof TABLES, number>

export function extentOf(db: Db): Extent {
  const lasts = Object.entries(TABLES).map(([name, table]) => `(SELECT coalesce(max(seq), 0) FROM ${table}) AS ${name}`)
  return statement<Extent>(db, `SELECT ${lasts.join(', ')}`).get() as Extent
}

/** Some rows: after the first, up to and including the last. */
export interface Stretch {
  afterSeq: number
  toSeq: number
  /** The last line of the ledger that counts. */
  lastEntry: number
}

/** How rows of a kind are read. */
export type ReadRows<Row> = (db: Db, stretch: Stretch) => Row[]

function reading<Row>(sql: string): ReadRows<Row> {
  return (db, stretch) => statement<Row>(db, sql).all(stretch)
}

/** A state that an order has reached, beside what its row says of it. */
export interface OrderRow {
  publicId: string
  partnerId: string
  domain: string
  status: OrderState
  priceCents: number
  commissionCents: number
  paymentModel: OrderPaymentModel
  reached: OrderState | null
  /** The refund that brought it there, if its partner asked for one. */
  refundId: string | null
  eventSeq: number | null
  /** The price that the event says. */
  toldCents: number | null
}

export const orderRows = reading<OrderRow>(`
  SELECT orders.public_id AS publicId, orders.partner_id AS partnerId, domain, orders.status,
    sale_price_cents AS priceCents, commission_cents AS commissionCents, payment_model AS paymentModel,
    order_timeline.status AS reached, refund_id AS refundId, events.seq AS eventSeq,
    data ->> '$.order.sale_price_cents' AS toldCents
  FROM orders LEFT JOIN order_timeline ON order_seq = orders.seq LEFT JOIN events ON events.seq = event_seq
  WHERE orders.seq > @afterSeq AND orders.seq <= @toSeq ORDER BY orders.seq, position`)

/** A deal that was closed, beside what its event says. */
export interface DealRow {
  caseId: string
  partnerId: string
  priceCents: number
  commissionCents: number
  rateBasisPoints: number
  eventSeq: number | null
  toldPriceCents: number | null
  toldCutCents: number | null
}

export const dealRows = reading<DealRow>(`
  SELECT case_id AS caseId, brokerage_cases.partner_id AS partnerId, deal_price_cents AS priceCents,
    partner_cut_cents AS commissionCents, share_basis_points AS rateBasisPoints, events.seq AS eventSeq,
    data ->> '$.case.deal_price_cents' AS toldPriceCents, data ->> '$.case.partner_cut_cents' AS toldCutCents
  FROM brokerage_cases
  JOIN brokerage_timeline ON case_seq = brokerage_cases.seq AND brokerage_timeline.status = 'DEAL_CLOSED'
  LEFT JOIN events ON events.seq = event_seq
  WHERE brokerage_cases.seq > @afterSeq AND brokerage_cases.seq <= @toSeq ORDER BY brokerage_cases.seq`)

/** The amounts of a line of the ledger. */
export const AMOUNTS = ['gross', 'commission', 'due', 'payable', 'unsettled'] as const

/** A sale and the sums of its lines. */
export type SaleRow = Record<`${(typeof AMOUNTS)[number]}Cents`, number> & {
  partnerId: string
  /** The order or the case. */
  soldId: string
  paymentModel: PaymentModel
  rateBasisPoints: number
  entries: number
  /** Lines that are not its partner's. */
  strangers: number
  /** What is kept of its worth beside the lines, and what all lines of this moment come to. */
  keptGrossCents: number
  keptCommissionCents: number
  linesGrossCents: number
  linesCommissionCents: number
}

const ALL_LINES = (column: string) =>
  `coalesce((SELECT sum(${column}) FROM ledger_entries AS line WHERE line.sale_seq = sales.seq), 0)`

const SUMS = AMOUNTS.map((name) => `coalesce(sum(ledger_entries.${name}_cents), 0) AS ${name}Cents`).join(', ')

export const saleRows = reading<SaleRow>(`
  SELECT sales.partner_id AS partnerId, coalesce((SELECT public_id FROM orders WHERE orders.seq = order_seq), case_id) AS soldId, payment_model AS paymentModel,
    rate_basis_points AS rateBasisPoints, count(ledger_entries.seq) AS entries,
    coalesce(sum(ledger_entries.partner_id <> sales.partner_id), 0) AS strangers, ${SUMS},
    sales.gross_cents AS keptGrossCents, sales.commission_cents AS keptCommissionCents,
    ${ALL_LINES('gross_cents')} AS linesGrossCents, ${ALL_LINES('commission_cents')} AS linesCommissionCents
  FROM sales LEFT JOIN ledger_entries ON sale_seq = sales.seq AND ledger_entries.seq <= @lastEntry
  WHERE sales.seq > @afterSeq AND sales.seq <= @toSeq GROUP BY sales.seq`)

/** A line of the ledger, as far as balances and payouts need it. */
export interface LineRow {
  seq: number
  partnerId: string
  dueCents: number
  balanceCents: number
  payoutSeq: number | null
}

export const lineRows = reading<LineRow>(`
  SELECT seq, partner_id AS partnerId, due_cents AS dueCents, balance_cents AS balanceCents,
    payout_seq AS payoutSeq
  FROM ledger_entries WHERE seq > @afterSeq AND seq <= @toSeq ORDER BY seq`)

export const refundRows = reading<{ refundId: string; publicId: string; amountCents: number }>(`
  SELECT refund_id AS refundId, public_id AS publicId, amount_cents AS amountCents
  FROM refunds JOIN orders ON orders.seq = order_seq WHERE refunds.seq > @afterSeq AND refunds.seq <= @toSeq`)

/** A run and the last event that it knew of. */
export interface RunRow {
  seq: number
  eventSeq: number
}

export function runRows(db: Db, table: 'settlement_runs' | 'payout_runs', lastSeq: number): RunRow[] {
  const sql = `SELECT seq, event_seq AS eventSeq FROM ${table} WHERE seq <= ? ORDER BY seq`
  return statement<RunRow>(db, sql).all(lastSeq)
}

interface PayoutRow {
  seq: number
  payoutId: string
  runSeq: number
  partnerId: string
  kind: string
  amountCents: number
}

export function payoutRows(db: Db, lastRun: number): PayoutRow[] {
  const sql = `SELECT seq, payout_id AS payoutId, run_seq AS runSeq, partner_id AS partnerId, kind,
      amount_cents AS amountCents
    FROM payouts WHERE run_seq <= ? ORDER BY seq`
  return statement<PayoutRow>(db, sql).all(lastRun)
}

/** Every run has a statement for each of them; no partner ever joins a world later. */
export function partnersOf(db: Db): string[] {
  return statement<string>(db, 'SELECT DISTINCT partner_id FROM credentials').pluck().all()
}
