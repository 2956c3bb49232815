import type { CheckResult } from '../result/result.ts'
import type { Bench } from './bench.ts'

/** A scenario for a receiver: code, where those for an API are files, since all of them are of a few kinds. */
export interface ReceiverScenario {
  /** Never renamed, as those of scenario files. */
  id: string
  title: string
  /** What it judges, told also where it was not carried out. */
  checks: readonly { step: string; requirement: string }[]
  /** Repeats of what a gateway turned away come on top. */
  deliveriesAtMost: number
  /** `alone` where what others send meanwhile would disturb it, in the order of the list. */
  turn: 'together' | 'alone'
  /** Null where it can be carried out. */
  hindrance?: (bench: Bench) => { reason: NonNullable<CheckResult['reason']>; note: string } | null
  run(bench: Bench): Promise<CheckResult[]>
}

/** A check of a receiver. */
export function checkOf(
  step: string,
  requirement: string,
  exchange: string | null,
  rest: Pick<CheckResult, 'verdict' | 'expected' | 'actual'> & { note?: string | undefined; twin?: string },
): CheckResult {
  const { note, ...said } = rest
  return { step, requirement, exchange, ...said, ...(note === undefined ? {} : { note }) }
}

/** A check that was declared and never came to be. */
export function undoneCheck(
  { title }: Pick<ReceiverScenario, 'title'>,
  { step, requirement }: { step: string; requirement: string },
  how: Pick<CheckResult, 'verdict' | 'note' | 'reason' | 'todo'>,
): CheckResult {
  return { step, requirement, expected: title, actual: 'not carried out', exchange: null, ...how }
}
