import { formatInstant } from '../../clock/instant.ts'
import { ApiError } from '../../contract/errors.ts'
import type { OrderState, OrderStepName } from '../../contract/order-states.ts'
import { stateName } from '../../contract/wire-names.ts'
import { nextSequence } from '../../storage/db.ts'
import { storedRows } from '../../storage/rows.ts'
import { noteAct, willAct } from '../inventory/magic.ts'
import { RefusalWithEffect } from '../kernel/refusal-with-effect.ts'
import type { Credential, World } from '../kernel/world.ts'
import { takeStep } from './order-steps.ts'
import { ownOrder } from './orders.ts'
import type { Order, Refund } from './types.ts'

type RefundRow = Omit<Refund, 'order'> & { orderSeq: number; partnerId: string }

const REFUNDS = storedRows<RefundRow>()('refunds', [
  'seq',
  'refundId',
  'orderSeq',
  'partnerId',
  'reason',
  'amountCents',
  'createdAtMs',
])

/**
 * Refunds a partner-collected order that has not been delivered: its commission is taken back and its domain is for sale
 * again, unless the open points say otherwise (REF-01..04). An unknown order and another partner's look the same.
 */
export function requestRefund(
  world: World,
  caller: Credential,
  input: { publicId: string; reason?: string | undefined },
): Refund {
  const order = ownOrder(world, caller, input.publicId)
  if (world.gaps['second-refund'] !== 'refused' && order.status === 'REFUNDED') {
    const before = REFUNDS.where(world.db, 'order_seq = ?').get(order.seq)
    // What an operator undid has no refund.
    if (before) return { ...before, order }
  }
  refuseUnrefundable(world, order)
  refuseLostRace(world, order)
  const reason = input.reason ?? null
  const seq = nextSequence(world.db, 'refunds')
  const refund: Refund = {
    seq,
    refundId: world.chance.id('refund', seq),
    order: takeStep(world, order, 'refund', reason),
    reason,
    amountCents: order.salePriceCents,
    createdAtMs: world.clock.nowMs(),
  }
  REFUNDS.insert(world.db, { ...refund, orderSeq: order.seq, partnerId: order.partnerId })
  markLatestStep(world, refund)
  return refund
}

function markLatestStep({ db }: World, { order, refundId }: Refund): void {
  const sql = `UPDATE order_timeline SET refund_id = @refundId WHERE order_seq = @orderSeq
    AND position = (SELECT max(position) FROM order_timeline WHERE order_seq = @orderSeq)`
  db.statement(sql).run({ orderSeq: order.seq, refundId })
}

function refuseUnrefundable(world: World, order: Order): void {
  const { from, models } = world.rules.refunds
  if (!models.includes(order.paymentModel)) {
    throw new ApiError(
      world.gaps['refund-refusal'],
      `a refund is for orders that are partner_collected, and this one is ${order.paymentModel}`,
      { grounds: { compared: [{ name: 'payment_model', sent: order.paymentModel, expected: models.join(' or ') }] } },
    )
  }
  if (!from.includes(order.status)) {
    const named = (state: OrderState) => stateName(state, world.gaps)
    const message = `the order is ${named(order.status)}; a refund is possible in ${from.map(named).join(', ')}`
    throw new ApiError(world.gaps['refund-refusal'], message, {
      grounds: {
        says: `the order ${order.publicId} is ${named(order.status)} since ${formatInstant(order.updatedAtMs)} of the world’s time`,
        compared: [{ name: 'state of the order', sent: named(order.status), expected: from.map(named).join(' or ') }],
        remedies: [{ says: 'See what happened to the order.', command: `order show ${order.publicId}` }],
      },
    })
  }
}

const NOTE = 'quicker than the refund, by its name'

/** What brings the transfer of an order to its end; one that is held cannot get there in time. */
const TO_THE_END: Partial<Record<Order['status'], readonly OrderStepName[]>> = {
  EXTERNALLY_PAID: ['start-transfer', 'complete-transfer'],
  TRANSFER_IN_PROGRESS: ['complete-transfer'],
}

/** The transfer of `refund-race-N.test` completes while a refund of it is on its way, once, and stays so. */
function refuseLostRace(world: World, order: Order): void {
  const steps = TO_THE_END[order.status]
  if (!steps || !willAct(world, order.domain, 'refund-race')) return
  const states = world.rules.refunds.from.map((state) => stateName(state, world.gaps))
  const message = `the order is TRANSFER_COMPLETED; a refund is possible in ${states.join(', ')}`
  throw new RefusalWithEffect(world.gaps['refund-refusal'], message, () => {
    noteAct(world, order.domain, 'refund-race')
    let moved = order
    for (const step of steps) moved = takeStep(world, moved, step, NOTE)
  })
}
