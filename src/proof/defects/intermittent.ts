import { ApiError } from '../../contract/errors.ts'
import type { Rules } from '../../contract/rules.ts'
import type { World } from '../../sandbox/kernel/world.ts'
import type { Reply } from '../../sandbox/wire/answer.ts'
import type { Defect } from './defect.ts'
import { type AnyInput, handling, underRules } from './routes.ts'

const EVERY = 10

/** Mistakes that most calls show nothing of. */
export const orderNowAndThenDefects: readonly Defect[] = [
  {
    id: 'order-of-another-is-readable-now-and-then',
    breaks: ['ORD-10'],
    summary: 'Every tenth time that it is asked for, another partner’s order is shown.',
    ...handling(
      'orders.detail',
      everyTenthRefusal((rules) => ({ ...rules, orders: { ...rules.orders, detailShows: 'everyones' } })),
    ),
  },
]

export const caseNowAndThenDefects: readonly Defect[] = [
  {
    id: 'case-of-another-is-readable-now-and-then',
    breaks: ['BRK-04'],
    summary: 'Every tenth time that it is asked for, another partner’s case is shown.',
    ...handling(
      'brokerage.detail',
      everyTenthRefusal((rules) => ({ ...rules, brokerage: { ...rules.brokerage, detailShows: 'everyones' } })),
    ),
  },
]

/** Asks once more under laxer rules where a sound server finds nothing for the tenth time. */
function everyTenthRefusal(laxer: (rules: Rules) => Rules) {
  const refusals = new WeakMap<World, number>()
  return (input: AnyInput, sound: (input: AnyInput) => Reply): Reply => {
    try {
      return sound(input)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const count = (refusals.get(input.world) ?? 0) + 1
      refusals.set(input.world, count)
      if (count % EVERY !== 0) throw error
      return sound(underRules(input, laxer))
    }
  }
}
