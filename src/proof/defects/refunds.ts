import { RULES } from '../../contract/rules.ts'
import { recordEvent } from '../../sandbox/events/events.ts'
import { orderFacts } from '../../sandbox/sales/order-steps.ts'
import { findOrder } from '../../sandbox/sales/orders.ts'
import type { Order } from '../../sandbox/sales/types.ts'
import { ok } from '../../sandbox/wire/route.ts'
import { crashing, refusalsOf } from './answers.ts'
import { both, changing, type Defect, defect, found, perWorld, type Tampered } from './defect.ts'
import { type AnyInput, altering, eachOf, handling, refusingLater, rewriting, servingAnyone } from './routes.ts'

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
  defect('refund-is-answered-with-the-latest-order', ['REF-01'], {
    summary: 'The answer to a refund names the latest order of the partner.',
    ...altering('refunds.create', ({ public_id: id }, { world, caller }) => {
      const sql = 'SELECT public_id FROM orders WHERE partner_id = ? ORDER BY seq DESC'
      return { public_id: found(world, sql, caller.partnerId) ?? id }
    }),
  }),
  defect('refund-that-is-refused-is-told-again', ['REF-01'], {
    summary: 'A second refund is refused, and emits order.refunded again.',
    ...refusingLater('refunds.create', 'conflict', (input) => {
      const order = orderOf(input)
      if (order?.status === 'REFUNDED')
        recordEvent(input.world, {
          partnerId: order.partnerId,
          type: 'order.refunded',
          data: { order: orderFacts(order) },
        })
      return ok({})
    }),
  }),
  defect('refund-of-a-domain-sold-again-is-that-of-the-first-order', ['REF-01'], {
    summary: 'A refund looks up the first order of the domain.',
    ...rewriting('refunds.create', (body, input) => {
      const sql = 'SELECT public_id FROM orders WHERE domain = ? ORDER BY seq'
      return { ...body, public_id: found(input.world, sql, orderOf(input)?.domain) ?? body['public_id'] }
    }),
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
  defect('refused-refunds-take-the-commission', ['REF-02'], {
    summary: 'A refund that is refused leaves the sale without its commission.',
    ...takingTheCommission(),
  }),
  defect('refund-of-a-hosted-sale', ['REF-03'], {
    summary: 'An order of hosted checkout is refunded on request like any other.',
    ...changing('refunds', { models: ['partner_collected', 'hosted_checkout'] }),
  }),
  defect('refund-of-anothers-order', ['ORD-10'], {
    summary: 'Any partner can have any order refunded by its id.',
    ...servingAnyone('refunds.create', (input) => orderOf(input)?.partnerId),
  }),
]

function orderOf({ world, body }: AnyInput): Order | null {
  return findOrder(world, String(body['public_id']))
}

function takingTheCommission(): Tampered {
  const refused = perWorld(() => new Set<unknown>())
  return both(
    handling('refunds.create', (input, correct) => {
      try {
        return correct(input)
      } catch (error) {
        refused(input.world).add(input.body['public_id'])
        throw error
      }
    }),
    eachOf('transactions.list', (sale, { world }) =>
      refused(world).has(sale['public_id']) ? { ...sale, commission_cents: 0 } : sale,
    ),
  )
}
