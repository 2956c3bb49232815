import type { EndpointId } from '../../contract/endpoints.ts'
import { ApiError } from '../../contract/errors.ts'
import type { World } from '../../sandbox/kernel/world.ts'
import { type Defect, defect, type Tampered } from './defect.ts'
import { type AnyInput, handling, underRules } from './routes.ts'

const EVERY = 10

/** Mistakes that most calls do not show. */
export const intermittentOrderDefects: readonly Defect[] = [
  defect('order-of-another-is-readable-now-and-then', ['ORD-10'], {
    summary: 'Every tenth time that it is asked for, another partner’s order is shown.',
    ...everyTenthRefusal('orders.detail', (input) => underRules(input, 'orders', { detailShows: 'all' })),
  }),
]

export const intermittentCaseDefects: readonly Defect[] = [
  defect('case-of-another-is-readable-now-and-then', ['BRK-04'], {
    summary: 'Every tenth time that it is asked for, another partner’s case is shown.',
    ...everyTenthRefusal('brokerage.detail', (input) => underRules(input, 'brokerage', { detailShows: 'all' })),
  }),
]

/** Asks again under laxer rules where a sound server finds nothing for the tenth time. */
function everyTenthRefusal(id: EndpointId, laxer: (input: AnyInput) => AnyInput): Tampered {
  const refusals = new WeakMap<World, number>()
  return handling(id, (input, sound) => {
    try {
      return sound(input)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const count = (refusals.get(input.world) ?? 0) + 1
      refusals.set(input.world, count)
      if (count % EVERY !== 0) throw error
      return sound(laxer(input))
    }
  })
}
