import type { OrderStepName } from '../../contract/order-states.ts'
import type { TaskSource } from '../kernel/scheduled-task.ts'
import type { Progress } from '../kernel/settings.ts'
import { takeStep } from './order-steps.ts'
import { countMoving, longestWaiting, type MovingState, orderByPublicId } from './store.ts'
import type { Order } from './types.ts'

const NOTE = 'by automatic progress'

/** The automatic step of an order, and which of the world's settings says after how long. */
interface AutomaticStep {
  readonly from: MovingState
  readonly step: OrderStepName
  readonly after: Extract<keyof Progress, 'startAfterMs' | 'completeAfterMs'>
}

/**
 * The order that waits longest is next. The wait counts from its last step, or from the moment at which progress was set, if
 * that is later: nothing happens in the past. `stalls-N.test` is left out.
 */
function automaticStep({ from, step, after }: AutomaticStep): TaskSource {
  return {
    kind: 'order.step',
    peek({ db, settings: { progress } }) {
      const afterMs = progress[after]
      const next = afterMs === null ? null : longestWaiting(db, from)
      if (afterMs === null || next === null) return null
      return { atMs: Math.max(next.updatedAtMs, progress.sinceMs) + afterMs, id: next.publicId }
    },
    run(world, { atMs, id }) {
      const order = takeStep(world, orderByPublicId(world.db, id) as Order, step, NOTE)
      const summary = `${step} of the order for ${order.domain}: ${order.status}`
      return [{ atMs, kind: 'order.step', id, summary }]
    },
    count: ({ db, settings }) => (settings.progress[after] === null ? 0 : countMoving(db, from)),
  }
}

/** Transfers start some time after the recording of their order, or its clearing. A held order waits for its clearing. */
export const transferStarts = automaticStep({ from: 'EXTERNALLY_PAID', step: 'start-transfer', after: 'startAfterMs' })

/** Transfers complete some time after their start, those of hosted orders too. A delivered one waits for a settlement run. */
export const transferCompletions = automaticStep({
  from: 'TRANSFER_IN_PROGRESS',
  step: 'complete-transfer',
  after: 'completeAfterMs',
})
