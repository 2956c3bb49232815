import {
  isOperatorAction,
  OPERATOR_ACTIONS,
  type OperatorAction,
  type OperatorArguments,
} from '../format/operator-actions.ts'
import type { ElseRung, Step } from '../format/scenario.ts'
import { durationOf } from '../format/step-facts.ts'
import { canOperate } from './operator.ts'
import type { Run } from './run-context.ts'

/** What the ladder asks of a run. */
export type Patience = Pick<Run, 'target' | 'ask' | 'maxWaitMs'>

/**
 * The ways to bring about an operator's action where the target has no operator for it, best first: those of the scenario,
 * else a real wait for a clock, a person, and not at all.
 *
 * @param values the action's argument, so that a person reads which order or domain it is about.
 */
export function ladderOf(step: Step, action: OperatorAction, values: OperatorArguments): readonly ElseRung[] {
  if (step.else) return step.else
  const wait = action === 'advance_clock' ? [{ wait: String(values.duration) }] : []
  return [...wait, { ask: OPERATOR_ACTIONS[action].ask(values) }, 'not_run']
}

/** The first rung that this run can stand on; null if it is not one. */
export function openRung({ maxWaitMs, ask }: Patience, rungs: readonly ElseRung[]): ElseRung | null {
  const isOpen = (rung: ElseRung): boolean => {
    if (rung === 'not_run' || rung === 'go_on') return true
    return 'wait' in rung ? (durationOf(rung.wait) ?? 0) <= maxWaitMs : ask !== undefined
  }
  const first = rungs.find(isOpen)
  return first === undefined || first === 'not_run' ? null : first
}

/** How a step of a scenario is carried out: by the operator, by a rung of its ladder, or not at all. */
export function wayOf(run: Patience, step: Step): 'operator' | ElseRung | null {
  const [[action, argument] = []] = Object.entries(step.operator ?? {})
  if (action === undefined || !isOperatorAction(action)) throw new RangeError(`${action} is not an operator action`)
  if (canOperate(run.target, action)) return 'operator'
  return openRung(run, ladderOf(step, action, { duration: String(argument) }))
}
