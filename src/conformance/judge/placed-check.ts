import type { ScenarioRun } from '../context/run.ts'
import type { Check } from '../format/expectations/check.ts'
import type { NamedStep } from '../format/scenario.ts'
import { callOf, producedBy } from '../format/step-facts.ts'
import { isAccepted } from '../http/exchange.ts'
import { withoutUndefined } from '../http/json-body.ts'
import { Open } from '../result/open.ts'
import type { CheckResult, Outline } from '../result/result.ts'

/** A check in its place, with what it was about. */
export type PlacedCheck = CheckResult & Pick<Check, 'waitsFor'>

/** The outcome of a step. */
export interface StepOutcome {
  checks: PlacedCheck[]
  /** A premise is false: what follows proves nothing. */
  stop: Open | null
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
export function withExplanation(check: Check, open: string): Check {
  const why = `the document leaves ${open} open, which may explain it`
  return { ...check, note: check.note === undefined ? why : `${check.note}; ${why}` }
}

/** A check that the run did not reach. Before its step, its expectation is not known, so it has its scenario's title. */
export function undone(title: string, declared: Outline['checks'][number], stop: Open): PlacedCheck {
  const { verdict, note, reason, todo } = stop
  const isExplained = verdict === 'inconclusive' && stop.seen === undefined
  return {
    ...declared,
    verdict,
    expected: title,
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
  step: NamedStep,
  expected: string,
  check: Check,
  open?: string,
): Open | null {
  const { verdict, actual, note, reason, todo } = check
  if (verdict === 'pass' || verdict === 'tolerated') return null
  const seen = `${stepInWords(step.id)} expects "${expected}" and saw: ${actual}${note ? ` (${note})` : ''}`
  // A target that shows no such value at all has chosen, too.
  if (open !== undefined && (verdict === 'fail' || reason === 'needs-dialect')) {
    const chose = `${stepInWords(step.id)} saw ${actual}; the document leaves this to the target (${open}), and the rest of the scenario needs another choice`
    return Open.notRun('open-point', chose)
  }
  if (verdict === 'not_run') return Open.notRun(reason, seen)
  return Open.unproven('this check depends on that step, so it decides nothing', {
    seen,
    todo: todo ?? `${todoFor(scenarioRun, step)}${operatorDoubt(scenarioRun)}`,
  })
}

/** What the reader can change at the target or in the target file, by what the step waits for. */
function todoFor({ scenario, records }: ScenarioRun, step: NamedStep): string {
  const produced = producedBy(step)
  if (produced === 'deliveries' && scenario.steps.some(({ hook }) => hook !== undefined))
    return 'This scenario lets a delivery fail on purpose and waits for the target to send it again. Make the next attempt come within that time, or give the run an operator that moves the clock of the target (advance_clock).'
  if (produced === 'deliveries')
    return 'Look at which deliveries reached the receiver, and when. The target has to reach it (receiver.public_url in the target file) within the time that the run waits.'
  if (produced === 'events') return 'Look at what GET /events answers after this step, and how late.'
  if (produced === 'page') return 'Open the page of this step in a browser: it has to open and to offer a button.'
  const record = records.get(step.id)
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
