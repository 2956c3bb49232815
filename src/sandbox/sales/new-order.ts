import type { EventType } from '../../contract/event-types.ts'
import { nextSequence } from '../../storage/database.ts'
import { recordEvent } from '../events/events.ts'
import { magicKind } from '../inventory/magic.ts'
import type { World } from '../kernel/world.ts'
import { bookPayable, bookSale, commissionOf } from '../ledger/ledger.ts'
import { orderFacts } from './order-facts.ts'
import { afterArrival } from './order-steps.ts'
import { addToTimeline, insertOrder } from './store.ts'
import type { Order } from './types.ts'

/** What a sale says of its order; the rest follows from the moment it is recorded. */
export type NewOrder = Omit<Order, 'seq' | 'publicId' | 'commissionCents' | 'createdAtMs' | 'updatedAtMs'>

/** How an order begins to be told. */
export interface Birth {
  event: EventType
  note: string | null
  /** The partner's share at this moment. */
  rateBasisPoints: number
}

/**
 * Writes a new order with all that belongs to it in one transaction: its sale in the ledger, its first event and timeline
 * entry, and what follows by itself from the state it is born in.
 *
 * @example writeOrder(world, sale, { event: 'order.recorded', note: null, rateBasisPoints: 2_000 })
 */
export function writeOrder(world: World, sale: NewOrder, { event, note, rateBasisPoints }: Birth): Order {
  const seq = nextSequence(world.db, 'orders')
  const nowMs = world.clock.nowMs()
  const order: Order = {
    ...sale,
    seq,
    publicId: world.chance.id('order', seq),
    commissionCents: commissionOf(rateBasisPoints, sale.salePriceCents),
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  }
  insertOrder(world.db, order, magicKind(order.domain) === 'stalls')
  bookSale(world, { ...order, priceCents: order.salePriceCents, rateBasisPoints })
  if (world.gaps['payable-from'] === 'the sale') bookPayable(world, order)
  const told = recordEvent(world, { partnerId: order.partnerId, type: event, data: { order: orderFacts(order) } })
  addToTimeline(world.db, seq, { status: order.status, atMs: nowMs, eventId: told.id, note })
  return afterArrival(world, order)
}
