import { operate } from '../context/operator.ts'
import type { ScenarioRun } from '../context/scenario-run.ts'
import type { OperatorArguments } from '../format/operator-actions.ts'
import type { Step } from '../format/scenario.ts'
import { expectationsOf, observationsOf, showsOf } from '../format/step-names.ts'
import { type StepOutcome, stepInWords, undone } from '../judge/pending-checks.ts'

/**
 * Whether a step only wants the purchase made: nothing is asked of the page that follows, and the payment is not what is in question.
 */
export function onlyWantsToPay(step: Step): boolean {
  if (step.submit?.button !== 'pay' || step.submit.alter) return false
  const mayFail = step.observe !== undefined && step.expect === undefined
  return !mayFail && expectationsOf(step).every((wish) => showsOf(wish).length === 0 && wish.roles === undefined)
}

/** Pays in the place of a button. What the step would have observed of the page is not known then. */
export async function payByOperator(
  scenarioRun: ScenarioRun,
  step: Step,
  name: string,
  values: OperatorArguments,
): Promise<StepOutcome> {
  const outcome = await operate(scenarioRun, 'pay_checkout', values)
  if (!outcome.done)
    return { checks: [], stop: { verdict: 'inconclusive', note: `${stepInWords(name)}: ${outcome.why}` } }
  scenarioRun.records.set(name, { kind: 'operated' })
  const note = 'no button to pay was made out, so pay_checkout of the target file was used'
  const unseen = { verdict: 'not_run', reason: 'needs-dialect', note } as const
  const { title } = scenarioRun.loaded.scenario
  return { checks: observationsOf(step).map(({ gap }) => undone(title, name, gap, unseen)), stop: null }
}
