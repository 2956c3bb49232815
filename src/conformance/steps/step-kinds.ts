import type { ScenarioRun } from '../context/run.ts'
import type { Step } from '../format/scenario.ts'
import { actionsOf } from '../format/step-facts.ts'
import type { Action } from '../format/step-kinds.ts'
import type { StepOutcome } from '../judge/placed-check.ts'
import { runBurst } from './burst.ts'
import { runCall } from './call.ts'
import { runEvents } from './events.ts'
import { runHook } from './hook.ts'
import { runOpen } from './open.ts'
import { runOperator } from './operator.ts'
import { runPress } from './press.ts'
import { runUntil } from './until.ts'

/** Carries out a step that has the name. */
type RunStep = (scenarioRun: ScenarioRun, step: Step, name: string) => Promise<StepOutcome>

/** How each kind of step is carried out. */
const KINDS: Readonly<Record<Action, RunStep>> = {
  call: (scenarioRun, step, name) => runnerOf(step)(scenarioRun, step, name),
  operator: runOperator,
  events: runEvents,
  hook: runHook,
  page: (scenarioRun, step, name) => (step.page?.press === undefined ? runOpen : runPress)(scenarioRun, step, name),
}

/** One call, several at once, or one that is repeated until it shows what is expected. */
function runnerOf({ call }: Step): RunStep {
  if (call?.at_once !== undefined) return runBurst
  return call?.until === undefined ? runCall : runUntil
}

/** @throws RangeError if the step has no action. */
export async function runStep(scenarioRun: ScenarioRun, step: Step, name: string): Promise<StepOutcome> {
  const [action] = actionsOf(step)
  if (action === undefined) throw new RangeError('the step has no action')
  return KINDS[action](scenarioRun, step, name)
}
