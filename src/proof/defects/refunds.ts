import { RULES } from '../../contract/rules.ts'
import { recordEvent } from '../../sandbox/events/events.ts'
import type { World } from '../../sandbox/kernel/world.ts'
import { orderFacts } from '../../sandbox/sales/order-steps.ts'
import { findOrder } from '../../sandbox/sales/orders.ts'
import { updateStatus } from '../../sandbox/sales/store.ts'
import type { Order } from '../../sandbox/sales/types.ts'
import { created } from '../../sandbox/wire/route.ts'
import { answeringWhere, crashing, refusalsOf } from './answers.ts'
import { changing, type Defect, defect, type Tampered } from './defect.ts'
import { type AnyInput, handling, handlingAfter, refusing, refusingLater, servingAnyone } from './routes.ts'

/** Mistakes of refunds that partners ask for. */
export const refundDefects: readonly Defect[] = [
  defect('refund-request-is-not-told', ['REF-01'], {
    summary: 'A refund that a partner asked for emits no event.',
    ...handlingAfter('refunds.create', ({ world }) => {
      world.db.exec(`DELETE FROM events WHERE seq = (${LATEST_REFUND_EVENT})`)
    }),
  }),
  defect('refund-request-is-told-twice', ['REF-01'], {
    summary: 'A refund that a partner asked for emits order.refunded twice.',
    ...handlingAfter('refunds.create', (input) => recordRefundEvent(input.world, orderOf(input) as Order)),
  }),
  defect('refund-request-leaves-the-state', ['REF-01'], {
    summary: 'An order that is refunded on request keeps its state.',
    ...handling('refunds.create', (input, correct) => {
      const before = orderOf(input)
      const reply = correct(input)
      if (before) updateStatus(input.world.db, before)
      return reply
    }),
  }),
  defect('refund-request-is-only-noted', ['REF-01'], {
    summary: 'A refund request is accepted and has no effect.',
    ...handling('refunds.create', (input, correct) => {
      const order = orderOf(input)
      return order?.paymentModel === 'partner_collected' && order.status === 'EXTERNALLY_PAID'
        ? created({ refund_id: 'rf_0', public_id: order.publicId, status: 'refunded' })
        : correct(input)
    }),
  }),
  defect('refund-refused-before-the-transfer', ['REF-01'], {
    summary: 'A refund is possible while a transfer is under way and not before.',
    ...changing('refunds', { from: ['TRANSFER_IN_PROGRESS'] }),
  }),
  defect('refund-refused-once-the-transfer-started', ['REF-01'], {
    summary: 'A refund is refused as soon as the transfer has started, not only once it is completed.',
    ...changing('refunds', { from: ['EXTERNALLY_PAID', 'MANUAL_REVIEW'] }),
  }),
  defect('refund-refused-while-held', ['REF-01'], {
    summary: 'A refund of an order that is held for review is refused.',
    ...changing('refunds', { from: ['EXTERNALLY_PAID', 'TRANSFER_IN_PROGRESS'] }),
  }),
  defect('refund-refused-after-an-hour', ['REF-01'], {
    summary: 'A refund is refused once the order is an hour old, in any state.',
    ...refusing('refunds.create', isOld, 'conflict', 'the order is too old for a refund'),
  }),
  defect('refund-told-without-its-order', ['REF-01'], {
    summary: 'The event of a refund has only the id of the order.',
    ...handlingAfter('refunds.create', ({ world, body }) => retellLatest(world, { public_id: body['public_id'] })),
  }),
  defect('refund-after-completion', ['REF-02'], {
    summary: 'An order whose transfer is completed is refunded on request.',
    ...changing('refunds', { from: [...RULES.refunds.from, 'TRANSFER_COMPLETED'] }),
  }),
  defect('refund-after-settlement', ['REF-02'], {
    summary: 'An order is refunded on request unless it is exactly TRANSFER_COMPLETED, so a settled one is.',
    ...changing('refunds', { from: [...RULES.refunds.from, 'SETTLED'] }),
  }),
  defect('refund-too-late-is-told', ['REF-02'], {
    summary: 'A refund request that comes too late is refused, after order.refunded was emitted.',
    ...afterRefusal((world, order) => {
      if (isDelivered(order)) recordRefundEvent(world, order)
    }),
  }),
  defect('refund-too-late-changes-the-state', ['REF-02'], {
    summary: 'A refund request that comes too late is refused, and the order is REFUNDED.',
    ...afterRefusal((world, order) => {
      if (isDelivered(order)) updateStatus(world.db, { ...order, status: 'REFUNDED' })
    }),
  }),
  defect('refund-too-late-crashes', ['REF-02', 'REF-03'], {
    summary: 'A refund that is not possible ends in a 500.',
    ...crashing(refusalsOf('refunds.create', 'conflict')),
  }),
  defect('refund-of-a-hosted-sale', ['REF-03'], {
    summary: 'An order of hosted checkout is refunded on request like any other.',
    ...changing('refunds', { models: ['partner_collected', 'hosted_checkout'] }),
  }),
  defect('refund-of-a-hosted-sale-is-told', ['REF-03'], {
    summary: 'The refund of a hosted sale is refused, after order.refunded was emitted.',
    ...afterRefusal((world, order) => {
      if (order.paymentModel === 'hosted_checkout') recordRefundEvent(world, order)
    }),
  }),
  defect('refund-of-a-hosted-sale-changes-the-state', ['REF-03'], {
    summary: 'The refund of a hosted sale is refused, and the order is CANCELLED.',
    ...afterRefusal((world, order) => {
      if (order.paymentModel === 'hosted_checkout') updateStatus(world.db, { ...order, status: 'CANCELLED' })
    }),
  }),
  defect('refund-of-anothers-order', ['ORD-10'], {
    summary: 'Any partner can have any order refunded by its id.',
    ...servingAnyone('refunds.create', (input) => orderOf(input)?.partnerId),
  }),
  defect('refund-of-anothers-order-is-forbidden', ['ORD-10'], {
    summary: 'A refund of another partner’s order is refused with 403, one of an unknown order with 404.',
    ...refusing('refunds.create', isForeign, 'forbidden', 'this order is not yours'),
  }),
  defect('refund-of-an-unknown-order-is-malformed', ['ORD-10'], {
    summary: 'A refund of an unknown order is refused with 400 validation_error.',
    ...refusing('refunds.create', (input) => !orderOf(input), 'validation_error', 'public_id is not an order'),
  }),
  defect('refund-without-an-order-is-accepted', ['ERR-01'], {
    summary: 'A refund request that names no order is accepted and does nothing.',
    ...answeringWhere(refusalsOf('refunds.create', 'validation_error'), (answer) => ({
      ...answer,
      status: 201,
      body: JSON.stringify({ refund_id: 'rf_0', status: 'refunded' }),
    })),
  }),
  defect('refund-of-no-json-crashes', ['ERR-02'], {
    summary: 'A refund request whose body is malformed ends in a 500.',
    ...crashing(refusalsOf('refunds.create', 'validation_error')),
  }),
]

const HOUR_MS = 3_600_000
const LATEST_REFUND_EVENT = `SELECT max(seq) FROM events WHERE type = 'order.refunded'`

function orderOf({ world, body }: AnyInput): Order | null {
  return findOrder(world, String(body['public_id']))
}

function isOld(input: AnyInput): boolean {
  const order = orderOf(input)
  return order !== null && input.world.clock.nowMs() - order.createdAtMs > HOUR_MS
}

function isForeign(input: AnyInput): boolean {
  const order = orderOf(input)
  return order !== null && order.partnerId !== input.caller.partnerId
}

function isDelivered({ status }: Order): boolean {
  return status === 'TRANSFER_COMPLETED' || status === 'SETTLED'
}

function recordRefundEvent(world: World, order: Order): void {
  recordEvent(world, { partnerId: order.partnerId, type: 'order.refunded', data: { order: orderFacts(order) } })
}

/** Changes the order of the latest order.refunded. */
function retellLatest(world: World, order: object): void {
  const statement = `UPDATE events SET data = ? WHERE seq = (${LATEST_REFUND_EVENT})`
  world.db.prepare(statement).run(JSON.stringify({ order }))
}

/** A server that has changed the order by the time it refuses to refund it. */
function afterRefusal(act: (world: World, order: Order) => void): Tampered {
  return refusingLater('refunds.create', 'conflict', (input) => {
    act(input.world, orderOf(input) as Order)
    return created({})
  })
}
