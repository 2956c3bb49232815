import { ApiError } from '../../contract/errors.ts'
import { type OrderState, type OrderStepName, stepsFrom } from '../../contract/order-states.ts'
import { recordEvent } from '../events/events.ts'
import type { World } from '../world.ts'
import { orderFacts } from './order-facts.ts'
import type { Order } from './orders.ts'
import { addToTimeline, updateStatus } from './store.ts'

/**
 * Takes an order one step further: state, timeline and event together (STATE-01..07).
 *
 * @param note why, in the operator's words; shown in the timeline.
 * @throws ApiError conflict naming the state and the steps it allows.
 * @example takeStep(world, order, 'start-transfer', null)
 */
export function takeStep(world: World, order: Order, name: OrderStepName, note: string | null): Order {
  const step = world.rules.steps[name]
  if (!step.from.includes(order.status)) throw refusedStep(order.status, name)
  const moved: Order = { ...order, status: step.to, updatedAtMs: world.clock.nowMs() }
  const event = step.event
    ? recordEvent(world, { partnerId: order.partnerId, type: step.event, data: { order: orderFacts(moved) } })
    : null
  updateStatus(world.db, moved)
  addToTimeline(world.db, moved.seq, {
    status: moved.status,
    atMs: moved.updatedAtMs,
    eventId: event?.id ?? null,
    note,
  })
  return moved
}

function refusedStep(state: OrderState, name: OrderStepName): ApiError {
  const allowed = stepsFrom(state)
  const advice = allowed.length > 0 ? `it allows ${allowed.join(', ')}` : 'it allows no step any more'
  return new ApiError('conflict', `${name} is not possible in state ${state}; ${advice}`)
}
