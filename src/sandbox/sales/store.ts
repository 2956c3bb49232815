import type { OrderState } from '../../contract/order-states.ts'
import { type Db, statement } from '../../storage/database.ts'
import type { Buyer, Order, OrderFilter, Quote, Refund, TimelineEntry } from './types.ts'

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

const SELECT_QUOTE = `SELECT seq, quote_id AS quoteId, partner_id AS partnerId, domain, price_cents AS priceCents, currency,
  created_at AS createdAtMs, expires_at AS expiresAtMs, state FROM quotes`

export function quoteById(db: Db, quoteId: string): Quote | null {
  return statement<Quote>(db, `${SELECT_QUOTE} WHERE quote_id = ?`).get(quoteId) ?? null
}

export function openQuoteOf(db: Db, domain: string): Quote | null {
  return statement<Quote>(db, `${SELECT_QUOTE} WHERE domain = ? AND state = 'open'`).get(domain) ?? null
}

export function earliestOpenQuote(db: Db): Quote | null {
  return statement<Quote>(db, `${SELECT_QUOTE} WHERE state = 'open' ORDER BY expires_at, seq LIMIT 1`).get() ?? null
}

export function countOpenQuotes(db: Db): number {
  return (statement(db, "SELECT count(*) AS n FROM quotes WHERE state = 'open'").get() as { n: number }).n
}

export function closeQuote(db: Db, quoteId: string, state: Exclude<Quote['state'], 'open'>): void {
  statement(db, 'UPDATE quotes SET state = ? WHERE quote_id = ?').run(state, quoteId)
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

const SELECT_ORDER = `SELECT seq, public_id AS publicId, partner_id AS partnerId, domain, status, sale_price_cents AS salePriceCents,
  currency, payment_model AS paymentModel, buyer, return_url AS returnUrl, cancel_url AS cancelUrl, quote_id AS quoteId,
  external_payment_ref AS externalPaymentRef, commission_cents AS commissionCents, link_id AS linkId,
  created_at AS createdAtMs, updated_at AS updatedAtMs FROM orders`

/** A row as it is selected: the buyer is JSON. */
type OrderRow = Omit<Order, 'buyer'> & { buyer: string }

function orderFrom(row: OrderRow): Order {
  // The row is fresh: nothing needs to be copied.
  return Object.assign(row, { buyer: JSON.parse(row.buyer) as Buyer })
}

export function orderByPublicId(db: Db, publicId: string): Order | null {
  const row = statement<OrderRow>(db, `${SELECT_ORDER} WHERE public_id = ?`).get(publicId)
  return row ? orderFrom(row) : null
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
  const sql = `${SELECT_ORDER} WHERE ${conditions.join(' AND ')} ORDER BY seq ${order} LIMIT @limit`
  return statement<OrderRow>(db, sql).all(filter).map(orderFrom)
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
  const sql = `SELECT public_id AS publicId, status, updated_at AS updatedAtMs ${MOVING(status)} ORDER BY updated_at, seq LIMIT 1`
  return statement<Pick<Order, 'publicId' | 'status' | 'updatedAtMs'>>(db, sql).get() ?? null
}

export function countMoving(db: Db, status: OrderState): number {
  return (statement(db, `SELECT count(*) AS n ${MOVING(status)}`).get() as { n: number }).n
}

/** Orders of a model in a state, oldest first. */
export function ordersInState(db: Db, status: OrderState, paymentModel: Order['paymentModel']): Order[] {
  const sql = `${SELECT_ORDER} WHERE status = ? AND payment_model = ? ORDER BY seq`
  const rows = statement(db, sql).all(status, paymentModel)
  return (rows as OrderRow[]).map(orderFrom)
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
