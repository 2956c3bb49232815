import { formatInstant } from '../../clock/instant.ts'
import { orderFacts } from '../../sandbox/sales/order-facts.ts'
import type { Order } from '../../sandbox/sales/orders.ts'
import { runSettlement } from '../../sandbox/settlement/settlement-runs.ts'
import { created, worldRoute } from '../route.ts'

const run = worldRoute('POST', '/settlement-runs', {
  handle({ world }) {
    const { runId, ranAtMs, settled } = world.commits.commitNow(() => runSettlement(world))
    return created({ run_id: runId, ran_at: formatInstant(ranAtMs), settled: settled.map(presentSettled) })
  },
})

function presentSettled(order: Order) {
  return {
    ...orderFacts(order),
    partner_id: order.partnerId,
    commission_cents: order.commissionCents,
    amount_owed_cents: order.salePriceCents - order.commissionCents,
  }
}

export const settlementRunRoutes = [run]
