import fc from 'fast-check'
import { PAYMENT_MODELS } from '../../src/contract/payment-models.ts'
import type { Act } from './money-history.ts'

const pick = fc.nat({ max: 10_000 })
const partner = fc.constantFrom(0 as const, 1 as const)

const sell = fc.record({
  act: fc.constant('sell' as const),
  partner,
  model: fc.constantFrom(...PAYMENT_MODELS),
  // Cents that do not divide evenly, and the least and a very large price.
  priceCents: fc.oneof(fc.integer({ min: 1, max: 99 }), fc.integer({ min: 100, max: 9_999_999 }), fc.constant(1e12)),
  linked: fc.boolean(),
})

/** Anything that can happen, sales and steps more often than runs. */
export const anyAct: fc.Arbitrary<Act> = fc.oneof(
  { arbitrary: sell, weight: 6 },
  { arbitrary: fc.record({ act: fc.constant('resell' as const), pick, partner }), weight: 1 },
  { arbitrary: fc.record({ act: fc.constant('forward' as const), pick }), weight: 12 },
  { arbitrary: fc.record({ act: fc.constant('step' as const), pick, step: pick }), weight: 3 },
  { arbitrary: fc.record({ act: fc.constant('refund' as const), pick }), weight: 1 },
  { arbitrary: fc.constant<Act>({ act: 'settle' }), weight: 1 },
  { arbitrary: fc.constant<Act>({ act: 'pay out' }), weight: 1 },
  {
    arbitrary: fc.record({ act: fc.constant('rates' as const), basisPoints: fc.integer({ min: 0, max: 10_000 }) }),
    weight: 1,
  },
  { arbitrary: fc.record({ act: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 72 }) }), weight: 1 },
)

export const anyHistory = fc.array(anyAct, { minLength: 10, maxLength: 90, size: 'max' })

/** A repeatable long history: so many sales, with everything else at random moments in between. */
export function longHistory(sales: number, seed: number): Act[] {
  const acts: Act[] = []
  let sold = 0
  for (const act of fc.sample(anyAct, { numRuns: sales * 9, seed })) {
    if (sold >= sales) break
    acts.push(act)
    if (act.act === 'sell') sold++
  }
  return acts
}
