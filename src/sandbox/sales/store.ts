import type { OrderState } from '../../contract/order-states.ts'
import { type Db, statement } from '../../storage/db.ts'
import { conditionsOf, countBy, storedRows, windowOn } from '../../storage/rows.ts'
import { Timelines } from '../events/timeline.ts'
import type { Buyer, Order, OrderQuery, Quote, Refund } from './types.ts'

export const QUOTES = storedRows<Quote>()('quotes', [
  'seq',
  'partnerId',
  'domain',
  'priceCents',
  'currency',
  'createdAtMs',
  'expiresAtMs',
  'state',
])

export function quoteBySeq(db: Db, seq: number): Quote | null {
  return QUOTES.where(db, 'seq = ?').get(seq) ?? null
}

export function openQuoteOf(db: Db, domain: string): Quote | null {
  return QUOTES.where(db, "domain = ? AND state = 'open'").get(domain) ?? null
}

export function earliestOpenQuote(db: Db): Quote | null {
  return QUOTES.where(db, "state = 'open' ORDER BY expires_at, seq LIMIT 1").get() ?? null
}

export function countOpenQuotes(db: Db): number {
  return statement<number>(db, "SELECT count(*) FROM quotes WHERE state = 'open'").pluck().get() as number
}

export function closeQuote(db: Db, seq: number, state: Exclude<Quote['state'], 'open'>): void {
  statement(db, 'UPDATE quotes SET state = ? WHERE seq = ?').run(state, seq)
}

/** A row as it is selected: the buyer is JSON. */
type OrderRow = Omit<Order, 'buyer'> & { buyer: string }

/** A row as it is inserted. Who reads an order need not know whether it stalls. */
type NewOrderRow = OrderRow & { stalls: 0 | 1 }

const ORDER_MEMBERS = [
  'seq',
  'publicId',
  'partnerId',
  'domain',
  'status',
  'salePriceCents',
  'currency',
  'paymentModel',
  'buyer',
  'returnUrl',
  'cancelUrl',
  'quoteSeq',
  'externalPaymentRef',
  'commissionCents',
  'linkId',
  'createdAtMs',
  'updatedAtMs',
] as const

const ORDERS = storedRows<OrderRow>()('orders', ORDER_MEMBERS)
const NEW_ORDERS = storedRows<NewOrderRow>()('orders', [...ORDER_MEMBERS, 'stalls'])

function orderFrom(row: OrderRow): Order {
  // The row is fresh: nothing needs to be copied.
  return Object.assign(row, { buyer: JSON.parse(row.buyer) as Buyer })
}

/** @param stalls whether the order takes no automatic step. */
export function insertOrder(db: Db, order: Order, stalls = false): void {
  NEW_ORDERS.insert(db, { ...order, buyer: JSON.stringify(order.buyer), stalls: stalls ? 1 : 0 })
}

export function orderByPublicId(db: Db, publicId: string): Order | null {
  const row = ORDERS.where(db, 'public_id = ?').get(publicId)
  return row ? orderFrom(row) : null
}

export function updateStatus(db: Db, { seq, status, updatedAtMs }: Order): void {
  statement(db, 'UPDATE orders SET status = ?, updated_at = ? WHERE seq = ?').run(status, updatedAtMs, seq)
}

const fitting = conditionsOf<OrderQuery & { beforeSeq?: number; afterSeq?: number }>(
  'seq < @beforeSeq',
  'seq > @afterSeq',
  'partner_id = @partnerId',
  'status = @status',
  'domain = @domain',
  `instr(lower(public_id || ' ' || domain || ' ' || coalesce(json_extract(buyer, '$.email'), '') || ' ' ||
     coalesce(json_extract(buyer, '$.name'), '')), lower(@text)) > 0`,
  ...windowOn('created_at'),
)

/** Orders that fit every given condition, newest first, or oldest first after an order. */
export function ordersWhere(db: Db, filter: OrderQuery & { beforeSeq?: number; afterSeq?: number }): Order[] {
  const order = filter.afterSeq === undefined ? 'DESC' : 'ASC'
  return ORDERS.where(db, `${fitting(filter)} ORDER BY seq ${order} LIMIT @limit`)
    .all(filter)
    .map(orderFrom)
}

// Left to itself SQLite would take the index of all states, and sort.
const MOVING = {
  EXTERNALLY_PAID: movingBy('orders_to_start', 'EXTERNALLY_PAID'),
  TRANSFER_IN_PROGRESS: movingBy('orders_to_complete', 'TRANSFER_IN_PROGRESS'),
}

function movingBy(index: string, status: OrderState) {
  const rows = `FROM orders INDEXED BY ${index} WHERE status = '${status}' AND stalls = 0`
  return {
    first: `SELECT public_id AS publicId, updated_at AS updatedAtMs ${rows} ORDER BY updated_at, seq LIMIT 1`,
    count: `SELECT count(*) ${rows}`,
  }
}

/** A state in which orders go on by themselves. */
export type MovingState = keyof typeof MOVING

/** Of the orders in a state that go on by themselves, the one that has been in it longest. */
export function longestWaiting(db: Db, status: MovingState): Pick<Order, 'publicId' | 'updatedAtMs'> | null {
  return statement<Pick<Order, 'publicId' | 'updatedAtMs'>>(db, MOVING[status].first).get() ?? null
}

export function countMoving(db: Db, status: MovingState): number {
  return statement<number>(db, MOVING[status].count).pluck().get() as number
}

export function countOrders(db: Db): Record<string, number> {
  return countBy(db, 'orders', 'status')
}

/** Some orders of a model in a state, oldest first. */
export function ordersInState(
  db: Db,
  filter: { status: OrderState; paymentModel: Order['paymentModel']; afterSeq: number; limit: number },
): Order[] {
  const wanted = 'status = @status AND payment_model = @paymentModel AND seq > @afterSeq ORDER BY seq LIMIT @limit'
  return ORDERS.where(db, wanted).all(filter).map(orderFrom)
}

export const orderTimelines = new Timelines<OrderState>('order_timeline', 'order_seq')

type RefundRow = Omit<Refund, 'order'> & { orderSeq: number; partnerId: string }

const REFUNDS = storedRows<RefundRow>()('refunds', [
  'seq',
  'refundId',
  'orderSeq',
  'partnerId',
  'reason',
  'amountCents',
  'createdAtMs',
])

export function insertRefund(db: Db, refund: Refund): void {
  const { seq: orderSeq, partnerId } = refund.order
  REFUNDS.insert(db, { ...refund, orderSeq, partnerId })
}

/** The refund that the partner got for an order; null if it got none. */
export function refundOf(db: Db, orderSeq: number): Omit<Refund, 'order'> | null {
  return REFUNDS.where(db, 'order_seq = ?').get(orderSeq) ?? null
}

/** The latest step of an order was a refund that its partner asked for. */
export function markRefunded(db: Db, orderSeq: number, refundId: string): void {
  statement(
    db,
    `UPDATE order_timeline SET refund_id = @refundId WHERE order_seq = @orderSeq
       AND position = (SELECT max(position) FROM order_timeline WHERE order_seq = @orderSeq)`,
  ).run({ orderSeq, refundId })
}
