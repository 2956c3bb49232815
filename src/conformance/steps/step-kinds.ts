import type { LoadedScenario, Step } from '../format/scenario.ts'
import { type Action, actionsOf } from '../format/step-facts.ts'
import type { Waiting } from '../target/longest-wait.ts'
import { BURST } from './burst.ts'
import { CALL } from './call.ts'
import { stepsOf } from './capabilities.ts'
import { DELIVER } from './deliver.ts'
import { EVENTS, MARK } from './events.ts'
import { HOOK } from './hook.ts'
import { OPEN } from './open.ts'
import { OPERATOR } from './operator.ts'
import { requestsBefore } from './read-earlier-items.ts'
import type { StepKind } from './step-kind.ts'
import { SUBMIT } from './submit.ts'
import { UNTIL } from './until.ts'

/** Every kind of step, by its action. */
const KINDS: Readonly<Record<Action, StepKind>> = {
  call: CALL,
  resend: CALL,
  retry: CALL,
  burst: BURST,
  operator: OPERATOR,
  mark: MARK,
  events: EVENTS,
  quiet: EVENTS,
  until: UNTIL,
  hook: HOOK,
  receive: EVENTS,
  open: OPEN,
  submit: SUBMIT,
}

/** @throws RangeError if the step has no action. */
export function kindOf(step: Step): StepKind {
  if (step.deliver) return DELIVER
  const [action] = actionsOf(step)
  if (action === undefined) throw new RangeError('the step has no action')
  return KINDS[action]
}

/** How many requests the steps of a scenario, clean-up included, make at most. */
export function requestsOfScenario(run: Waiting, { scenario }: LoadedScenario): number {
  return stepsOf(scenario).reduce((total, step) => total + kindOf(step).requests(run, step) + requestsBefore(step), 0)
}
