import type { OrderState } from '../../contract/order-states.ts'
import type { OrderPaymentModel } from '../../contract/payment-models.ts'
import type { DateWindow, Paging } from '../kernel/paging.ts'

export interface Order {
  seq: number
  publicId: string
  partnerId: string
  domain: string
  status: OrderState
  salePriceCents: number
  currency: string
  paymentModel: OrderPaymentModel
  buyer: Buyer
  returnUrl: string | null
  cancelUrl: string | null
  quoteSeq: number | null
  externalPaymentRef: string | null
  /** The partner's share; the rest of the price is owed to the service. */
  commissionCents: number
  /** The tracking link that the sale is attributed to; null if the buyer was not referred. */
  linkId: string | null
  createdAtMs: number
  updatedAtMs: number
}

export interface Buyer {
  email: string
  name?: string
  country?: string
}

export interface OrderQuery extends DateWindow, Paging {
  partnerId: string | null
  status?: OrderState | undefined
  domain?: string | undefined
  /** Stands in the id, the domain, or the email or name of the buyer. */
  text?: string | undefined
  /** The other way round (ORD-14). */
  oldestFirst?: boolean
}

/** A firm price and a reservation, for ten minutes. */
export interface Quote {
  seq: number
  partnerId: string
  domain: string
  priceCents: number
  currency: string
  createdAtMs: number
  /** Still valid at this very instant, unless chosen otherwise (QUOTE-09). */
  expiresAtMs: number
  state: 'open' | 'used' | 'expired' | 'replaced'
}

/** A refund that a partner asked for and got; what an operator undoes has none. */
export interface Refund {
  seq: number
  refundId: string
  order: Order
  reason: string | null
  amountCents: number
  createdAtMs: number
}
