import type { OrderState } from '../../contract/order-states.ts'
import type { DueSource } from '../kernel/scheduler.ts'
import type { World } from '../kernel/world.ts'
import { AUTOMATIC_STEPS, nextStepInstant } from './next-step.ts'
import { takeStep } from './order-steps.ts'
import { countMoving, longestWaiting, orderByPublicId } from './store.ts'
import type { Order } from './types.ts'

const NOTE = 'by automatic progress'

/**
 * The step that orders take by themselves out of a state, read from the orders: the one that waits longest is next.
 * `stalls-N.test` is left out.
 */
function automaticStepFrom(state: OrderState): DueSource {
  const automatic = AUTOMATIC_STEPS[state]
  if (!automatic) throw new Error(`no order leaves the state ${state} by itself`)
  const isOff = (world: World) => world.settings.progress[automatic.after] === null
  return {
    kind: 'order.step',
    peek(world) {
      const next = isOff(world) ? null : longestWaiting(world.db, state)
      const atMs = next && nextStepInstant(world, next)
      return next && atMs !== null ? { atMs, id: next.publicId } : null
    },
    run(world, { atMs, id }) {
      const order = takeStep(world, orderByPublicId(world.db, id) as Order, automatic.step, NOTE)
      const summary = `${automatic.step} of the order for ${order.domain}: ${order.status}`
      return [{ atMs, kind: 'order.step', id, summary }]
    },
    count: (world) => (isOff(world) ? 0 : countMoving(world.db, state)),
  }
}

/** Transfers start some time after the recording of their order, or its clearing. */
export const transferStarts = automaticStepFrom('EXTERNALLY_PAID')

/** Transfers complete some time after their start, those of hosted orders too. */
export const transferCompletions = automaticStepFrom('TRANSFER_IN_PROGRESS')
