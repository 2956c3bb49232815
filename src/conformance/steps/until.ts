import type { ScenarioRun } from '../context/scenario-run.ts'
import { durationOf } from '../format/duration-of.ts'
import type { Step } from '../format/scenario.ts'
import type { StepOutcome } from '../judge/pending-checks.ts'
import { attemptOf, concluded } from './call.ts'
import { lookAgain, withDoubt } from './send-until-sure.ts'

/** Repeats a call until what is expected comes, or the time is over. */
export async function runUntil(scenarioRun: ScenarioRun, step: Step, name: string): Promise<StepOutcome> {
  const { attempt, twin } = await attemptOf(scenarioRun, step)
  const turn = await lookAgain(scenarioRun, step, name, attempt, { everyMs: durationOf(step.until?.every) })
  return concluded(scenarioRun, step, name, await withDoubt(scenarioRun, turn), twin)
}
