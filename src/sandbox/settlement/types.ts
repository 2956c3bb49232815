export type PayoutKind = 'commission' | 'brokerage'

/** Money that went to a partner. */
export interface Payout {
  seq: number
  payoutId: string
  partnerId: string
  kind: PayoutKind
  amountCents: number
  currency: string
  paidAtMs: number
}
