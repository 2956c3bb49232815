import type { PaymentModel } from '../../contract/payment-models.ts'

/** What was sold: an order, or the deal of a brokerage case. */
export type SaleRef = { orderSeq: number } | { caseId: string }

export interface Sale {
  seq: number
  partnerId: string
  orderSeq: number | null
  caseId: string | null
  domain: string | null
  paymentModel: PaymentModel
  currency: string
  /** What it is worth now: the sum of its lines, which is nothing once it is undone. */
  grossCents: number
  commissionCents: number
  /** The partner's share of the price as it was when it was sold. */
  rateBasisPoints: number
  createdAtMs: number
}
