import { formatInstant } from '../../clock/instant.ts'
import { orderFacts } from '../../sandbox/sales/order-facts.ts'
import type { Order } from '../../sandbox/sales/orders.ts'
import { presentStatement } from '../../sandbox/settlement/present.ts'
import { runSettlement } from '../../sandbox/settlement/settlement-runs.ts'
import type { Statement } from '../../sandbox/settlement/statements.ts'
import { created, worldRoute } from '../route.ts'

const run = worldRoute('POST', '/settlement-runs', {
  handle({ world }) {
    const { runId, ranAtMs, settled, statements } = world.commits.commitNow(() => runSettlement(world))
    return created({
      run_id: runId,
      ran_at: formatInstant(ranAtMs),
      settled: settled.map(presentSettled),
      statements: statements.map(presentForOperator),
    })
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

/** A statement as its partner sees it, and whose it is. */
function presentForOperator(statement: Statement) {
  const { statement_id, ...facts } = presentStatement(statement)
  return { statement_id, partner_id: statement.partnerId, ...facts }
}

export const settlementRunRoutes = [run]
