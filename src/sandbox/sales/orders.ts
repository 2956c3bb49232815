import { ApiError } from '../../contract/errors.ts'
import { type Page, pageOf, startOf } from '../kernel/paging.ts'
import type { Credential, World } from '../kernel/world.ts'
import { attributedLink } from '../referral/attribution.ts'
import { type NewOrder, writeOrder } from './new-order.ts'
import { takeStep } from './order-steps.ts'
import { refuseOtherPrice } from './price-check.ts'
import { endReservation, forSale, refuseReserved, usableQuote } from './quotes.ts'
import { reviewReason } from './review.ts'
import { orderByPublicId, ordersInState, ordersWhere, timelineOf } from './store.ts'
import { refuseTaken } from './taken.ts'
import type { Buyer, Order, OrderFilter, Quote, TimelineEntry } from './types.ts'

export interface OrderInput {
  domain: string
  expectedPriceCents: number
  currency: string
  buyer: Buyer
  returnUrl?: string | undefined
  cancelUrl?: string | undefined
  quoteId?: string | undefined
  externalPaymentRef?: string | undefined
}

/**
 * Records a sale that the partner collected the money for (document: POST /orders rules).
 *
 * @throws ApiError not_found, conflict, quote_expired, price_mismatch; then nothing is recorded.
 */
export function recordOrder(world: World, caller: Credential, input: OrderInput): Order {
  const quote = input.quoteId === undefined ? null : usableQuote(world, caller, input.quoteId, input.domain)
  const listing = forSale(world, input.domain)
  refuseReserved(world, caller, listing.domain)
  refuseTaken(world, caller, listing)
  const price = quote && world.rules.quotes.priceHolds ? quote : listing
  refuseOtherPrice(world, input, { quote: price === quote ? quote : null, listing })

  endReservation(world, listing.domain, 'used')
  const born = writeOrder(world, saleOf(world, caller, input, { domain: listing.domain, price, quote }), {
    event: 'order.recorded',
    note: null,
    rateBasisPoints: world.settings.commission.partnerCollectedBasisPoints,
  })
  const reason = reviewReason(world, born)
  return reason === null ? born : takeStep(world, born, 'hold', reason)
}

function saleOf(
  world: World,
  caller: Credential,
  input: OrderInput,
  { domain, price, quote }: { domain: string; price: { priceCents: number }; quote: Quote | null },
): NewOrder {
  return {
    partnerId: caller.partnerId,
    domain,
    status: world.rules.orders.initialStatus,
    salePriceCents: price.priceCents,
    currency: input.currency,
    paymentModel: 'partner_collected',
    buyer: input.buyer,
    returnUrl: input.returnUrl ?? null,
    cancelUrl: input.cancelUrl ?? null,
    quoteId: quote?.quoteId ?? null,
    externalPaymentRef: input.externalPaymentRef ?? null,
    linkId: attributedLink(world, caller, domain),
  }
}

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
