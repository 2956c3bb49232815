import { formatInstant } from '../../clock/instant.ts'
import { object } from '../../contract/schema.ts'
import { LISTING_CURRENCY } from '../../sandbox/inventory/draw-listing.ts'
import { findPayoutRun, listPayoutRuns, type PayoutRun, runPayouts } from '../../sandbox/settlement/payout-runs.ts'
import { presentPayout } from '../../sandbox/settlement/present.ts'
import type { Payout } from '../../sandbox/settlement/types.ts'
import { nextCursor, pagingOf, pagingQuery } from '../../sandbox/wire/list-query.ts'
import { Problem } from '../problem.ts'
import { created, ok, worldRoute } from '../route.ts'

const list = worldRoute('GET', '/payout-runs', {
  summary: 'The runs so far, newest first, each with how much it paid: `payout_runs`, `next_cursor`.',
  query: object(pagingQuery),
  handle({ world, query }) {
    const page = listPayoutRuns(world, pagingOf(query))
    return ok({
      payout_runs: page.rows.map((row) => ({
        run_id: row.runId,
        ran_at: formatInstant(row.ranAtMs),
        payout_count: row.payouts,
        paid_cents: row.paidCents,
        currency: LISTING_CURRENCY,
      })),
      next_cursor: nextCursor(page, ({ runId }) => runId),
    })
  },
})

const run = worldRoute('POST', '/payout-runs', {
  summary: 'Pays every partner what is due: 201 with `run_id`, `ran_at`, `payouts`.',
  handle({ world }) {
    return created(presentRun(world.commits.commitNow(() => runPayouts(world))))
  },
})

const show = worldRoute('GET', '/payout-runs/{run_id}', {
  summary: 'One run with the same members.',
  handle({ world, params }) {
    const found = findPayoutRun(world, params['run_id'] ?? '')
    if (!found) throw new Problem(404, 'there is no such payout run in this world')
    return ok(presentRun(found))
  },
})

function presentRun({ runId, ranAtMs, payouts }: PayoutRun) {
  return { run_id: runId, ran_at: formatInstant(ranAtMs), payouts: payouts.map(presentForOperator) }
}

/** A payout as its partner sees it, and whose it is. */
function presentForOperator(payout: Payout) {
  const { payout_id, ...facts } = presentPayout(payout)
  return { payout_id, partner_id: payout.partnerId, ...facts }
}

export const payoutRunRoutes = [list, run, show]
