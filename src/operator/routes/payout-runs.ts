import { formatInstant } from '../../clock/instant.ts'
import { runPayouts } from '../../sandbox/settlement/payout-runs.ts'
import type { Payout } from '../../sandbox/settlement/payouts.ts'
import { presentPayout } from '../../sandbox/settlement/present.ts'
import { created, worldRoute } from '../route.ts'

const run = worldRoute('POST', '/payout-runs', {
  handle({ world }) {
    const { runId, ranAtMs, payouts } = world.commits.commitNow(() => runPayouts(world))
    return created({ run_id: runId, ran_at: formatInstant(ranAtMs), payouts: payouts.map(presentForOperator) })
  },
})

/** A payout as its partner sees it, and whose it is. */
function presentForOperator(payout: Payout) {
  const { payout_id, ...facts } = presentPayout(payout)
  return { payout_id, partner_id: payout.partnerId, ...facts }
}

export const payoutRunRoutes = [run]
