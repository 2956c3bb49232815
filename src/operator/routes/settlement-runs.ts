import { formatInstant } from '../../clock/instant.ts'
import { object } from '../../contract/schema.ts'
import { LISTING_CURRENCY } from '../../sandbox/inventory/draw-listing.ts'
import { orderFacts } from '../../sandbox/sales/order-steps.ts'
import type { Order } from '../../sandbox/sales/types.ts'
import { presentStatement } from '../../sandbox/settlement/present.ts'
import {
  findSettlementRun,
  listSettlementRuns,
  runSettlement,
  type SettlementRun,
} from '../../sandbox/settlement/settlement-runs.ts'
import type { Statement } from '../../sandbox/settlement/statements.ts'
import { nextCursor, pagingOf, pagingQuery } from '../../sandbox/wire/list-query.ts'
import { Problem } from '../problem.ts'
import { created, ok, worldRoute } from '../route.ts'

const list = worldRoute('GET', '/settlement-runs', {
  summary:
    'The runs so far, newest first, each with how much it settled and what partners owe for it: `settlement_runs`, `next_cursor`.',
  query: object(pagingQuery),
  handle({ world, query }) {
    const page = listSettlementRuns(world, pagingOf(query))
    return ok({
      settlement_runs: page.rows.map((row) => ({
        run_id: row.runId,
        ran_at: formatInstant(row.ranAtMs),
        settled_count: row.orders,
        statement_count: row.statements,
        amount_owed_cents: row.owedCents,
        adjustment_cents: row.adjustmentCents,
        currency: LISTING_CURRENCY,
      })),
      next_cursor: nextCursor(page, ({ runId }) => runId),
    })
  },
})

const run = worldRoute('POST', '/settlement-runs', {
  summary: 'Closes the period: 201 with `run_id`, `ran_at`, the orders that were `settled` and the `statements`.',
  handle({ world }) {
    return created(presentRun(world.commits.commitNow(() => runSettlement(world))))
  },
})

const show = worldRoute('GET', '/settlement-runs/{run_id}', {
  summary: 'One run with the same members; the orders that it `settled` as they are now.',
  handle({ world, params }) {
    const found = findSettlementRun(world, params['run_id'] ?? '')
    if (!found) throw new Problem(404, 'there is no such settlement run in this world')
    return ok(presentRun(found))
  },
})

function presentRun({ runId, ranAtMs, settled, statements }: SettlementRun) {
  return {
    run_id: runId,
    ran_at: formatInstant(ranAtMs),
    settled: settled.map(presentSettled),
    statements: statements.map(presentForOperator),
  }
}

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

export const settlementRunRoutes = [list, run, show]
