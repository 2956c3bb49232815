import { ApiError } from '../../contract/errors.ts'
import type { OrderState } from '../../contract/order-states.ts'
import type { TimelineEntry } from '../events/timeline.ts'
import { type Page, readPage } from '../kernel/paging.ts'
import { unseen } from '../kernel/refusal-with-effect.ts'
import type { Credential, World } from '../kernel/world.ts'
import { countOrders, orderByPublicId, ordersInState, ordersWhere, orderTimelines } from './store.ts'
import type { Order, OrderQuery } from './types.ts'

/** A partner's own order; an unknown one and another partner's look the same (ORD-10). */
export function ownOrder(world: World, { partnerId }: Credential, publicId: string): Order {
  const order = orderByPublicId(world.db, publicId)
  if (order?.partnerId !== partnerId) {
    throw new ApiError('not_found', 'no such order', { grounds: unseen('order', publicId, order?.partnerId) })
  }
  return order
}

/** A page of orders, newest first unless asked for otherwise (ORD-08). */
export function listOrders(world: World, filter: OrderQuery): Page<Order> {
  return readPage(
    filter,
    (publicId) => orderByPublicId(world.db, publicId),
    ({ beforeSeq, limit }) => {
      if (!filter.oldestFirst) return ordersWhere(world.db, { ...filter, beforeSeq, limit })
      return ordersWhere(world.db, { ...filter, afterSeq: filter.cursor === undefined ? 0 : beforeSeq, limit })
    },
  )
}

/** How many orders are in each state. */
export function ordersByState(world: World): Record<string, number> {
  return countOrders(world.db)
}

/** Some of what a settlement run would settle now: partner-collected sales that have been delivered, oldest first (SET-02). */
export function ordersAwaitingSettlement({ db }: World, page: { afterSeq: number; limit: number }): Order[] {
  return ordersInState(db, { status: 'TRANSFER_COMPLETED', paymentModel: 'partner_collected', ...page })
}

export function findOrder(world: World, publicId: string): Order | null {
  return orderByPublicId(world.db, publicId)
}

/** What has happened to an order, oldest first (ORD-09). */
export function orderTimeline(world: World, order: Order): TimelineEntry<OrderState>[] {
  return orderTimelines.of(world.db, order.seq)
}

/** The same for each order of a page, by its sequence number. */
export function timelinesOfOrders(world: World, page: readonly Order[]): Map<number, TimelineEntry<OrderState>[]> {
  return orderTimelines.ofAll(world.db, page)
}
