import { formatInstant } from '../../clock/instant.ts'
import { isUndone } from '../../contract/order-states.ts'
import { presentTimeline } from '../events/events.ts'
import type { World } from '../kernel/world.ts'
import { commissionOf } from '../ledger/ledger.ts'
import { orderTimelines } from './orders.ts'
import { quoteId, quoteToken } from './quotes.ts'
import type { Order, Quote, Refund } from './types.ts'

/** A quote on the wire with what an order for it would earn at today's rate. */
export function presentQuote(world: World, quote: Quote) {
  return {
    quote_id: quoteId(world, quote),
    domain: quote.domain,
    price_cents: quote.priceCents,
    currency: quote.currency,
    commission_cents: commissionOf(world.settings.commission.partnerCollectedBasisPoints, quote.priceCents),
    created_at: formatInstant(quote.createdAtMs),
    expires_at: formatInstant(quote.expiresAtMs),
    quote_token: quoteToken(world, quote),
  }
}

/**
 * An order on the wire: the document's five fields first, then ours. An undone sale earns nothing and owes nothing any more, as in
 * the reports.
 *
 * @param timeline where it was read with those of a page.
 */
export function presentOrder(world: World, order: Order, timeline = orderTimelines.of(world.db, order.seq)) {
  const commissionCents = isUndone(order.status) ? 0 : order.commissionCents
  const isOwed = order.paymentModel === 'partner_collected' && !isUndone(order.status)
  // Member by member: spreads here cost more than the statements that wrote the order.
  return {
    public_id: order.publicId,
    domain: order.domain,
    status: order.status,
    sale_price_cents: order.salePriceCents,
    currency: order.currency,
    payment_model: order.paymentModel,
    buyer: order.buyer,
    quote_id: order.quoteSeq === null ? null : world.chance.id('quote', order.quoteSeq),
    external_payment_ref: order.externalPaymentRef,
    commission_cents: commissionCents,
    amount_owed_cents: isOwed ? order.salePriceCents - commissionCents : 0,
    created_at: formatInstant(order.createdAtMs),
    updated_at: formatInstant(order.updatedAtMs),
    timeline: presentTimeline(world, timeline),
  }
}

export function presentRefund({ refundId, order, amountCents, createdAtMs }: Refund) {
  return {
    refund_id: refundId,
    public_id: order.publicId,
    status: order.status,
    amount_cents: amountCents,
    currency: order.currency,
    created_at: formatInstant(createdAtMs),
  }
}
