import type { ErrorCode } from '../../../contract/errors.ts'
import { answeringWhere, type Fields, refusalsOf } from '../answers.ts'
import { type Defect, defect, perWorld, type Tampered } from '../defect.ts'
import { readable } from '../orders.ts'
import { listing } from '../routes.ts'

/** Mistakes by which one list shows what was refused, cancelled or too late. */
export const traceDefects: readonly Defect[] = [
  defect('conflicts-are-transactions', ['IDEM-03'], {
    summary: 'An order that is refused for its key is among the transactions.',
    ...listingRefused('conflict'),
  }),
  defect('conflicts-are-listed', ['IDEM-03'], {
    summary: 'An order that is refused for its key is in the list of orders.',
    ...listingRefused('conflict', 'orders.list', 'orders'),
  }),
]

/** A server that has a sale, or an order, for each order that it refuses with a code. */
function listingRefused(
  code: ErrorCode,
  list: 'transactions.list' | 'orders.list' = 'transactions.list',
  name = 'transactions',
): Tampered {
  const refused = perWorld((): Fields[] => [])
  const listed = listing(list, name, (rows, { world, query }) => [
    ...rows,
    ...refused(world).filter(({ domain }) => query['domain'] === undefined || query['domain'] === domain),
  ])
  const noted = answeringWhere(refusalsOf('orders.create', code), (answer, { world, body }) => {
    const { domain } = readable(body)
    const facts = { sale_price_cents: 0, commission_cents: 0, currency: 'USD', status: 'EXTERNALLY_PAID' }
    if (world !== null)
      refused(world).push({
        ...{ transaction_id: `txn_${refused(world).length}`, public_id: `ord_${code}`, domain, ...facts },
        ...{ payment_model: 'partner_collected', created_at: new Date(world.clock.nowMs()).toISOString() },
      })
    return answer
  })
  return { hooks: { ...listed.hooks, ...noted.hooks } }
}
