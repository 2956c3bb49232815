import type { OperatorClient } from '../operator-api/client.ts'
import type { CheckoutOutcome } from '../operator-api/rows/checkouts.ts'
import type { Buyer } from '../operator-api/rows/orders.ts'
import { allOf, type FilterOf, type Methods, methodsOf, type Whole } from './methods.ts'

export interface StepDetails {
  /** Goes into the timeline. */
  reason?: string
}

export interface CaseStepDetails extends StepDetails {
  /** With `closeDeal`: what the domain was sold for. */
  priceCents?: number
}

export type OrderFilter = FilterOf<'orders.list'>
export type CaseFilter = FilterOf<'cases.list'>
export type CheckoutFilter = FilterOf<'checkout.list'>

/**
 * The orders of a world, of all its partners, and every step that the service's own staff can take with one.
 *
 * @example
 * await world.orders.startTransfer(publicId)
 * const { steps } = await world.orders.completeTransfer(publicId, { reason: 'pushed by registrar' })
 */
export type OrdersHandle = Methods<'orders'> & Whole<'orders.list'>

/**
 * The brokerage cases of a world, of all its partners.
 *
 * @example await world.cases.closeDeal(caseId, { priceCents: 420_000 })
 */
export type CasesHandle = Methods<'cases'> & Whole<'cases.list'>

/** The hosted checkout sessions of a world, and what a buyer or the bank does with one. */
export interface CheckoutHandle extends Methods<'checkout', 'pay'>, Whole<'checkout.list'> {
  /** @example const { outcome, public_id } = await world.checkout.pay(sessionId, { email: 'ada@example.test' }) */
  pay(sessionId: string, buyer?: Partial<Buyer>): Promise<CheckoutOutcome>
}

export function ordersHandle(client: OperatorClient, w: string): OrdersHandle {
  const methods = methodsOf(client, w, 'orders')
  return { ...methods, all: (filter) => allOf<'orders.list'>(methods.list, filter) }
}

export function casesHandle(client: OperatorClient, w: string): CasesHandle {
  const methods = methodsOf(client, w, 'cases')
  return { ...methods, all: (filter) => allOf<'cases.list'>(methods.list, filter) }
}

export function checkoutHandle(client: OperatorClient, w: string): CheckoutHandle {
  const methods = methodsOf(client, w, 'checkout')
  return {
    ...methods,
    all: (filter) => allOf<'checkout.list'>(methods.list, filter),
    pay: (sessionId, buyer) => methods.pay(sessionId, { buyer } as Parameters<typeof methods.pay>[1]),
  }
}
