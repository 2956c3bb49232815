import type { CommissionRates, ReviewRule } from '../kernel/settings.ts'
import { commitClock } from './commit-clock.ts'
import type { Environment } from './environment.ts'

/**
 * Sets the partner's shares, and which orders are held, for what is sold from now on. What is booked stays as it is, and a
 * brokerage case keeps the rate on which it was opened.
 *
 * @example setRules(world, { commission: USUAL_COMMISSION, review: NO_REVIEW })
 */
export function setRules(
  world: Environment,
  { commission, review }: { commission: CommissionRates; review: ReviewRule },
) {
  commitClock(world, () => {
    world.settings.commission = commission
    world.settings.review = review
  })
}
