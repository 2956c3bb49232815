import type { World } from '../kernel/world.ts'
import { type NewOrder, writeOrder } from './new-order.ts'
import { endReservation, forSale, refuseReserved } from './quotes.ts'
import { refuseTaken } from './taken.ts'
import type { Buyer, Order } from './types.ts'

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
 * Records a sale that was paid on the hosted page, and starts its transfer unless the open point `hosted-order-state` lets it
 * wait as an order does that the partner collected the money for (STATE-09).
 *
 * @throws ApiError not_found, or conflict where the domain is sold or another partner's quote holds it (a LastingRefusal
 *   where that happens at this very moment); then nothing is recorded.
 */
export function recordHostedOrder(world: World, sale: HostedSale): Order {
  const listing = forSale(world, sale.domain)
  refuseReserved(world, sale, listing.domain)
  refuseTaken(world, sale, listing)
  endReservation(world, listing.domain, 'used')
  const status = world.gaps['hosted-order-state']
  const order: NewOrder = {
    partnerId: sale.partnerId,
    domain: sale.domain,
    status,
    salePriceCents: sale.priceCents,
    currency: listing.currency,
    paymentModel: 'hosted_checkout',
    buyer: sale.buyer,
    returnUrl: sale.returnUrl,
    cancelUrl: sale.cancelUrl,
    quoteId: null,
    externalPaymentRef: null,
    linkId: sale.linkId,
  }
  return writeOrder(world, order, {
    event: status === 'EXTERNALLY_PAID' ? 'order.recorded' : 'order.transfer_started',
    note: 'paid on the hosted page',
    rateBasisPoints: world.settings.commission.hostedCheckoutBasisPoints,
  })
}
