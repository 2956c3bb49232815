import type { ScenarioRun } from '../context/scenario-run.ts'
import type { Step } from '../format/scenario.ts'
import { callOf } from '../format/step-names.ts'
import { isAccepted } from '../http/answer.ts'
import type { Judgment } from './judgment.ts'
import { type Stop, stepInWords } from './pending-checks.ts'

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
  judgment: Judgment,
  open?: string,
): Stop | null {
  const { verdict, actual, note, reason, todo } = judgment
  if (verdict === 'pass' || verdict === 'tolerated') return null
  const seen = `${stepInWords(name)} expects "${expected}" and saw: ${actual}${note ? ` (${note})` : ''}`
  if (open !== undefined && verdict === 'fail') {
    const chose = `${stepInWords(name)} saw ${actual}; the document leaves this to the target (${open}), and the rest of the scenario needs another choice`
    return { verdict: 'not_run', note: chose, reason: 'open-point' }
  }
  if (verdict === 'not_run') return { verdict, note: seen, ...(reason ? { reason } : {}) }
  return {
    verdict: 'inconclusive',
    seen,
    note: 'this check depends on that step, so it proves nothing',
    todo: todo ?? `${todoFor(scenarioRun, step, name)}${operatorDoubt(scenarioRun)}`,
  }
}

/** What the reader can change at the target or in the target file, by what the step waits for. */
function todoFor({ loaded, records }: ScenarioRun, step: Step, name: string): string {
  if (step.receive && loaded.scenario.steps.some(({ hook }) => hook !== undefined))
    return 'This scenario lets a delivery fail on purpose and waits for the target to send it again. Make the next attempt come within that time, or give the run an operator that moves the clock of the target (advance_clock).'
  if (step.receive)
    return 'Look at which deliveries reached the receiver, and when. The target has to reach it (receiver.public_url in the target file) within the time that the run waits.'
  if (step.events || step.quiet) return 'Look at what GET /events answers after this step, and how late.'
  if (step.open !== undefined || step.submit)
    return 'Open the page of this step in a browser: it has to open and to offer a button.'
  const record = records.get(name)
  if (record?.kind === 'turns' && record.turns.some(({ answer }) => isAccepted(answer)))
    return 'Compare this with the answer in the transcript. Where the value is in another place, name the place under dialect.roles.'
  const { op } = callOf(step) ?? {}
  return `Make the target accept this call${op === undefined ? '' : ` of ${op}`}: see in the transcript what it was answered. Name another body or other parameters under dialect in the target file.`
}

/** The runner cannot see whether an action of an operator had its effect. */
function operatorDoubt({ records }: ScenarioRun): string {
  const operated = [...records.values()].some(({ kind }) => kind === 'operated')
  return operated ? ' Check too that the operator actions before this step have their effect.' : ''
}
