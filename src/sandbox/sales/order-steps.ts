import type { TransferEventType } from '../../contract/event-types.ts'
import { isUndone, type OrderState, type OrderStepName, startsIn, stepsFrom } from '../../contract/order-states.ts'
import { statement } from '../../storage/db.ts'
import { recordInHistory } from '../events/events.ts'
import { setListing } from '../inventory/listings.ts'
import { actOnce } from '../inventory/magic.ts'
import { refusedStep } from '../kernel/refusal-with-effect.ts'
import { type TaskSource, waitingRows } from '../kernel/scheduler.ts'
import type { Progress } from '../kernel/settings.ts'
import type { World } from '../kernel/world.ts'
import { bookPayable, bookReversal } from '../ledger/ledger.ts'
import { findOrder, orderTimelines } from './orders.ts'
import type { Order } from './types.ts'

/**
 * Takes an order one step further: state, timeline and event together (STATE-01..07).
 *
 * @param note why, in the operator's words; shown in the timeline.
 */
export function takeStep(world: World, order: Order, name: OrderStepName, note: string | null): Order {
  const step = world.rules.steps[name]
  if (!startsIn(name, step.from, world.gaps).includes(order.status)) {
    throw refusedStep(name, order.status, stepsFrom(order.status, world.gaps))
  }
  const moved: Order = { ...order, status: step.to, updatedAtMs: world.clock.nowMs() }
  const sql = 'UPDATE orders SET status = ?, updated_at = ? WHERE seq = ?'
  statement(world.db, sql).run(moved.status, moved.updatedAtMs, moved.seq)
  orderTimelines.record(world, moved, { event: step.event, data: { order: orderFacts(moved) }, note })
  followStep(world, moved)
  if (name === 'clear' && world.gaps['cleared-order'] === 'starts its transfer') {
    return takeStep(world, moved, 'start-transfer', null)
  }
  return startAutomaticSteps(world, moved)
}

/**
 * What follows automatically from the state that an order has reached. A new order must have been booked before.
 *
 * @returns the order as it stands then: the transfer of `fails-N.test` may have ended where it began.
 */
export function startAutomaticSteps(world: World, order: Order): Order {
  recordTransferEvent(world, order)
  const fails = order.status === 'TRANSFER_IN_PROGRESS' && actOnce(world, order.domain, 'fails')
  return fails ? takeStep(world, order, 'refund', 'the transfer failed by its name') : order
}

/** What a step means for money and inventory, in the transaction of the step. */
function followStep(world: World, { seq: orderSeq, domain, status }: Order): void {
  if (status === 'TRANSFER_COMPLETED') bookPayable(world, { orderSeq })
  if (!isUndone(status)) return
  bookReversal(world, { orderSeq })
  if (world.gaps['refunded-domain'] === 'withdrawn') setListing(world, domain, { listed: false })
}

/** The five fields that every order event carries (ORD-02). */
export function orderFacts(order: Order) {
  return {
    public_id: order.publicId,
    domain: order.domain,
    status: order.status,
    sale_price_cents: order.salePriceCents,
    currency: order.currency,
  }
}

const TRANSFER_EVENTS: Partial<Record<OrderState, TransferEventType>> = {
  TRANSFER_IN_PROGRESS: 'transfer.started',
  TRANSFER_COMPLETED: 'transfer.completed',
}

/** An event of the transfer beside that of its order, if the open point `transfer-events` asks for it (EVT-04). */
function recordTransferEvent(world: World, { partnerId, publicId, domain, status }: Order): void {
  const type = TRANSFER_EVENTS[status]
  if (!type || world.gaps['transfer-events'] === 'none') return
  recordInHistory(world, { partnerId, type, data: { transfer: { public_id: publicId, domain, status } } })
}

const NOTE = 'by automatic progress'

/** The automatic step of the orders in a state, and which of the world's settings says after how long. */
interface AutomaticStep {
  readonly from: OrderState
  readonly step: OrderStepName
  readonly after: Extract<keyof Progress, 'startAfterMs' | 'completeAfterMs'>
  /** The index of these orders. Left to itself SQLite would take that of all states, and sort. */
  readonly index: string
}

/** The order that waits longest since its last step is next. `stalls-N.test` is left out. */
function automaticStep({ from, step, after, index }: AutomaticStep): TaskSource {
  return {
    ...waitingRows({
      kind: 'order.step',
      from: `FROM orders INDEXED BY ${index} WHERE status = '${from}' AND stalls = 0`,
      id: 'public_id',
      at: 'updated_at',
      order: 'updated_at, seq',
      after,
    }),
    run(world, { atMs, id }) {
      const order = takeStep(world, findOrder(world, id) as Order, step, NOTE)
      const summary = `${step} of the order for ${order.domain}: ${order.status}`
      return [{ atMs, kind: 'order.step', id, summary }]
    },
  }
}

/** Transfers start some time after the recording of their order, or its clearing. A held order waits for its clearing. */
export const transferStarts = automaticStep({
  from: 'EXTERNALLY_PAID',
  step: 'start-transfer',
  after: 'startAfterMs',
  index: 'orders_to_start',
})

/** Transfers complete some time after their start, those of hosted orders too. A delivered one waits for a settlement run. */
export const transferCompletions = automaticStep({
  from: 'TRANSFER_IN_PROGRESS',
  step: 'complete-transfer',
  after: 'completeAfterMs',
  index: 'orders_to_complete',
})
