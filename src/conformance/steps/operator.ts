import { sleep } from '../../clock/wall-clock.ts'
import { argumentsOf, canOperate, ladderOf, openRung, operate, recheckClock } from '../context/operator.ts'
import type { Run, ScenarioRun } from '../context/run.ts'
import { isOperatorAction } from '../format/operator-actions.ts'
import type { ElseRung, Step, Template } from '../format/scenario.ts'
import { durationOf } from '../format/step-facts.ts'
import { type StepOutcome, stepInWords } from '../judge/placed-check.ts'
import { filled } from '../judge/references.ts'
import { Open } from '../result/open.ts'

/** Has the operator act, or takes the next best way that the step allows. */
export async function runOperator(scenarioRun: ScenarioRun, step: Step, name: string): Promise<StepOutcome> {
  const [[action, template] = []] = Object.entries(step.operator ?? {})
  if (action === undefined || !isOperatorAction(action)) throw new RangeError(`${action} is not an operator action`)
  const values = argumentsOf(action, filled(scenarioRun, template as Template))
  const { run } = scenarioRun
  if (canOperate(run.target, action)) {
    const outcome = await operate(scenarioRun, action, values)
    if (!outcome.done && !step.else?.includes('go_on'))
      return { checks: [], stop: Open.unproven(`${stepInWords(name)}: ${outcome.why}`) }
    scenarioRun.records.set(name, { kind: 'operated' })
  } else await otherwise(scenarioRun, ladderOf(step, action, values))
  if (action === 'skew_clock') run.clock.skewMs = Number(values.seconds) * 1_000
  if (action === 'advance_clock') {
    const movedMs = Number(values.seconds) * 1_000
    const { offsetMs } = run.clock
    await recheckClock(scenarioRun, scenarioRun.run.credentials.main, movedMs)
    // If its clock went along, that shows the time already.
    if (run.clock.offsetMs === offsetMs) run.clock.advancedMs += movedMs
  }
  return { checks: [], stop: null }
}

async function otherwise(scenarioRun: ScenarioRun, rungs: readonly ElseRung[]): Promise<void> {
  const { run } = scenarioRun
  const rung = openRung(run, rungs)
  if (rung === 'go_on') return
  if (rung === null || rung === 'not_run')
    throw Open.notRun('needs-operator', 'the target file has no operator, and no other way is possible')
  if ('wait' in rung) return reallyWait(run, scenarioRun.id, durationOf(rung.wait) ?? 0)
  if (await run.ask?.(rung.ask, scenarioRun.id)) return
  throw Open.notRun('needs-operator', `the person who was asked did not do it: ${rung.ask}`)
}

async function reallyWait(run: Run, scenario: string, ms: number): Promise<void> {
  run.onWait(scenario, 'nothing can move the clock of the target', ms)
  await sleep(ms, run.signal)
  // The clock offset does not include time that really passed.
  run.clock.advancedMs -= ms
}
