import { parseDuration } from '../../clock/duration.ts'
import { sleep } from '../../clock/wall-clock.ts'
import { argumentsOf, canOperate, openWay, operate, otherWays, recheckClock } from '../context/operator.ts'
import type { Run, ScenarioRun } from '../context/run.ts'
import type { NamedStep, Step } from '../format/scenario.ts'
import { actionOf, kindsOf } from '../format/step-facts.ts'
import type { STEP_KINDS } from '../format/step-kinds.ts'
import { type StepOutcome, stepInWords } from '../judge/placed-check.ts'
import { filled } from '../judge/references.ts'
import { Open } from '../result/open.ts'
import { runBurst, runCall, runUntil } from './call.ts'
import { runEvents, runHook } from './events.ts'
import { whereOrderIs } from './moved-alone.ts'
import { runOpen, runPress } from './page.ts'
import { reported } from './report-step.ts'

type RunStep = (scenarioRun: ScenarioRun, step: NamedStep) => Promise<StepOutcome>

/** How each kind of step is carried out. */
const KINDS: Readonly<Record<keyof typeof STEP_KINDS, RunStep>> = {
  // One call, several at once, or one that is repeated until it shows what is expected; or none, where it is about those made so far.
  async call(scenarioRun, step) {
    if (step.call?.of_run) return reported(scenarioRun, step, { kind: 'run' }, null)
    if (step.call?.at_once !== undefined) return runBurst(scenarioRun, step)
    return (step.call?.until === undefined ? runCall : runUntil)(scenarioRun, step)
  },
  operator: runOperator,
  events: runEvents,
  hook: runHook,
  page: (scenarioRun, step) => (step.page?.press === undefined ? runOpen : runPress)(scenarioRun, step),
}

/** @throws RangeError if the step has no action. */
export async function runStep(scenarioRun: ScenarioRun, step: NamedStep): Promise<StepOutcome> {
  const [kind] = kindsOf(step)
  if (kind === undefined) throw new RangeError('the step has no action')
  return KINDS[kind](scenarioRun, step)
}

/** Has the operator act, or takes the next best way that the step allows. */
async function runOperator(scenarioRun: ScenarioRun, step: NamedStep): Promise<StepOutcome> {
  const [action, template] = actionOf(step)
  const values = argumentsOf(action, filled(scenarioRun, template))
  const { run } = scenarioRun
  let isDone: boolean
  if (canOperate(run.target, action)) {
    const outcome = await operate(scenarioRun, action, values)
    if (!outcome.done && !step.else?.includes('go_on')) {
      const where = await whereOrderIs(scenarioRun, values.public_id)
      return { checks: [], stop: Open.unproven(`${stepInWords(step.id)}: ${outcome.why}${where}`) }
    }
    isDone = outcome.done
    if (isDone) scenarioRun.records.set(step.id, { kind: 'operated' })
  } else isDone = await otherwise(scenarioRun, otherWays(step, action, values))
  if (!isDone) return { checks: [], stop: null }
  if (action === 'skew_clock') run.clock.skewMs = Number(values.seconds) * 1_000
  if (action === 'advance_clock') {
    const movedMs = Number(values.seconds) * 1_000
    const { offsetMs, advancedMs } = run.clock
    await recheckClock(scenarioRun, scenarioRun.run.credentials.main, movedMs)
    // If its clock went along, that shows the time already.
    if (run.clock.offsetMs === offsetMs) run.clock.advancedMs = advancedMs + movedMs
  }
  return { checks: [], stop: null }
}

/** @returns false if nothing was done, which the step allows. */
async function otherwise(scenarioRun: ScenarioRun, ways: NonNullable<Step['else']>): Promise<boolean> {
  const { run } = scenarioRun
  const way = openWay(run, ways)
  if (way === 'go_on') return false
  if (way === null || way === 'not_run')
    throw Open.notRun('needs-operator', 'the target file has no operator, and no other way is possible')
  if ('wait' in way) {
    await reallyWait(run, scenarioRun.id, parseDuration(way.wait) ?? 0)
    return true
  }
  if (await run.ask?.(way.ask, scenarioRun.id)) return true
  throw Open.notRun('needs-operator', `the person who was asked did not do it: ${way.ask}`)
}

async function reallyWait(run: Run, scenario: string, ms: number): Promise<void> {
  run.onWait(scenario, 'nothing can move the clock of the target', ms)
  await sleep(ms, run.signal)
  // The clock offset does not include time that really passed.
  run.clock.advancedMs -= ms
}
