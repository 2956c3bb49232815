import type { CaseState } from '../../contract/case-states.ts'
import type { OrderState } from '../../contract/order-states.ts'
import type { PaymentModel } from '../../contract/payment-models.ts'
import type { DateWindow } from '../kernel/paging.ts'

/** A sale that a tracking link led to; an undone one is worth nothing. */
export interface AttributedSale {
  seq: number
  publicId: string
  partnerId: string
  linkId: string | null
  buyer: { email: string; country: string | null }
  domain: string
  amountCents: number
  commissionCents: number
  currency: string
  createdAtMs: number
}

/** A line of what the service owes a partner. */
export interface CommissionLine {
  seq: number
  partnerId: string
  kind: 'accrued' | 'pending' | 'paid_out' | 'reversed'
  /** Signed: what the line changes. */
  amountCents: number
  /** What was owed once it had. */
  balanceCents: number
  publicId: string | null
  caseId: string | null
  createdAtMs: number
}

/** A domain sold through a partner, in any sales model; an undone one is worth nothing. */
export interface Transaction {
  seq: number
  publicId: string | null
  caseId: string | null
  domain: string | null
  salePriceCents: number
  commissionCents: number
  currency: string
  paymentModel: PaymentModel
  status: OrderState | CaseState
  createdAtMs: number
}

export interface Totals {
  count: number
  gmvCents: number
  commissionCents: number
}

export interface TransactionFilter extends DateWindow {
  status?: OrderState | CaseState | undefined
  paymentModel?: PaymentModel | undefined
}
