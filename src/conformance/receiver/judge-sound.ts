import { formatDuration } from '../../clock/duration.ts'
import type { CheckResult } from '../result/result.ts'
import type { Bench } from './bench.ts'
import { type Delivery, inWords, type Sent, type Standing, standingOf } from './delivery.ts'
import { checkOf } from './scenario.ts'

/** In time, whatever else may be wrong with a receiver. */
const IN_TIME = 'RECV-02'
const NO_REDIRECT = 'RECV-21'

/** A delivery that every receiver has to take. */
export interface SoundStep {
  step: string
  shows: string
  /** Asked again for a second try, so that it is an event nobody has seen. */
  make(bench: Bench): Delivery
  /** What most likely is wrong where it is not taken. */
  cause?: string
}

/**
 * Sends what must be taken. A 4xx or a redirect is an answer and counts at once; what may have been an accident (a 5xx, a
 * broken connection, an answer that comes too late) counts where it happens twice.
 */
export async function judgeSound(bench: Bench, wanted: SoundStep): Promise<CheckResult[]> {
  const first = await bench.deliver(wanted.make(bench))
  const standing = standingOf(first, bench.deadlineMs)
  if (!mayBeAccident(standing)) return checksOf(bench, wanted, [first])
  return checksOf(bench, wanted, [first, await bench.deliver(wanted.make(bench))])
}

function mayBeAccident(standing: Standing): boolean {
  return standing !== 'taken' && standing !== 'refused' && standing !== 'moved'
}

/** The checks of a sound delivery and, where there was one, of its second try. */
export function checksOf(bench: Bench, wanted: SoundStep, tries: readonly Sent[]): CheckResult[] {
  const expected = `a 2xx within ${formatDuration(bench.deadlineMs)}`
  const last = tries.at(-1) as Sent
  const standings = tries.map((sent) => standingOf(sent, bench.deadlineMs))
  const check = (requirement: string, rest: Pick<CheckResult, 'verdict' | 'actual'> & { note?: string | undefined }) =>
    checkOf(wanted.step, requirement, last.exchange.id, { expected, ...rest })
  const actual = tries.map(inWords).join('; then ')
  if (standings.at(-1) === 'taken') return [check(wanted.shows, takenAtLast(standings, actual))]
  const found: CheckResult[] = []
  const isSlow = standings.every((standing) => standing === 'late' || standing === 'silent')
  if (isSlow && wanted.shows !== IN_TIME) found.push(check(IN_TIME, { verdict: 'fail', actual, note: LATE }))
  if (standings.at(-1) === 'moved' && wanted.shows !== NO_REDIRECT) {
    found.push(check(NO_REDIRECT, { verdict: 'fail', actual, note: MOVED }))
  }
  return [check(wanted.shows, notTaken(wanted, standings, actual)), ...found]
}

const LATE = 'the work is done before the answer; answer first, and work afterwards'
const MOVED = 'the address that was registered passes deliveries on, and nobody follows'

function takenAtLast(standings: readonly Standing[], actual: string) {
  if (standings.length === 1) return { verdict: 'pass' as const, actual }
  return { verdict: 'inconclusive' as const, actual, note: 'what went wrong first did not happen again' }
}

function notTaken({ shows, cause }: SoundStep, standings: readonly Standing[], actual: string) {
  const last = standings.at(-1)
  // It was taken, only not in time: that is RECV-02's to say.
  if (standings.includes('late') && shows !== IN_TIME) {
    return { verdict: 'inconclusive' as const, actual, note: 'it was taken, but too late to count' }
  }
  if (last === 'throttled') return { verdict: 'fail' as const, actual, note: 'it kept being told to come later' }
  return { verdict: 'fail' as const, actual, note: cause }
}
