import { ApiError } from '../../contract/errors.ts'
import { recordEvent } from '../../sandbox/events/events.ts'
import type { World } from '../../sandbox/kernel/world.ts'
import { orderFacts } from '../../sandbox/sales/order-steps.ts'
import { findOrder } from '../../sandbox/sales/orders.ts'
import { updateStatus } from '../../sandbox/sales/store.ts'
import type { Order } from '../../sandbox/sales/types.ts'
import { created } from '../../sandbox/wire/answer.ts'
import { errorAnswer } from '../../sandbox/wire/error-answer.ts'
import { answeringWhere, crashing, refusalsOf } from './answers.ts'
import { changing, type Defect, defect, type Tampered } from './defect.ts'
import { type AnyInput, handling } from './routes.ts'

/** Mistakes of refunds that partners ask for. */
export const refundDefects: readonly Defect[] = [
  defect('refund-request-is-not-told', ['REF-01'], {
    summary: 'A refund that a partner asked for emits no event.',
    ...handling('refunds.create', (input, sound) => {
      const reply = sound(input)
      input.world.db.exec(`DELETE FROM events WHERE seq = (${LATEST_REFUND_EVENT})`)
      return reply
    }),
  }),
  defect('refund-request-is-told-twice', ['REF-01'], {
    summary: 'A refund that a partner asked for emits order.refunded twice.',
    ...handling('refunds.create', (input, sound) => {
      const reply = sound(input)
      tell(input.world, orderOf(input) as Order)
      return reply
    }),
  }),
  defect('refund-request-leaves-the-state', ['REF-01'], {
    summary: 'An order that is refunded on request keeps its state.',
    ...handling('refunds.create', (input, sound) => {
      const before = orderOf(input)
      const reply = sound(input)
      if (before) updateStatus(input.world.db, before)
      return reply
    }),
  }),
  defect('refund-request-is-only-noted', ['REF-01'], {
    summary: 'A refund request is accepted, and nothing comes of it.',
    ...handling('refunds.create', (input, sound) => {
      const order = orderOf(input)
      return order?.paymentModel === 'partner_collected' && order.status === 'EXTERNALLY_PAID'
        ? created({ refund_id: 'rf_0', public_id: order.publicId, status: 'refunded' })
        : sound(input)
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
    summary: 'A refund is refused once the order is an hour old, whatever its state.',
    ...handling('refunds.create', (input, sound) => {
      const order = orderOf(input)
      const isOld = order !== null && input.world.clock.nowMs() - order.createdAtMs > 3_600_000
      if (isOld) throw new ApiError('conflict', 'the order is too old for a refund')
      return sound(input)
    }),
  }),
  defect('refund-told-without-its-order', ['REF-01'], {
    summary: 'The event of a refund has the id of the order and nothing else of it.',
    ...handling('refunds.create', (input, sound) => {
      const reply = sound(input)
      retellLatest(input.world, { public_id: input.body['public_id'] })
      return reply
    }),
  }),
  defect('refund-told-with-its-former-status', ['REF-01'], {
    summary: 'The order in order.refunded still has the status that it had before.',
    ...handling('refunds.create', (input, sound) => {
      const before = orderOf(input)
      const reply = sound(input)
      if (before) retellLatest(input.world, orderFacts(before))
      return reply
    }),
  }),
  defect('refund-after-completion', ['REF-02'], {
    summary: 'An order whose transfer is completed is refunded on request.',
    ...changing('refunds', {
      from: ['EXTERNALLY_PAID', 'MANUAL_REVIEW', 'TRANSFER_IN_PROGRESS', 'TRANSFER_COMPLETED'],
    }),
  }),
  defect('refund-after-settlement', ['REF-02'], {
    summary: 'An order is refunded on request unless it is exactly TRANSFER_COMPLETED, so a settled one is.',
    ...changing('refunds', { from: ['EXTERNALLY_PAID', 'MANUAL_REVIEW', 'TRANSFER_IN_PROGRESS', 'SETTLED'] }),
  }),
  defect('refund-too-late-is-told', ['REF-02'], {
    summary: 'A refund request that comes too late is refused, after order.refunded was emitted.',
    ...afterRefusal((world, order) => {
      if (isDelivered(order)) tell(world, order)
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
      if (order.paymentModel === 'hosted_checkout') tell(world, order)
    }),
  }),
  defect('refund-of-a-hosted-sale-changes-the-state', ['REF-03'], {
    summary: 'The refund of a hosted sale is refused, and the order is CANCELLED.',
    ...afterRefusal((world, order) => {
      if (order.paymentModel === 'hosted_checkout') updateStatus(world.db, { ...order, status: 'CANCELLED' })
    }),
  }),
  defect('refund-of-anothers-order', ['ORD-10'], {
    summary: 'Anybody can have any order refunded by its id.',
    ...changing('refunds', { finds: 'everyones' }),
  }),
  defect('refund-of-anothers-order-is-forbidden', ['ORD-10'], {
    summary: 'A refund of another partner’s order is refused with 403, one of an unknown order with 404.',
    ...handling('refunds.create', (input, sound) => {
      const order = orderOf(input)
      if (order && order.partnerId !== input.caller.partnerId)
        throw new ApiError('forbidden', 'this order is not yours')
      return sound(input)
    }),
  }),
  defect('refund-of-an-unknown-order-is-malformed', ['ORD-10'], {
    summary: 'A refund of an unknown order is refused with 400 validation_error.',
    ...handling('refunds.create', (input, sound) => {
      if (!orderOf(input)) throw new ApiError('validation_error', 'public_id is no order')
      return sound(input)
    }),
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

const LATEST_REFUND_EVENT = `SELECT max(seq) FROM events WHERE type = 'order.refunded'`

function orderOf({ world, body }: AnyInput): Order | null {
  return findOrder(world, String(body['public_id']))
}

function isDelivered({ status }: Order): boolean {
  return status === 'TRANSFER_COMPLETED' || status === 'SETTLED'
}

function tell(world: World, order: Order): void {
  recordEvent(world, { partnerId: order.partnerId, type: 'order.refunded', data: { order: orderFacts(order) } })
}

/** Changes the order that the latest order.refunded tells of. */
function retellLatest(world: World, order: object): void {
  const statement = `UPDATE events SET data = ? WHERE seq = (${LATEST_REFUND_EVENT})`
  world.db.prepare(statement).run(JSON.stringify({ order }))
}

/** A server that has done something to the order by the time it refuses to refund it. */
function afterRefusal(act: (world: World, order: Order) => void): Tampered {
  const refusals = new WeakMap<object, ApiError>()
  const { hooks } = handling('refunds.create', (input, sound) => {
    try {
      return sound(input)
    } catch (error) {
      const order = orderOf(input)
      if (!(error instanceof ApiError) || error.code !== 'conflict' || !order) throw error
      act(input.world, order)
      refusals.set(input.call, error)
      return created({})
    }
  })
  return {
    hooks: {
      ...hooks,
      answer(answer, call) {
        const refusal = refusals.get(call)
        return refusal ? errorAnswer(refusal, call.world as World, call.id) : answer
      },
    },
  }
}
