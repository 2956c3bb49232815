import type { OperatorClient } from '../operator-api/client.ts'
import type { CheckoutOutcome } from '../operator-api/rows/checkouts.ts'
import type { Buyer } from '../operator-api/rows/orders.ts'
import { type FilterOf, type Methods, pagedMethodsOf, type Whole } from './methods.ts'

export interface StepDetails {
  /** Shown in the timeline. */
  reason?: string
}

export interface CaseStepDetails extends StepDetails {
  /** With `closeDeal`: the price of the deal. */
  priceCents?: number
}

export type OrderFilter = FilterOf<'orders.list'>
export type CaseFilter = FilterOf<'cases.list'>
export type CheckoutFilter = FilterOf<'checkout.list'>

/**
 * The orders of all partners of a world, and every step that the service's staff can take.
 *
 * @example
 * await world.orders.startTransfer(publicId)
 * const { steps } = await world.orders.completeTransfer(publicId, { reason: 'pushed by registrar' })
 */
export type OrdersHandle = Methods<'orders'> & Whole<'orders.list'>

/**
 * The brokerage cases of all partners of a world.
 *
 * @example await world.cases.closeDeal(caseId, { priceCents: 420_000 })
 */
export type CasesHandle = Methods<'cases'> & Whole<'cases.list'>

/** The hosted checkout sessions of a world, and the actions of a buyer or the bank. */
export interface CheckoutHandle extends Methods<'checkout', 'pay'>, Whole<'checkout.list'> {
  /** @example const { outcome, public_id } = await world.checkout.pay(sessionId, { email: 'ada@example.test' }) */
  pay(sessionId: string, buyer?: Partial<Buyer>): Promise<CheckoutOutcome>
}

export function checkoutHandle(client: OperatorClient, w: string): CheckoutHandle {
  const methods = pagedMethodsOf(client, w, 'checkout')
  return {
    ...methods,
    pay: (sessionId, buyer) => methods.pay(sessionId, { buyer } as Parameters<typeof methods.pay>[1]),
  }
}
