import type { CheckResult } from '../result/result.ts'
import type { Bench } from './bench.ts'
import { type Delivery, inWords, type Sent, standingOf } from './delivery.ts'
import { checkOf } from './scenario.ts'

/** Refused by an answer, and not by falling over. */
const BY_AN_ANSWER = 'RECV-11'

/** A delivery that no receiver may take, and the sound one of the same event. */
export interface Forgery {
  forged: Delivery
  twin: Delivery
}

export interface ForgedStep {
  step: string
  shows: string
  /** Null where what has to come before it did not come about. Asked again for a second try. */
  make(bench: Bench): Promise<Forgery | null> | Forgery | null
  /** What most likely is wrong where it is taken. */
  cause: string
}

const EXPECTED = 'a 4xx: this delivery is not from the service'

/**
 * Sends what must be refused, then its twin: a receiver that refuses everything shows nothing. A 5xx, a redirect or silence is
 * no refusal, since nobody can tell whether the event was dealt with before; where that happens twice while the twin is
 * taken, RECV-11 is violated and the rest stays open.
 */
export async function judgeForged(bench: Bench, wanted: ForgedStep): Promise<CheckResult[]> {
  const tries: Sent[] = []
  let forgery = await wanted.make(bench)
  while (forgery !== null) {
    const sent = await bench.deliver(forgery.forged)
    tries.push(sent)
    const standing = standingOf(sent, bench.deadlineMs)
    if (standing === 'taken' || standing === 'late') return [taken(wanted, tries)]
    if (standing === 'refused') return [await refused(bench, wanted, tries, forgery)]
    if (tries.length === 2 || standing === 'throttled') return neither(bench, wanted, tries, forgery)
    forgery = await wanted.make(bench)
  }
  return [open(wanted, tries, 'what had to be taken before it was not')]
}

function taken(wanted: ForgedStep, tries: readonly Sent[]): CheckResult {
  return check(wanted, tries, wanted.shows, { verdict: 'fail', note: wanted.cause })
}

async function refused(
  bench: Bench,
  wanted: ForgedStep,
  tries: readonly Sent[],
  { twin }: Forgery,
): Promise<CheckResult> {
  const second = await bench.deliver(twin)
  const words = `the sound delivery of the same event: ${inWords(second)}`
  if (standingOf(second, bench.deadlineMs) !== 'taken')
    return { ...open(wanted, tries, 'the sound delivery of the same event was not taken either'), twin: words }
  if (tries.length > 1) return { ...open(wanted, tries, 'what went wrong first did not happen again'), twin: words }
  return { ...check(wanted, tries, wanted.shows, { verdict: 'pass' }), twin: words }
}

async function neither(
  bench: Bench,
  wanted: ForgedStep,
  tries: readonly Sent[],
  { twin }: Forgery,
): Promise<CheckResult[]> {
  const second = await bench.deliver(twin)
  const words = `the sound delivery of the same event: ${inWords(second)}`
  const own = { ...open(wanted, tries, 'that is no refusal: the event may have been dealt with before'), twin: words }
  const isThrottled = tries.some((sent) => standingOf(sent, bench.deadlineMs) === 'throttled')
  if (isThrottled || standingOf(second, bench.deadlineMs) !== 'taken') return [own]
  const note = 'comparing the signature falls over instead of saying no, as a comparison of unequal lengths may'
  const finding = { ...check(wanted, tries, BY_AN_ANSWER, { verdict: 'fail', note }), twin: words }
  return wanted.shows === BY_AN_ANSWER ? [finding] : [own, finding]
}

function open(wanted: ForgedStep, tries: readonly Sent[], note: string): CheckResult {
  return check(wanted, tries, wanted.shows, { verdict: 'inconclusive', note })
}

function check(
  { step }: ForgedStep,
  tries: readonly Sent[],
  requirement: string,
  rest: Pick<CheckResult, 'verdict'> & { note?: string },
): CheckResult {
  const actual = tries.length === 0 ? 'not sent' : tries.map(inWords).join('; then ')
  return checkOf(step, requirement, tries.at(-1)?.exchange.id ?? null, { expected: EXPECTED, actual, ...rest })
}
