import type { OrderStepName } from '../../contract/order-states.ts'
import { stateName } from '../../contract/wire-names.ts'
import { noteAct, willAct } from '../inventory/magic-acts.ts'
import { LastingRefusal } from '../kernel/refusal-with-effect.ts'
import type { World } from '../kernel/world.ts'
import { takeStep } from './order-steps.ts'
import type { Order } from './types.ts'

const NOTE = 'quicker than the refund, by its name'

/** What brings the transfer of an order to its end; one that is held cannot get there in time. */
const TO_THE_END: Partial<Record<Order['status'], readonly OrderStepName[]>> = {
  EXTERNALLY_PAID: ['start-transfer', 'complete-transfer'],
  TRANSFER_IN_PROGRESS: ['complete-transfer'],
}

/**
 * The transfer of `refund-race-N.test` completes while a refund of it is on its way, once.
 *
 * @throws LastingRefusal as for any order that has been delivered; it leaves the completed transfer.
 */
export function refuseLostRace(world: World, order: Order): void {
  const steps = TO_THE_END[order.status]
  if (!steps || !willAct(world, order.domain, 'refund-race')) return
  const states = world.rules.refunds.from.map((state) => stateName(state, world.gaps))
  const message = `the order is TRANSFER_COMPLETED; a refund is possible in ${states.join(', ')}`
  throw new LastingRefusal(world.gaps['refund-refusal'], message, () => {
    noteAct(world, order.domain, 'refund-race')
    let moved = order
    for (const step of steps) moved = takeStep(world, moved, step, NOTE)
  })
}
