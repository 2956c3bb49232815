import type { OrderState, OrderStepName } from '../../contract/order-states.ts'
import type { Progress } from '../kernel/settings.ts'
import type { World } from '../kernel/world.ts'
import type { Order } from './types.ts'

/** The step that an order takes by itself, and which of the world's settings says after how long. */
interface AutomaticStep {
  readonly step: OrderStepName
  readonly after: Extract<keyof Progress, 'startAfterMs' | 'completeAfterMs'>
}

/** A held order waits for its clearing, and what has been delivered for a settlement run. */
export const AUTOMATIC_STEPS: Partial<Record<OrderState, AutomaticStep>> = {
  EXTERNALLY_PAID: { step: 'start-transfer', after: 'startAfterMs' },
  TRANSFER_IN_PROGRESS: { step: 'complete-transfer', after: 'completeAfterMs' },
}

/**
 * When an order takes its next step by itself. The wait counts from its last step, or from the moment at which progress
 * was set, if that is later: nothing happens in the past.
 *
 * @returns null where it takes none.
 */
export function nextStepInstant(world: World, order: Pick<Order, 'status' | 'updatedAtMs'>): number | null {
  const { progress } = world.settings
  const automatic = AUTOMATIC_STEPS[order.status]
  const afterMs = automatic ? progress[automatic.after] : null
  return afterMs === null ? null : Math.max(order.updatedAtMs, progress.sinceMs) + afterMs
}

/** Tells the world when it has to look after an order again. */
export function noteNextStep(world: World, order: Pick<Order, 'status' | 'updatedAtMs'>): void {
  const atMs = nextStepInstant(world, order)
  if (atMs !== null) world.due.note(atMs)
}
