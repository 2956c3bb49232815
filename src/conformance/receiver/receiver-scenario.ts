import { formatDuration } from '../../clock/duration.ts'
import { type Check, failure, unproven } from '../format/expectations/check.ts'
import { placed } from '../judge/placed-check.ts'
import type { CheckResult, DeclaredCheck, Outline } from '../result/result.ts'
import {
  type Courier,
  type Delivery,
  inWords,
  type Sent,
  type Standing,
  standingOf,
  type ValidWish,
} from './courier.ts'

/** Scenarios for receivers are code; this is what they judge. */
const REQUIREMENTS_FILE = 'fixtures/receiver-requirements.yaml'

/** A part of a scenario: the checks that it declares, and the code that makes them. */
export interface ReceiverStep {
  checks: readonly DeclaredCheck[]
  run(courier: Courier): Promise<CheckResult[]>
}

export interface ReceiverScenario extends Outline {
  steps: readonly ReceiverStep[]
  /** What others send meanwhile would disturb it. */
  alone: boolean
}

/** @param id never renamed, as those of scenario files. */
export function receiverScenario(
  id: string,
  title: string,
  steps: readonly ReceiverStep[],
  { alone = false } = {},
): ReceiverScenario {
  return { id, title, file: REQUIREMENTS_FILE, checks: steps.flatMap(({ checks }) => checks), steps, alone }
}

/** The name of a step about an event type. */
export function stepOf(type: string): string {
  return type.replaceAll('.', '_')
}

/** One step that shows the same of several deliveries, each under its own name. */
export function courseStep(requirement: string, names: readonly string[], run: ReceiverStep['run']): ReceiverStep {
  return { checks: names.map((step) => ({ step, requirement })), run }
}

/** In time; a receiver may have other faults. */
const IN_TIME = 'RECV-02'
const NO_REDIRECT = 'RECV-21'

export interface ValidRow {
  step: string
  shows: string
  wish?: ValidWish
  /** What most likely is wrong where it is not taken. */
  cause: string
}

/** A step for each of these, which all show the same. */
export function validSteps(shows: string, cause: string, wishes: Readonly<Record<string, ValidWish>>): ReceiverStep[] {
  return Object.entries(wishes).map(([step, wish]) =>
    courseStep(shows, [step], (courier) => judgeValid(courier, { step, shows, wish, cause })),
  )
}

/**
 * Sends what must be taken. A 4xx or a redirect is an answer and counts at once; what may have been an accident (a 5xx, a
 * broken connection, an answer that comes too late) counts where it happens twice.
 *
 * @param known a delivery to be sent; if absent, each try sends a new one.
 */
export async function judgeValid(courier: Courier, row: ValidRow, known?: Delivery): Promise<CheckResult[]> {
  const deliver = () => courier.deliver(known ?? courier.valid(row.wish))
  const first = await deliver()
  if (!mayBeAccident(standingOf(first, courier))) return checksOf(courier, row, [first])
  return checksOf(courier, row, [first, await deliver()])
}

function mayBeAccident(standing: Standing): boolean {
  return standing !== 'taken' && standing !== 'refused' && standing !== 'moved'
}

const LATE = 'the work is done before the answer; answer first, and work afterwards'
const MOVED = 'the registered address redirects, and redirects are not followed'

/** The checks of a valid delivery and, where there was one, of its second try. */
export function checksOf(courier: Courier, row: ValidRow, tries: readonly Sent[]): CheckResult[] {
  const { step, shows } = row
  const standings = tries.map((sent) => standingOf(sent, courier))
  const actual = tries.map(inWords).join('; then ')
  const checked = (requirement: string, check: Check) =>
    placed(step, requirement, inTime(courier), tries.at(-1)?.exchange ?? null, check)
  const checks = [checked(shows, judgmentOf(row, standings, actual))]
  const isSlow = standings.every((standing) => standing === 'late' || standing === 'silent')
  if (isSlow && shows !== IN_TIME) checks.push(checked(IN_TIME, failure(actual, LATE)))
  if (standings.at(-1) === 'moved' && shows !== NO_REDIRECT) checks.push(checked(NO_REDIRECT, failure(actual, MOVED)))
  return checks
}

export function inTime({ deadlineMs }: Courier): string {
  return `a 2xx within ${formatDuration(deadlineMs)}`
}

function judgmentOf({ shows, cause }: ValidRow, standings: readonly Standing[], actual: string): Check {
  const last = standings.at(-1)
  if (last === 'taken')
    return standings.length === 1
      ? { verdict: 'pass', actual }
      : unproven(actual, 'what went wrong first did not happen again')
  // It was taken, only not in time: that is RECV-02's to say.
  if (standings.includes('late') && shows !== IN_TIME) return unproven(actual, 'it was accepted, but too late to count')
  return failure(actual, last === 'throttled' ? 'it kept answering 429' : cause)
}
