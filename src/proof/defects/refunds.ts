import { RULES } from '../../contract/rules.ts'
import { recordEvent } from '../../sandbox/events/events.ts'
import type { World } from '../../sandbox/kernel/world.ts'
import { orderFacts } from '../../sandbox/sales/order-steps.ts'
import { findOrder } from '../../sandbox/sales/orders.ts'
import type { Order } from '../../sandbox/sales/types.ts'
import type { Call } from '../../sandbox/wire/call.ts'
import { type Answer, ok } from '../../sandbox/wire/route.ts'
import { crashing, type Fields, refusalsOf } from './answers.ts'
import { changing, type Defect, defect, perWorld, type Tampered } from './defect.ts'
import { readable } from './orders.ts'
import { type AnyInput, altering, handling, itemsOf, refusingLater, servingAnyone } from './routes.ts'

/** Orders whose owner a server may forget to look at. */
const READ_BY_ANYONE: Record<string, (order: Order) => boolean> = {
  refunded: ({ status }) => status === 'REFUNDED',
  hosted: ({ paymentModel }) => paymentModel === 'hosted_checkout',
}

/** Mistakes of refunds that partners ask for. */
export const refundDefects: readonly Defect[] = [
  defect('refund-refused-before-the-transfer', ['REF-01'], {
    summary: 'A refund is possible while a transfer is under way and not before.',
    ...changing('refunds', { from: ['TRANSFER_IN_PROGRESS'] }),
  }),
  defect('refund-refused-once-the-transfer-started', ['REF-01'], {
    summary: 'A refund is refused as soon as the transfer has started, not only once it is completed.',
    ...changing('refunds', { from: ['EXTERNALLY_PAID', 'MANUAL_REVIEW'] }),
  }),
  defect('refund-after-completion', ['REF-02'], {
    summary: 'An order whose transfer is completed is refunded on request.',
    ...changing('refunds', { from: [...RULES.refunds.from, 'TRANSFER_COMPLETED'] }),
  }),
  defect('refund-after-settlement', ['REF-02'], {
    summary: 'An order is refunded on request unless it is exactly TRANSFER_COMPLETED, so a settled one is.',
    ...changing('refunds', { from: [...RULES.refunds.from, 'SETTLED'] }),
  }),
  defect('refund-too-late-crashes', ['REF-02', 'REF-03'], {
    summary: 'A refund that is not possible ends in a 500.',
    ...crashing(refusalsOf('refunds.create', 'conflict')),
  }),
  defect('refund-of-a-hosted-sale', ['REF-03'], {
    summary: 'An order of hosted checkout is refunded on request like any other.',
    ...changing('refunds', { models: ['partner_collected', 'hosted_checkout'] }),
  }),
  defect('refund-of-a-sale-by-a-link', ['REF-03'], {
    summary: 'An order of hosted checkout is refunded on request if a tracking link has led to it.',
    ...handling('refunds.create', (input, correct) => {
      const linked = "UPDATE orders SET payment_model = 'partner_collected' WHERE public_id = ? AND link_id IS NOT NULL"
      input.world.db.prepare(linked).run(input.body['public_id'])
      return correct(input)
    }),
  }),
  defect('refund-of-anothers-order', ['ORD-10'], {
    summary: 'Any partner can have any order refunded by its id.',
    ...servingAnyone('refunds.create', (input) => orderOf(input)?.partnerId),
  }),
  defect('refund-of-anothers-held-order', ['ORD-10'], {
    summary: 'Any partner can have an order refunded that is held for review.',
    ...servingAnyone('refunds.create', (input) => {
      const order = orderOf(input)
      return order?.status === 'MANUAL_REVIEW' ? order.partnerId : undefined
    }),
  }),
  ...Object.entries(READ_BY_ANYONE).map(([which, isRead]) =>
    defect(`order-${which}-is-read-by-anyone`, ['ORD-10'], {
      summary: `Any partner can read an order that is ${which}.`,
      ...servingAnyone('orders.detail', ({ world, params }) => {
        const order = findOrder(world, String(params['public_id']))
        return order && isRead(order) ? order.partnerId : undefined
      }),
    }),
  ),
  defect('refund-is-answered-with-the-latest-order', ['REF-01'], {
    summary: 'The answer to a refund names the latest order of the partner.',
    ...altering('refunds.create', ({ public_id: id }, { world, caller }) => {
      const latest = world.db.prepare('SELECT public_id FROM orders WHERE partner_id = ? ORDER BY seq DESC').pluck()
      return { public_id: latest.get(caller.partnerId) ?? id }
    }),
  }),
  defect('refund-that-is-refused-takes-the-transaction', ['REF-02'], {
    summary: 'An order whose refund is refused is no longer among the transactions.',
    ...leavingTheTransactions(),
  }),
  defect('refund-that-is-refused-is-told-again', ['REF-01'], {
    summary: 'A second refund is refused, and emits order.refunded again.',
    ...refusingLater('refunds.create', 'conflict', (input) => {
      const order = orderOf(input)
      if (order?.status === 'REFUNDED') tellAgain(input.world, order)
      return ok({})
    }),
  }),
  defect('refunds-that-come-at-once-are-both-told', ['REF-01'], {
    summary: 'Of two refunds of an order that come at once, the one that is refused makes an event as well.',
    ...tellingBothRefunds(),
  }),
  defect('refund-of-a-domain-sold-again-is-that-of-the-first-order', ['REF-01'], {
    summary: 'A refund looks up the first order of the domain.',
    ...handling('refunds.create', (input, correct) => {
      const domain = orderOf(input)?.domain ?? ''
      const first = input.world.db.prepare('SELECT public_id FROM orders WHERE domain = ? ORDER BY seq').pluck()
      const id = first.get(domain) ?? input.body['public_id']
      return correct({ ...input, body: { ...input.body, public_id: id } })
    }),
  }),
]

/** A server that takes an order for refunded once the refund is answered. */
function tellingBothRefunds(): Tampered {
  const refunded = perWorld(() => new Set<unknown>())
  const { hooks } = refusingLater('refunds.create', 'conflict', (input) => {
    const order = orderOf(input)
    if (order?.status === 'REFUNDED' && !refunded(input.world).has(order.publicId)) tellAgain(input.world, order)
    return ok({})
  })
  const answer = (made: Answer, call: Call): Answer => {
    const { world } = call
    // What has arrived by now has been looked at before.
    if (call.endpoint === 'refunds.create' && world !== null && made.status < 300)
      setImmediate(() => refunded(world).add(readable(call.body)['public_id']))
    return hooks?.answer?.(made, call) ?? made
  }
  return { hooks: { ...hooks, answer } }
}

function tellAgain(world: World, order: Order): void {
  const { partnerId } = order
  recordEvent(world, { partnerId, type: 'order.refunded', data: { order: orderFacts(order) } })
}

function leavingTheTransactions(): Tampered {
  const refused = perWorld(() => new Set<unknown>())
  return handling(['refunds.create', 'transactions.list'], (input, correct) => {
    const { world, call, body } = input
    try {
      const reply = correct(input)
      const listed = reply.body as Fields
      if (call.endpoint === 'refunds.create') return reply
      const rows = itemsOf(listed, 'transactions').filter(({ public_id: id }) => !refused(world).has(id))
      return { ...reply, body: { ...listed, transactions: rows } }
    } catch (error) {
      if (call.endpoint === 'refunds.create') refused(world).add(body['public_id'])
      throw error
    }
  })
}

function orderOf({ world, body }: AnyInput): Order | null {
  return findOrder(world, String(body['public_id']))
}
