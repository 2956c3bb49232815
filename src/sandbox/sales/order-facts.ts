import type { Order } from './types.ts'

/** The five fields that every order event carries (ORD-02). */
export function orderFacts(order: Order) {
  return {
    public_id: order.publicId,
    domain: order.domain,
    status: order.status,
    sale_price_cents: order.salePriceCents,
    currency: order.currency,
  }
}
