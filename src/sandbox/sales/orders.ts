import { ApiError } from '../../contract/errors.ts'
import { type Page, pageOf, startOf } from '../kernel/paging.ts'
import type { Credential, World } from '../kernel/world.ts'
import { orderByPublicId, ordersInState, ordersWhere, timelineOf } from './store.ts'
import type { Order, OrderFilter, TimelineEntry } from './types.ts'

/**
 * A partner's own order.
 *
 * @throws ApiError not_found, the same for an unknown order and another partner's (ORD-10).
 */
export function ownOrder(world: World, caller: Credential, publicId: string): Order {
  const order = orderByPublicId(world.db, publicId)
  if (!order || (world.rules.orders.detailShows === 'own' && order.partnerId !== caller.partnerId)) {
    throw new ApiError('not_found', 'there is no such order')
  }
  return order
}

/**
 * A page of orders, newest first unless asked for otherwise. The cursor is an order's id, so orders that are added meanwhile
 * shift nothing (ORD-08).
 *
 * @throws ApiError validation_error for a cursor that is none of these orders.
 */
export function listOrders(world: World, filter: OrderFilter): Page<Order> {
  const afterSeq = startOf(filter.cursor, (publicId) => {
    const last = orderByPublicId(world.db, publicId)
    return last && (filter.partnerId === null || last.partnerId === filter.partnerId) ? last.seq : null
  })
  const isFromStart = filter.oldestFirst && filter.cursor === undefined
  const found = ordersWhere(world.db, { ...filter, afterSeq: isFromStart ? 0 : afterSeq, limit: filter.limit + 1 })
  return pageOf(found, filter.limit)
}

/** What a settlement run would settle now: partner-collected sales that have been delivered, oldest first (SET-02). */
export function ordersAwaitingSettlement(world: World): Order[] {
  const { from, models } = world.rules.settlement
  const waiting = from.flatMap((state) => models.flatMap((model) => ordersInState(world.db, state, model)))
  return waiting.sort((a, b) => a.seq - b.seq)
}

/** An order for the operator, whoever's it is. */
export function findOrder(world: World, publicId: string): Order | null {
  return orderByPublicId(world.db, publicId)
}

/** What has happened to an order, oldest first (ORD-09). */
export function orderTimeline(world: World, order: Order): TimelineEntry[] {
  return timelineOf(world.db, order.seq)
}
