import { nextSequence } from '../../storage/database.ts'
import { recordEvent } from '../events/events.ts'
import { magicKind } from '../inventory/magic.ts'
import { bookSale, commissionOf } from '../ledger/ledger.ts'
import type { World } from '../world.ts'
import { orderFacts } from './order-facts.ts'
import { afterArrival } from './order-steps.ts'
import type { Buyer, Order } from './orders.ts'
import { endReservation, forSale, refuseReserved } from './quotes.ts'
import { addToTimeline, insertOrder } from './store.ts'
import { refuseTaken } from './taken.ts'

/** A sale that the service itself collected the money for. */
export interface HostedSale {
  partnerId: string
  domain: string
  /** What the buyer agreed to. */
  priceCents: number
  buyer: Buyer
  returnUrl: string
  cancelUrl: string
  linkId: string | null
}

/**
 * Records a sale that was paid on the hosted page, and starts its transfer: EXTERNALLY_PAID keeps its meaning, paid outside
 * the service, so a hosted order starts at TRANSFER_IN_PROGRESS (STATE-09).
 *
 * @throws ApiError not_found, or conflict where the domain is sold or another partner's quote holds it (a LastingRefusal
 *   where that happens at this very moment); then nothing is recorded.
 */
export function recordHostedOrder(world: World, sale: HostedSale): Order {
  const listing = forSale(world, sale.domain)
  refuseReserved(world, sale, listing.domain)
  refuseTaken(world, sale, listing)
  endReservation(world, listing.domain, 'used')
  const order = insert(world, sale, listing.currency)
  const rateBasisPoints = world.settings.commission.hostedCheckoutBasisPoints
  bookSale(world, { ...order, priceCents: order.salePriceCents, rateBasisPoints })
  tell(world, order)
  return afterArrival(world, order)
}

function insert(world: World, sale: HostedSale, currency: string): Order {
  const seq = nextSequence(world.db, 'orders')
  const nowMs = world.clock.nowMs()
  const order: Order = {
    seq,
    publicId: world.chance.id('order', seq),
    partnerId: sale.partnerId,
    domain: sale.domain,
    status: 'TRANSFER_IN_PROGRESS',
    salePriceCents: sale.priceCents,
    currency,
    paymentModel: 'hosted_checkout',
    buyer: sale.buyer,
    returnUrl: sale.returnUrl,
    cancelUrl: sale.cancelUrl,
    quoteId: null,
    externalPaymentRef: null,
    commissionCents: commissionOf(world.settings.commission.hostedCheckoutBasisPoints, sale.priceCents),
    linkId: sale.linkId,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  }
  insertOrder(world.db, order, magicKind(order.domain) === 'stalls')
  return order
}

function tell(world: World, order: Order): void {
  const event = recordEvent(world, {
    partnerId: order.partnerId,
    type: 'order.transfer_started',
    data: { order: orderFacts(order) },
  })
  const note = 'paid on the hosted page'
  addToTimeline(world.db, order.seq, { status: order.status, atMs: order.createdAtMs, eventId: event.id, note })
}
