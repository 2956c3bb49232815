import { type Check, failure, unproven } from '../format/expectations/check.ts'
import { placed } from '../judge/placed-check.ts'
import type { CheckResult } from '../result/result.ts'
import { type Courier, type Delivery, inWords, type Sent, standingOf, type ValidDelivery } from './delivery.ts'
import { type ForgeryRow, forgedFrom } from './forgeries.ts'
import { courseStep, type ReceiverStep } from './receiver-scenario.ts'

/** Refused by an answer, and not by falling over. */
const BY_AN_ANSWER = 'RECV-11'

/** A step for each of these, which all show the same: a valid event of this type, sent in a wrong way. */
export function forgedSteps(shows: string, rows: readonly ForgeryRow[], type = 'order.recorded'): ReceiverStep[] {
  return rows.map((row) => forgedStep(shows, row, (courier) => courier.valid({ type })))
}

/** The same where the valid event is sent first, so that its id is known. */
export function forgedAfterValid(shows: string, rows: readonly ForgeryRow[]): ReceiverStep[] {
  return rows.map((row) =>
    forgedStep(shows, row, async (courier) => {
      const twin = courier.valid()
      return standingOf(await courier.deliver(twin), courier) === 'taken' ? twin : null
    }),
  )
}

/** Makes the valid delivery of an event; null if what has to come before its forgery did not come about. */
type MakeTwin = (courier: Courier) => Promise<ValidDelivery | null> | ValidDelivery

function forgedStep(shows: string, row: ForgeryRow, makeTwin: MakeTwin): ReceiverStep {
  return courseStep(shows, [row[0]], (courier) => judgeForged(courier, shows, row, makeTwin))
}

/**
 * Sends what must be refused, then its twin: a receiver that refuses everything shows nothing. A 5xx, a redirect or silence is
 * not a refusal, since the runner cannot know whether the event was dealt with before; if that happens twice while the twin is
 * taken, RECV-11 is violated and the rest stays open.
 */
async function judgeForged(
  courier: Courier,
  shows: string,
  [step, forge, cause]: ForgeryRow,
  makeTwin: MakeTwin,
): Promise<CheckResult[]> {
  const tries: Sent[] = []
  for (let twin = await makeTwin(courier); twin !== null; twin = await makeTwin(courier)) {
    const sent = await courier.deliver(forgedFrom(courier, twin, forge))
    tries.push(sent)
    const standing = standingOf(sent, courier)
    if (standing === 'taken' || standing === 'late') return [checked(step, shows, tries, failure(inTurn(tries), cause))]
    const isOver = standing === 'refused' || standing === 'throttled' || tries.length === 2
    if (isOver) return besideTwin(courier, { step, shows }, tries, twin)
  }
  return [checked(step, shows, tries, unproven(inTurn(tries), 'the delivery that had to come first was not accepted'))]
}

async function besideTwin(
  courier: Courier,
  { step, shows }: { step: string; shows: string },
  tries: readonly Sent[],
  twin: Delivery,
): Promise<CheckResult[]> {
  const valid = await courier.deliver(twin)
  const isTaken = standingOf(valid, courier) === 'taken'
  const actual = inTurn(tries)
  const beside = (requirement: string, check: Check) =>
    checked(step, requirement, tries, { ...check, twin: `the valid delivery of the same event: ${inWords(valid)}` })
  const standings = tries.map((sent) => standingOf(sent, courier))
  if (standings.at(-1) === 'refused') {
    if (!isTaken)
      return [beside(shows, unproven(actual, 'the valid delivery of the same event was not accepted either'))]
    if (tries.length > 1) return [beside(shows, unproven(actual, 'what went wrong first did not happen again'))]
    return [beside(shows, { verdict: 'pass', actual })]
  }
  const own = beside(shows, unproven(actual, 'that is not a refusal: the event may have been processed before'))
  if (standings.includes('throttled') || !isTaken) return [own]
  const finding = beside(BY_AN_ANSWER, failure(actual, FALLS_OVER))
  return shows === BY_AN_ANSWER ? [finding] : [own, finding]
}

const EXPECTED = 'a 4xx: this delivery is not from the service'
const FALLS_OVER = 'comparing the signature crashes instead of refusing, as a comparison of unequal lengths may'

function checked(step: string, requirement: string, tries: readonly Sent[], check: Check): CheckResult {
  return placed(step, requirement, EXPECTED, tries.at(-1)?.exchange ?? null, check)
}

function inTurn(tries: readonly Sent[]): string {
  return tries.length === 0 ? 'not sent' : tries.map(inWords).join('; then ')
}
