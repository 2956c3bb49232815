import type { EndpointId } from '../../contract/endpoints.ts'
import type { ScenarioRun } from '../context/run.ts'
import type { Found } from '../dialect/place.ts'
import { shown } from '../format/matcher.ts'
import type { Matcher, Step } from '../format/scenario.ts'
import { callOf } from '../format/step-facts.ts'
import { type Answer, isAccepted } from '../http/exchange.ts'
import { withoutUndefined } from '../http/json-body.ts'
import { Open } from '../result/open.ts'
import type { CheckResult, CheckVerdict, NotRunReason } from '../result/result.ts'
import { findValue } from './references.ts'

/** The judgment of one expectation. */
export interface Check {
  verdict: CheckVerdict
  actual: string
  reason?: NotRunReason
  note?: string
  todo?: string
  /** What the twin of a refused step got. */
  twin?: string
  /** The failure needs no twin: what should have been refused was accepted, or a required value is missing. */
  certain?: boolean
  waitsFor?: WaitsFor
}

/** What the rest of the run has to show before a verdict counts. */
export interface WaitsFor {
  /** Of a refusal: that a valid call is accepted. */
  acceptance?: Acceptance
  /** Of a failure: that these places, which the runner found without a hint, are right. */
  places?: readonly string[]
}

/** A call that is accepted; `op` null: any call of the credential. */
export interface Acceptance {
  op: EndpointId | null
  credential: string
  /** The credential whose acceptance of `op` counts, if this one's own never comes. */
  main: string
}

/** A check in its place, with what it was about. */
export type PlacedCheck = CheckResult & Pick<Check, 'waitsFor'>

/** What was seen where nothing was judged. */
export const NOT_JUDGED = 'not judged'

/** The outcome of a step. */
export interface StepOutcome {
  checks: PlacedCheck[]
  /** A premise is false: what follows proves nothing. */
  stop: Open | null
}

export function failure(actual: string, note?: string): Check {
  return { verdict: 'fail', actual, ...withoutUndefined({ note }) }
}

export function unproven(actual: string, note?: string, todo?: string): Check {
  return { verdict: 'inconclusive', actual, ...withoutUndefined({ note, todo }) }
}

/** Why an answer proves nothing, where the step is not about the target's rate limit. */
export const KEPT_429 = 'the target kept answering 429'

/** What it means that a role was not found: the target's fault where the document names the key, else a gap. */
export function missing(found: Extract<Found, { found: false }>, name: string): Check {
  if (found.documented) return { ...failure(`no ${name}`, found.detail), certain: true }
  return { verdict: 'not_run', reason: 'needs-dialect', actual: `${name} was not found`, note: found.detail }
}

/** An answer in one line: status, code and message. */
export function answerInWords(scenarioRun: ScenarioRun, answer: Answer): string {
  if (answer.status < 400) return `${answer.status}`
  const code = findValue(scenarioRun, answer, 'error.code')
  const message = findValue(scenarioRun, answer, 'error.message')
  const words = `${answer.status} ${code.found ? shown(code.value) : 'without a code'}`
  const repeatsTheCode = code.found && message.found && message.value === code.value
  return message.found && !repeatsTheCode ? `${words}: ${shown(message.value)}` : words
}

/** A list of things (items of an answer, events, answers of a burst) and how to look into one. */
export interface Things {
  name: string
  size: number
  /** How many more there were before this scenario, which are left out. */
  earlier?: number
  /** The value of a role or path of one; a complaint where it cannot be had. */
  value(index: number, name: string): { value: unknown } | { complaint: Check }
  judge(index: number, matchers: Record<string, Matcher>): Check | null
}

/** The value of a role or path of each of them; the first complaint where one cannot be had. */
export function valuesOf(things: Things, name: string): { values: unknown[] } | { complaint: Check } {
  const values: unknown[] = []
  for (let index = 0; index < things.size; index++) {
    const found = things.value(index, name)
    if ('complaint' in found) return found
    values.push(found.value)
  }
  return { values }
}

export function placed(
  step: string,
  requirement: string,
  expected: string,
  exchange: string | null,
  check: Check,
): PlacedCheck {
  const { verdict, actual, certain: _, ...more } = check
  return { step, requirement, verdict, expected, actual, exchange, ...more }
}

/** A failure that a choice of the target may explain says so. */
export function withExplanation(check: Check, open: string | undefined): Check {
  if (open === undefined || check.verdict !== 'fail') return check
  const why = `the document leaves ${open} open, which may explain it`
  return { ...check, note: check.note === undefined ? why : `${check.note}; ${why}` }
}

/** A check that the run did not reach. Before its step, its expectation is not known, so it has its scenario's title. */
export function undone(title: string, step: string, requirement: string, stop: Open): PlacedCheck {
  const { verdict, note, reason, todo } = stop
  const isExplained = verdict === 'inconclusive' && stop.seen === undefined
  return {
    ...{ step, requirement, verdict, expected: title },
    actual: isExplained ? note : (stop.seen ?? 'not carried out'),
    exchange: null,
    note: isExplained ? 'so this check was not reached' : note,
    ...withoutUndefined({ reason, todo }),
  }
}

/** A step without an id is named by its place, which already identifies it. */
export function stepInWords(name: string): string {
  const place = /^step(\d+)$/.exec(name)?.[1]
  return place === undefined ? `step ${name}` : `step ${place}`
}

/**
 * How a step that is only a premise, and does not hold, stops its scenario; null if it holds.
 *
 * @param open the point that leaves it to the target whether it holds.
 */
export function stopOf(
  scenarioRun: ScenarioRun,
  step: Step,
  name: string,
  expected: string,
  check: Check,
  open?: string,
): Open | null {
  const { verdict, actual, note, reason, todo } = check
  if (verdict === 'pass' || verdict === 'tolerated') return null
  const seen = `${stepInWords(name)} expects "${expected}" and saw: ${actual}${note ? ` (${note})` : ''}`
  if (open !== undefined && verdict === 'fail') {
    const chose = `${stepInWords(name)} saw ${actual}; the document leaves this to the target (${open}), and the rest of the scenario needs another choice`
    return Open.notRun('open-point', chose)
  }
  if (verdict === 'not_run') return Open.notRun(reason, seen)
  return Open.unproven('this check depends on that step, so it decides nothing', {
    seen,
    todo: todo ?? `${todoFor(scenarioRun, step, name)}${operatorDoubt(scenarioRun)}`,
  })
}

/** What the reader can change at the target or in the target file, by what the step waits for. */
function todoFor({ scenario, records }: ScenarioRun, step: Step, name: string): string {
  if (step.receive && scenario.steps.some(({ hook }) => hook !== undefined))
    return 'This scenario lets a delivery fail on purpose and waits for the target to send it again. Make the next attempt come within that time, or give the run an operator that moves the clock of the target (advance_clock).'
  if (step.receive)
    return 'Look at which deliveries reached the receiver, and when. The target has to reach it (receiver.public_url in the target file) within the time that the run waits.'
  if (step.events || step.quiet) return 'Look at what GET /events answers after this step, and how late.'
  if (step.open !== undefined || step.submit)
    return 'Open the page of this step in a browser: it has to open and to offer a button.'
  const record = records.get(name)
  if (record?.kind === 'calls' && record.exchanges.some(({ answer }) => isAccepted(answer)))
    return 'Compare this with the answer in the transcript. Where the value is in another place, name the place under dialect.roles.'
  const { op } = callOf(step) ?? {}
  return `Make the target accept this call${op === undefined ? '' : ` of ${op}`}: see in the transcript what it was answered. Name another body or other parameters under dialect in the target file.`
}

/** The runner cannot see whether an action of an operator had its effect. */
function operatorDoubt({ records }: ScenarioRun): string {
  const operated = [...records.values()].some(({ kind }) => kind === 'operated')
  return operated ? ' Check too that the operator actions before this step have their effect.' : ''
}
