import type { OrderState } from '../../contract/order-states.ts'
import { type Db, statement } from '../../storage/database.ts'
import type { Order, OrderFilter, Quote, Refund, TimelineEntry } from './types.ts'

interface QuoteRow {
  seq: number
  quote_id: string
  partner_id: string
  domain: string
  price_cents: number
  currency: string
  created_at: number
  expires_at: number
  state: Quote['state']
}

export function insertQuote(db: Db, quote: Quote): void {
  statement(
    db,
    `INSERT INTO quotes (seq, quote_id, partner_id, domain, price_cents, currency, created_at, expires_at, state)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    quote.seq,
    quote.quoteId,
    quote.partnerId,
    quote.domain,
    quote.priceCents,
    quote.currency,
    quote.createdAtMs,
    quote.expiresAtMs,
    quote.state,
  )
}

export function quoteById(db: Db, quoteId: string): Quote | null {
  return quoteFrom(statement(db, 'SELECT * FROM quotes WHERE quote_id = ?').get(quoteId))
}

export function openQuoteOf(db: Db, domain: string): Quote | null {
  return quoteFrom(statement(db, "SELECT * FROM quotes WHERE domain = ? AND state = 'open'").get(domain))
}

export function earliestOpenQuote(db: Db): Quote | null {
  return quoteFrom(statement(db, "SELECT * FROM quotes WHERE state = 'open' ORDER BY expires_at, seq LIMIT 1").get())
}

export function countOpenQuotes(db: Db): number {
  return (statement(db, "SELECT count(*) AS n FROM quotes WHERE state = 'open'").get() as { n: number }).n
}

export function closeQuote(db: Db, quoteId: string, state: Exclude<Quote['state'], 'open'>): void {
  statement(db, 'UPDATE quotes SET state = ? WHERE quote_id = ?').run(state, quoteId)
}

function quoteFrom(found: unknown): Quote | null {
  const row = found as QuoteRow | undefined
  if (!row) return null
  return {
    seq: row.seq,
    quoteId: row.quote_id,
    partnerId: row.partner_id,
    domain: row.domain,
    priceCents: row.price_cents,
    currency: row.currency,
    createdAtMs: row.created_at,
    expiresAtMs: row.expires_at,
    state: row.state,
  }
}

interface OrderRow {
  seq: number
  public_id: string
  partner_id: string
  domain: string
  status: OrderState
  sale_price_cents: number
  currency: string
  payment_model: Order['paymentModel']
  buyer: string
  return_url: string | null
  cancel_url: string | null
  quote_id: string | null
  external_payment_ref: string | null
  commission_cents: number
  link_id: string | null
  created_at: number
  updated_at: number
}

/** @param stalls whether the order takes no step by itself. */
export function insertOrder(db: Db, order: Order, stalls = false): void {
  statement(
    db,
    `INSERT INTO orders (seq, public_id, partner_id, domain, status, sale_price_cents, currency, payment_model, buyer,
       return_url, cancel_url, quote_id, external_payment_ref, commission_cents, link_id, stalls, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    order.seq,
    order.publicId,
    order.partnerId,
    order.domain,
    order.status,
    order.salePriceCents,
    order.currency,
    order.paymentModel,
    JSON.stringify(order.buyer),
    order.returnUrl,
    order.cancelUrl,
    order.quoteId,
    order.externalPaymentRef,
    order.commissionCents,
    order.linkId,
    stalls ? 1 : 0,
    order.createdAtMs,
    order.updatedAtMs,
  )
}

export function orderByPublicId(db: Db, publicId: string): Order | null {
  const row = statement(db, 'SELECT * FROM orders WHERE public_id = ?').get(publicId)
  return row ? orderFrom(row as OrderRow) : null
}

export function updateStatus(db: Db, order: Order): void {
  statement(db, 'UPDATE orders SET status = ?, updated_at = ? WHERE seq = ?').run(
    order.status,
    order.updatedAtMs,
    order.seq,
  )
}

/** Orders that fit every given condition, newest first unless asked for otherwise, from behind an order on. */
export function ordersWhere(db: Db, { oldestFirst = false, ...filter }: OrderFilter & { afterSeq: number }): Order[] {
  const conditions = [oldestFirst ? 'seq > @afterSeq' : 'seq < @afterSeq']
  if (filter.partnerId !== null) conditions.push('partner_id = @partnerId')
  if (filter.status !== undefined) conditions.push('status = @status')
  if (filter.domain !== undefined) conditions.push('domain = @domain')
  if (filter.fromMs !== undefined) conditions.push('created_at >= @fromMs')
  if (filter.toMs !== undefined) conditions.push('created_at < @toMs')
  const order = oldestFirst ? 'ASC' : 'DESC'
  const sql = `SELECT * FROM orders WHERE ${conditions.join(' AND ')} ORDER BY seq ${order} LIMIT @limit`
  return (statement(db, sql).all(filter) as OrderRow[]).map(orderFrom)
}

// Left to itself SQLite would take the index of all states, and sort.
const MOVING_INDEX: Partial<Record<OrderState, string>> = {
  EXTERNALLY_PAID: 'orders_to_start',
  TRANSFER_IN_PROGRESS: 'orders_to_complete',
}

const MOVING = (status: OrderState) =>
  `FROM orders INDEXED BY ${MOVING_INDEX[status]} WHERE status = '${status}' AND stalls = 0`

/** Of the orders in a state that go on by themselves, the one that has been in it longest. */
export function longestWaiting(db: Db, status: OrderState): Pick<Order, 'publicId' | 'status' | 'updatedAtMs'> | null {
  const sql = `SELECT public_id, updated_at ${MOVING(status)} ORDER BY updated_at, seq LIMIT 1`
  const row = statement(db, sql).get() as Pick<OrderRow, 'public_id' | 'updated_at'> | undefined
  return row ? { publicId: row.public_id, status, updatedAtMs: row.updated_at } : null
}

export function countMoving(db: Db, status: OrderState): number {
  return (statement(db, `SELECT count(*) AS n ${MOVING(status)}`).get() as { n: number }).n
}

/** Orders of a model in a state, oldest first. */
export function ordersInState(db: Db, status: OrderState, paymentModel: Order['paymentModel']): Order[] {
  const sql = 'SELECT * FROM orders WHERE status = ? AND payment_model = ? ORDER BY seq'
  const rows = statement(db, sql).all(status, paymentModel)
  return (rows as OrderRow[]).map(orderFrom)
}

function orderFrom(row: OrderRow): Order {
  return {
    seq: row.seq,
    publicId: row.public_id,
    partnerId: row.partner_id,
    domain: row.domain,
    status: row.status,
    salePriceCents: row.sale_price_cents,
    currency: row.currency,
    paymentModel: row.payment_model,
    buyer: JSON.parse(row.buyer) as Order['buyer'],
    returnUrl: row.return_url,
    cancelUrl: row.cancel_url,
    quoteId: row.quote_id,
    externalPaymentRef: row.external_payment_ref,
    commissionCents: row.commission_cents,
    linkId: row.link_id,
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
  }
}

export function addToTimeline(db: Db, orderSeq: number, entry: TimelineEntry): void {
  statement(
    db,
    `INSERT INTO order_timeline (order_seq, position, status, at, event_id, note)
     SELECT @orderSeq, coalesce(max(position), 0) + 1, @status, @atMs, @eventId, @note
     FROM order_timeline WHERE order_seq = @orderSeq`,
  ).run({ orderSeq, ...entry })
}

export function timelineOf(db: Db, orderSeq: number): TimelineEntry[] {
  const rows = statement(
    db,
    `SELECT status, at AS atMs, event_id AS eventId, note FROM order_timeline WHERE order_seq = ? ORDER BY position`,
  ).all(orderSeq)
  return rows as TimelineEntry[]
}

export function insertRefund(db: Db, refund: Refund): void {
  statement(
    db,
    `INSERT INTO refunds (seq, refund_id, order_seq, partner_id, reason, amount_cents, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    refund.seq,
    refund.refundId,
    refund.order.seq,
    refund.order.partnerId,
    refund.reason,
    refund.amountCents,
    refund.createdAtMs,
  )
}

/** The refund that the partner got for an order; null where it got none. */
export function refundOf(db: Db, orderSeq: number): Omit<Refund, 'order'> | null {
  const row = statement(
    db,
    `SELECT seq, refund_id AS refundId, reason, amount_cents AS amountCents, created_at AS createdAtMs
     FROM refunds WHERE order_seq = ?`,
  ).get(orderSeq)
  return (row as Omit<Refund, 'order'> | undefined) ?? null
}

/** The latest step of an order was a refund that its partner asked for. */
export function markRefunded(db: Db, orderSeq: number, refundId: string): void {
  statement(
    db,
    `UPDATE order_timeline SET refund_id = @refundId WHERE order_seq = @orderSeq
       AND position = (SELECT max(position) FROM order_timeline WHERE order_seq = @orderSeq)`,
  ).run({ orderSeq, refundId })
}
