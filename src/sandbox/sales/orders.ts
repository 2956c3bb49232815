import { ApiError } from '../../contract/errors.ts'
import type { OrderState } from '../../contract/order-states.ts'
import type { Db } from '../../storage/db.ts'
import { conditionsOf, countBy, storedRows, windowOn } from '../../storage/rows.ts'
import { Timelines } from '../events/events.ts'
import { type Page, readPage } from '../kernel/paging.ts'
import { unseen } from '../kernel/refusal-with-effect.ts'
import type { Credential, World } from '../kernel/world.ts'
import type { Buyer, Order, OrderQuery } from './types.ts'

/** What has happened to each order. */
export const orderTimelines = new Timelines<OrderState>('order_timeline', 'order_seq')

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

export function findOrder({ db }: World, publicId: string): Order | null {
  const row = ORDERS.where(db, 'public_id = ?').get(publicId)
  return row ? orderFrom(row) : null
}

/** A partner's own order; an unknown one and another partner's look the same (ORD-10). */
export function ownOrder(world: World, { partnerId }: Credential, publicId: string): Order {
  const order = findOrder(world, publicId)
  if (order?.partnerId !== partnerId) {
    throw new ApiError('not_found', 'no such order', { grounds: unseen('order', publicId, order?.partnerId) })
  }
  return order
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

/** A page of orders that fit every given condition, newest first unless asked for otherwise (ORD-08). */
export function listOrders(world: World, filter: OrderQuery): Page<Order> {
  return readPage(
    filter,
    (publicId) => findOrder(world, publicId),
    ({ beforeSeq: startSeq, limit }) => {
      const start = filter.oldestFirst
        ? { afterSeq: filter.cursor === undefined ? 0 : startSeq }
        : { beforeSeq: startSeq }
      const wanted = { ...filter, ...start, limit }
      const order = filter.oldestFirst ? 'ASC' : 'DESC'
      const rows = ORDERS.where(world.db, `${fitting(wanted)} ORDER BY seq ${order} LIMIT @limit`).all(wanted)
      return rows.map(orderFrom)
    },
  )
}

export function ordersByState(world: World): Record<string, number> {
  return countBy(world.db, 'orders', 'status')
}

/** Some of what a settlement run would settle now: partner-collected sales that have been delivered, oldest first (SET-02). */
export function ordersAwaitingSettlement({ db }: World, page: { afterSeq: number; limit: number }): Order[] {
  const wanted = 'status = @status AND payment_model = @paymentModel AND seq > @afterSeq ORDER BY seq LIMIT @limit'
  return ORDERS.where(db, wanted)
    .all({ status: 'TRANSFER_COMPLETED', paymentModel: 'partner_collected', ...page })
    .map(orderFrom)
}
