import { TargetUnreachableError } from '../engine/run-options.ts'
import { worstOf } from '../judge/verdict.ts'
import type { CheckResult, RunResult, ScenarioResult } from '../result/result.ts'
import { isSelected } from './all-scenarios.ts'
import { type Bench, benchOf } from './bench.ts'
import { AT_THE_SAME_TIME } from './course-scenarios.ts'
import { openRun } from './open-run.ts'
import { type ReceiverOptions, type ReceiverRun, withoutQuery } from './receiver-run.ts'
import { reportReceiver } from './report-receiver.ts'
import { type ReceiverScenario, undoneCheck } from './scenario.ts'

/**
 * Judges a webhook receiver: events that look as the service sends them, and forgeries of them, each with its sound twin.
 *
 * @throws TargetUnreachableError where no connection can be had.
 * @throws TypeError where the address is none.
 * @example const result = await judgeReceiver({ url: 'http://localhost:3000/hooks', secret, registry, wall: wallClock, toolVersion })
 */
export async function judgeReceiver(options: ReceiverOptions): Promise<RunResult> {
  const run = openRun(options)
  const { plan, registry } = run
  try {
    options.onProgress?.({ kind: 'planned', plan, unobservable: [...registry.unobservable.keys()] })
    return reportReceiver(run, await carryOutAll(run))
  } finally {
    run.shop.sender.close()
  }
}

/**
 * The first delivery goes alone: where it is not taken, nothing else would show anything. Then those that want to be alone and come
 * first, then all that may go side by side, then what has to come last.
 */
async function carryOutAll(run: ReceiverRun): Promise<ScenarioResult[]> {
  const [first, ...others] = run.scenarios as [ReceiverScenario, ...ReceiverScenario[]]
  const results = new Map<string, ScenarioResult>()
  const runOne = async (scenario: ReceiverScenario) => {
    results.set(scenario.id, await carryOutOne(run, scenario))
  }
  // Sent also where it was not selected: it is the control of all the rest.
  const opening = await carryOutOne(run, first)
  results.set(first.id, isSelected(first, run.options) ? opening : leftOut(first))
  if (isTaken(opening)) {
    const wanted = others.filter((scenario) => isSelected(scenario, run.options))
    const last = wanted.filter((scenario) => scenario.turn === 'alone' && scenario !== AT_THE_SAME_TIME)
    if (wanted.includes(AT_THE_SAME_TIME)) await runOne(AT_THE_SAME_TIME)
    await Promise.all(wanted.filter(({ turn }) => turn === 'together').map(runOne))
    for (const scenario of last) await runOne(scenario)
  }
  return run.scenarios.map((scenario) => results.get(scenario.id) ?? notCarriedOut(run, scenario))
}

/** Taken, in time, and without a redirect; once is enough, since what went wrong only once is told elsewhere. */
function isTaken({ checks }: ScenarioResult): boolean {
  return !checks.some(({ verdict }) => verdict === 'fail' || verdict === 'not_run' || verdict === 'harness_error')
}

async function carryOutOne(run: ReceiverRun, scenario: ReceiverScenario): Promise<ScenarioResult> {
  const { options, shop, scenarios } = run
  if (options.signal?.aborted) return resultOf(scenario, interrupted(scenario), 0)
  options.onProgress?.({ kind: 'scenario-started', id: scenario.id })
  const startedMs = shop.wall.monotonicMs()
  const bench = benchOf(shop, scenario.id, `s${scenarios.indexOf(scenario) + 1}`)
  const checks = await checksWithoutFail(scenario, bench)
  const isStopped = options.signal?.aborted ?? false
  const result = resultOf(scenario, isStopped ? interrupted(scenario) : checks, shop.wall.monotonicMs() - startedMs)
  if (scenario === scenarios[0]) refuseUnreachable(run)
  options.onProgress?.({ kind: 'scenario-finished', result })
  return result
}

/** Whatever goes wrong in here is a fault of ours, and never the receiver's. */
async function checksWithoutFail(scenario: ReceiverScenario, bench: Bench): Promise<CheckResult[]> {
  try {
    return await scenario.run(bench)
  } catch (error) {
    const note = error instanceof Error ? error.message : String(error)
    return scenario.checks.map((check) => undoneCheck(scenario, check, { verdict: 'harness_error', note }))
  }
}

function refuseUnreachable({ shop, options }: ReceiverRun): void {
  const outcomes = shop.sent.map(({ exchange }) => exchange.outcome)
  const [first] = outcomes
  if (first?.kind !== 'broken' || !outcomes.every((one) => one.kind === 'broken' && one.reason === 'unreachable'))
    return
  throw new TargetUnreachableError(`${withoutQuery(options.url)}: ${first.message}`)
}

function notCarriedOut({ options }: ReceiverRun, scenario: ReceiverScenario): ScenarioResult {
  if (!isSelected(scenario, options)) return leftOut(scenario)
  if (options.signal?.aborted) return resultOf(scenario, interrupted(scenario), 0)
  const note = 'not sent, since the first sound delivery was not taken as it should be'
  const todo = 'Make the receiver take the first sound delivery: the first scenario shows what it was answered.'
  // One for each requirement: a hundred lines would say no more.
  const told = scenario.checks.filter(
    ({ requirement }, at) => scenario.checks.findIndex((one) => one.requirement === requirement) === at,
  )
  return resultOf(
    scenario,
    told.map((check) => undoneCheck(scenario, check, { verdict: 'inconclusive', note, todo })),
    0,
  )
}

function leftOut(scenario: ReceiverScenario): ScenarioResult {
  return resultOf(
    scenario,
    scenario.checks.map((check) => undoneCheck(scenario, check, { verdict: 'not_run', reason: 'filtered' })),
    0,
  )
}

function interrupted(scenario: ReceiverScenario): CheckResult[] {
  return scenario.checks.map((check) => undoneCheck(scenario, check, { verdict: 'not_run', reason: 'interrupted' }))
}

function resultOf({ id, title }: ReceiverScenario, checks: CheckResult[], durationMs: number): ScenarioResult {
  const verdict = worstOf(checks.map((check) => check.verdict))
  return { id, title, file: REQUIREMENTS_FILE, verdict, durationMs: Math.round(durationMs), checks }
}

/** Scenarios for receivers are code; what they judge stands here. */
const REQUIREMENTS_FILE = 'fixtures/receiver-requirements.yaml'
