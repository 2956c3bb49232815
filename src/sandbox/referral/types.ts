import type { LinkKind } from '../../contract/endpoints/referral.ts'

/** An address that a partner gives to the people it refers; visitors who follow it count, and so does what they buy. */
export interface Link {
  seq: number
  linkId: string
  partnerId: string
  kind: LinkKind
  /** Normalized name; null unless the link is of kind domain. */
  domain: string | null
  /** The partner's own word for what it recommends; null unless the link is of kind product. */
  product: string | null
  createdAtMs: number
}

export interface CountedLink extends Link {
  /** Visits, as `GET /me/clicks` counts them. */
  clicks: number
  /** Sales attributed to it, as `GET /me/sales` lists them. */
  sales: number
}
