import type { Paging } from '../kernel/paging.ts'

export const SESSION_STATES = ['open', 'paying', 'paid', 'cancelled', 'expired'] as const

export type SessionState = (typeof SESSION_STATES)[number]

/** What is known of a buyer; all of it once the buyer has paid. */
export interface SessionBuyer {
  email?: string
  name?: string
  country?: string
}

/** An offer to one buyer to pay for a domain on the hosted page. It reserves nothing. */
export interface CheckoutSession {
  seq: number
  sessionId: string
  partnerId: string
  /** Whether the credential that opened it was linked to an affiliate account; else its sale is attributed to no link. */
  affiliate: boolean
  domain: string
  returnUrl: string
  cancelUrl: string
  buyer: SessionBuyer | null
  /** The tracking link that a sale will be attributed to. */
  linkId: string | null
  state: SessionState
  /** When the payment under way succeeds; null in any state but `paying`. */
  paysAtMs: number | null
  /** What the buyer agreed to pay then; null in any state but `paying`. */
  agreedPriceCents: number | null
  /** The order; null in any state but `paid`. */
  publicId: string | null
  createdAtMs: number
  /** Still valid at this very instant. */
  expiresAtMs: number
}

export interface SessionFilter extends Paging {
  state?: SessionState | undefined
  partnerId?: string | undefined
  domain?: string | undefined
}
