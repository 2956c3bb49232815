import { OPERATOR_STEPS, ORDER_STEPS, type OrderStepName } from '../../../contract/order-states.ts'
import { camelCase } from '../../../operator-api/camel-case.ts'
import type { OperationId } from '../../../operator-api/operations.ts'
import type { Order } from '../../../operator-api/rows/orders.ts'
import { stateWords } from '../../kit/state-badge.tsx'

/** The steps an operator takes, in the order a person would read them. */
export const STEPS = OPERATOR_STEPS

/** @example stepWords('start-transfer') // 'Start transfer' */
export function stepWords(step: OrderStepName): string {
  return stateWords(step.replaceAll('-', '_'))
}

/** The operation that takes the step. */
export function operationOfStep(step: OrderStepName): Extract<OperationId, 'orders.hold'> {
  return `orders.${camelCase(step)}` as 'orders.hold'
}

/** Why an order does not allow a step now; undefined if it does. */
export function whyNot(step: OrderStepName, { status, steps }: Pick<Order, 'status' | 'steps'>): string | undefined {
  if (steps.includes(step)) return undefined
  const from = ORDER_STEPS[step].from.map(stateWords).join(' or ')
  return `From ${from} only; this order is ${stateWords(status)}.`
}
