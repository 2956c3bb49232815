import { formatInstant } from '../../clock/instant.ts'
import type { World } from '../world.ts'
import { orderFacts } from './order-facts.ts'
import { type Order, orderTimeline, type TimelineEntry } from './orders.ts'
import { type Quote, quoteToken } from './quotes.ts'

/** A quote on the wire (shapes.md). */
export function presentQuote(world: World, quote: Quote) {
  return {
    quote_id: quote.quoteId,
    domain: quote.domain,
    price_cents: quote.priceCents,
    currency: quote.currency,
    created_at: formatInstant(quote.createdAtMs),
    expires_at: formatInstant(quote.expiresAtMs),
    quote_token: quoteToken(world, quote),
  }
}

/** An order on the wire: the document's five fields first, then ours (shapes.md). */
export function presentOrder(world: World, order: Order) {
  return {
    ...orderFacts(order),
    payment_model: order.paymentModel,
    buyer: order.buyer,
    quote_id: order.quoteId,
    external_payment_ref: order.externalPaymentRef,
    commission_cents: order.commissionCents,
    amount_owed_cents: order.paymentModel === 'partner_collected' ? order.salePriceCents - order.commissionCents : 0,
    created_at: formatInstant(order.createdAtMs),
    updated_at: formatInstant(order.updatedAtMs),
    timeline: orderTimeline(world, order).map(presentTimelineEntry),
  }
}

function presentTimelineEntry(entry: TimelineEntry) {
  return { status: entry.status, at: formatInstant(entry.atMs), event_id: entry.eventId, note: entry.note }
}
