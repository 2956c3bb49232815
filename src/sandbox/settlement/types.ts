export type PayoutKind = 'commission' | 'brokerage'

export interface Payout {
  seq: number
  payoutId: string
  partnerId: string
  kind: PayoutKind
  amountCents: number
  currency: string
  paidAtMs: number
}
