import type { Money, Reading } from '../dialect/money-of.ts'
import { isObject } from '../http/json-body.ts'
import type { Run } from './run-context.ts'

type Known = Pick<Run['learned'], 'amountUnit' | 'unitAt'>

/**
 * An amount in cents. Its unit is what the answer or the target file says, else what this place has shown before, else that of the
 * target's other amounts, else cents. An amount in whole units is evidence for all that say nothing.
 */
export function centsOf({ learned }: Run, { amount, unit }: Money, place: string, reading?: Reading): number {
  if (unit === 'units') noteUnit(learned, place, 'units')
  if (unit === null) reading?.open.add(place)
  const counted = unit ?? reading?.supposed.get(place) ?? unitOf(learned, place)
  return counted === 'units' ? Math.round(amount * 100) : amount
}

/** The unit of the amounts at a place that do not say it, by all that is known so far. */
export function unitOf({ amountUnit, unitAt }: Known, place: string): 'cents' | 'units' {
  return unitAt.get(place) ?? amountUnit ?? 'cents'
}

export function noteUnit(learned: Known, place: string, unit: 'cents' | 'units'): void {
  if (!learned.unitAt.has(place)) learned.unitAt.set(place, unit)
  learned.amountUnit ??= unit
}

export function isMoney(value: unknown): value is Money {
  return isObject(value) && typeof value.amount === 'number' && 'unit' in value && Object.keys(value).length === 2
}

/** Cents in the unit of expected_price. */
export function expectedPriceOf(run: Run, cents: number): number {
  return run.learned.priceUnit === 'units' ? cents / 100 : cents
}
