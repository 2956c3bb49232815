import type { ScenarioRun } from '../context/run.ts'
import type { Step } from '../format/scenario.ts'
import { type Action, actionsOf } from '../format/step-facts.ts'
import type { StepOutcome } from '../judge/placed-check.ts'
import { runBurst } from './burst.ts'
import { runCall } from './call.ts'
import { runEvents, runMark } from './events.ts'
import { runHook } from './hook.ts'
import { runOpen } from './open.ts'
import { runOperator } from './operator.ts'
import { runSubmit } from './submit.ts'
import { runUntil } from './until.ts'

/** Carries out a step that has the name. */
type RunStep = (scenarioRun: ScenarioRun, step: Step, name: string) => Promise<StepOutcome>

/** Every kind of step, by its action. */
const KINDS: Readonly<Record<Action, RunStep>> = {
  call: runCall,
  resend: runCall,
  retry: runCall,
  burst: runBurst,
  operator: runOperator,
  mark: runMark,
  events: runEvents,
  quiet: runEvents,
  until: runUntil,
  hook: runHook,
  receive: runEvents,
  open: runOpen,
  submit: runSubmit,
}

/** @throws RangeError if the step has no action. */
export async function runStep(scenarioRun: ScenarioRun, step: Step, name: string): Promise<StepOutcome> {
  const [action] = actionsOf(step)
  if (action === undefined) throw new RangeError('the step has no action')
  return KINDS[action](scenarioRun, step, name)
}
