import type { EndpointId } from '../../contract/endpoints.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Fields } from './answers.ts'
import { type Defect, defect, perWorld, type Tampered } from './defect.ts'
import { ownerOf } from './orders.ts'
import { type AnyInput, altering, asPartner, handling } from './routes.ts'

const EVERY = 10

/** Mistakes that most calls do not show. */
export const intermittentDefects: readonly Defect[] = [
  defect('order-of-another-is-readable-now-and-then', ['ORD-10'], {
    summary: 'Every tenth time that it is asked for, another partner’s order is shown.',
    ...everyTenthRefusal('orders.detail', ownerOf),
  }),
  defect('order-read-again-lacks-currency-and-timeline', ['ORD-01', 'ORD-09'], {
    summary: 'An order that was read before is shown from a cache, which keeps neither its currency nor its timeline.',
    ...readAgain('orders.detail', { currency: null, timeline: [] }),
  }),
  defect('case-read-again-lacks-timeline', ['BRK-04'], {
    summary: 'A case that was read before is shown from a cache, which does not keep its timeline.',
    ...readAgain('brokerage.detail', { timeline: [] }),
  }),
]

/** Shows some fields wrongly of what has been read before. */
function readAgain(id: EndpointId, wrong: Fields): Tampered {
  const paths = perWorld(() => new Set<string>())
  return altering(id, (_, { world, call }) => {
    const known = paths(world)
    if (known.has(call.path)) return wrong
    known.add(call.path)
    return {}
  })
}

/** Asks again as the owner where a correct server refuses one thing for the tenth time. */
function everyTenthRefusal(id: EndpointId, owner: (input: AnyInput) => string | undefined): Tampered {
  const refusals = perWorld(() => new Map<string, number>())
  return handling(id, (input, correct) => {
    try {
      return correct(input)
    } catch (error) {
      const partner = owner(input)
      if (!(error instanceof ApiError) || partner === undefined) throw error
      const counts = refusals(input.world)
      const thing = JSON.stringify(input.params)
      const count = (counts.get(thing) ?? 0) + 1
      counts.set(thing, count)
      if (count % EVERY !== 0) throw error
      return correct(asPartner(input, partner))
    }
  })
}
