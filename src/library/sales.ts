import { CASE_STEP_NAMES, type CaseState, type CaseStepName } from '../contract/case-states.ts'
import { OPERATOR_STEPS, type ORDER_STEPS, type OrderState, type OrderStepName } from '../contract/order-states.ts'
import type { OperatorClient } from '../operator-api/client.ts'
import type { BrokerageCase, Buyer, CheckoutOutcome, CheckoutSession, Order } from './answers.ts'
import { type ListOf, listOf } from './lists.ts'

/** `start-transfer` of the tables is `startTransfer` here. */
type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name

type OperatorStep = {
  [Name in OrderStepName]: (typeof ORDER_STEPS)[Name]['by'] extends 'operator' ? Name : never
}[OrderStepName]

/** A step as one would take it by hand; the answer is the order or case as it is then. */
type Step<Thing, Details> = (id: string, details?: Details) => Promise<Thing>

export interface StepDetails {
  /** Goes into the timeline. */
  reason?: string
}

export interface CaseStepDetails extends StepDetails {
  /** With `closeDeal`: what the domain was sold for. */
  priceCents?: number
}

export interface OrderFilter {
  status?: OrderState
  partnerId?: string
  domain?: string
}

/**
 * The orders of a world, of all its partners, and every step that the service's own staff can take with one.
 *
 * @example
 * await world.orders.startTransfer(publicId)
 * const { steps } = await world.orders.completeTransfer(publicId, { reason: 'pushed by registrar' })
 */
export type OrdersHandle = ListOf<'orders', Order, OrderFilter> & {
  show(publicId: string): Promise<Order>
} & { [Name in OperatorStep as CamelCase<Name>]: Step<Order, StepDetails> }

export interface CaseFilter {
  status?: CaseState
  partnerId?: string
  domain?: string
  from?: string | Date
  to?: string | Date
}

/**
 * The brokerage cases of a world, of all its partners.
 *
 * @example await world.cases.closeDeal(caseId, { priceCents: 420_000 })
 */
export type CasesHandle = ListOf<'cases', BrokerageCase, CaseFilter> & {
  show(caseId: string): Promise<BrokerageCase>
} & { [Name in CaseStepName as CamelCase<Name>]: Step<BrokerageCase, CaseStepDetails> }

export interface CheckoutFilter {
  status?: CheckoutSession['status']
  partnerId?: string
  domain?: string
}

/** The hosted checkout sessions of a world, and what a buyer or the bank does with one. */
export interface CheckoutHandle extends ListOf<'checkout_sessions', CheckoutSession, CheckoutFilter> {
  show(sessionId: string): Promise<CheckoutSession>
  /** @example const { outcome, public_id } = await world.checkout.pay(sessionId, { email: 'ada@example.test' }) */
  pay(sessionId: string, buyer?: Partial<Buyer>): Promise<CheckoutOutcome>
  decline(sessionId: string): Promise<CheckoutOutcome>
  cancel(sessionId: string): Promise<CheckoutOutcome>
}

export function ordersHandle(client: OperatorClient, world: string): OrdersHandle {
  const path = `${world}/orders`
  return {
    ...listOf(client, path, 'orders'),
    show: (publicId: string) => client.ask('GET', pathOf(path, publicId)),
    ...stepsOf(client, path, OPERATOR_STEPS),
  } as OrdersHandle
}

export function casesHandle(client: OperatorClient, world: string): CasesHandle {
  const path = `${world}/brokerage`
  return {
    ...listOf(client, path, 'cases'),
    show: (caseId: string) => client.ask('GET', pathOf(path, caseId)),
    ...stepsOf(client, path, CASE_STEP_NAMES),
  } as CasesHandle
}

export function checkoutHandle(client: OperatorClient, world: string): CheckoutHandle {
  const path = `${world}/checkout-sessions`
  const act = (id: string, action: string, details?: object) =>
    client.ask<CheckoutOutcome>('POST', `${pathOf(path, id)}/${action}`, details)
  return {
    ...listOf(client, path, 'checkout_sessions'),
    show: (sessionId) => client.ask('GET', pathOf(path, sessionId)),
    pay: (sessionId, buyer) => act(sessionId, 'pay', { buyer }),
    decline: (sessionId) => act(sessionId, 'decline'),
    cancel: (sessionId) => act(sessionId, 'cancel'),
  }
}

/** An id may hold anything; as a segment of a path it names one thing. */
export function pathOf(collection: string, id: string): string {
  return `${collection}/${encodeURIComponent(id)}`
}

function stepsOf(client: OperatorClient, path: string, names: readonly string[]): object {
  return Object.fromEntries(
    names.map((name) => [
      name.replace(/-([a-z])/g, (_dash, letter: string) => letter.toUpperCase()),
      (id: string, details?: object) => client.ask('POST', `${pathOf(path, id)}/${name}`, details),
    ]),
  )
}
