import { ORDER_STEPS, type OrderState, type OrderStepName } from '../../src/contract/order-states.ts'

const ALL = Object.keys(ORDER_STEPS) as OrderStepName[]

/**
 * The steps that bring a fresh order into a state, as few as possible; null if these steps do not lead there.
 *
 * @param names the steps that may be taken.
 * @example stepsTo('TRANSFER_COMPLETED') // ['start-transfer', 'complete-transfer']
 */
export function stepsTo(state: OrderState, names: readonly OrderStepName[] = ALL): readonly OrderStepName[] | null {
  const ways = new Map<OrderState, readonly OrderStepName[]>([['EXTERNALLY_PAID', []]])
  // A Map iterates over what is added meanwhile.
  for (const [reached, way] of ways) {
    for (const name of names) {
      const { from, to }: { from: readonly OrderState[]; to: OrderState } = ORDER_STEPS[name]
      if (from.includes(reached) && !ways.has(to)) ways.set(to, [...way, name])
    }
  }
  return ways.get(state) ?? null
}
