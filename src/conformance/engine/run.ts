import { createClient, type Run } from '../context/run-context.ts'
import type { Services } from '../context/scenario-run.ts'
import type { LoadedScenario } from '../format/scenario.ts'
import { outlineOf } from '../format/step-facts.ts'
import { byId, type CheckResult, type RunResult, type ScenarioResult } from '../result/result.ts'
import { type BegunRun, withRun } from './begin-run.ts'
import { greetTarget, readListsFirst } from './open-run.ts'
import { CredentialRefusedError, takenWronglySigned } from './refused-credential.ts'
import { NothingJudgedError, type RunOptions } from './run-options.ts'
import { reportRun } from './run-report.ts'
import type { FinishedScenario } from './run-scenario.ts'
import type { LeftOut } from './sample.ts'
import { runAll } from './schedule.ts'
import type { Schedule } from './selection.ts'
import { beyondBudget, filteredOut, neverReached, observed, settled } from './settle-scenario.ts'

/**
 * Replays the scenarios against the target and judges, requirement by requirement, what it does.
 *
 * @throws TargetUnreachableError if the very first call gets no answer at all, OperatorUnusableError if the operator
 * that was named has no such world, CredentialRefusedError (see `doubtsCredentials`).
 * @example const { verdict } = await runConformance({ target, scenarios, registry, wall: wallClock, toolVersion })
 */
export function runConformance(given: RunOptions): Promise<RunResult> {
  return withRun(given, judgeTarget)
}

async function judgeTarget({ options, services, schedule, leftOut, known, exchanges }: BegunRun): Promise<RunResult> {
  const { run } = services
  const startedMs = run.wall.monotonicMs()
  const hindrance = schedule.chosen.length > 0 ? await greet(services, schedule.chosen, options) : null
  const violation = hindrance && (await whatItShows(services, hindrance))
  const { clockOffsetMs: byMs } = run.learned
  if (byMs !== 0) options.onProgress?.({ kind: 'clock-differs', byMs })
  const runs = hindrance ? [] : await runAll(services, schedule, options)
  const scenarios = withViolation(violation, resultsOf(run, schedule, leftOut, runs)).sort(byId)
  for (const { id, checks } of scenarios)
    for (const check of checks) options.onProgress?.({ kind: 'check', scenario: id, check })
  const result = reportRun(run, known, {
    scenarios,
    exchanges: [...exchanges.values()],
    keepsEveryExchange: options.transcript === 'all',
    observations: observed(run, runs),
    durationMs: Math.round(run.wall.monotonicMs() - startedMs),
  })
  if (hindrance && !violation) throw Object.assign(hindrance, { result })
  return result
}

/** Of every scenario that was given, whether its turn came or not. */
function resultsOf(
  run: Run,
  { chosen, left }: Schedule,
  leftOut: readonly LeftOut[],
  runs: readonly FinishedScenario[],
): ScenarioResult[] {
  const reached = new Set([...runs.map(({ outline }) => outline.id), ...leftOut.map(({ loaded }) => loaded.id)])
  const notReached = chosen.filter(({ id }) => !reached.has(id))
  return [
    ...runs.map((finished) => settled(run, finished)),
    ...neverReached(run, notReached.map(outlineOf)),
    ...beyondBudget(leftOut),
    ...filteredOut(left.map(outlineOf)),
  ]
}

/**
 * Null if the target may be judged. A stop during the first calls interrupts the run, like a later one.
 *
 * @returns what keeps the run from judging anything
 */
async function greet(
  services: Services,
  chosen: readonly LoadedScenario[],
  { doubtsCredentials = false, signal }: RunOptions,
): Promise<NothingJudgedError | null> {
  try {
    await greetTarget(services, doubtsCredentials)
    await readListsFirst(
      services,
      chosen.flatMap(({ scenario }) => scenario.steps),
    )
  } catch (error) {
    if (signal?.aborted) return null
    if (!(error instanceof NothingJudgedError)) throw error
    const isRefused = error instanceof CredentialRefusedError
    services.run.earlyStop.stop(isRefused ? 'every valid call had been refused' : 'the run had ended')
    return error
  }
  return null
}

/** A target that refuses every valid call, and takes one that is signed wrongly, is wrong itself. */
async function whatItShows({ run, credentials }: Services, hindrance: NothingJudgedError): Promise<CheckResult | null> {
  if (!(hindrance instanceof CredentialRefusedError)) return null
  const taken = await takenWronglySigned(createClient(run, 'hello', 'hw'), credentials.main)
  if (!taken) return null
  return {
    ...{ step: 'sound_read', requirement: 'AUTH-01', verdict: 'fail' },
    expected: 'a correctly signed call is accepted',
    actual: `every valid call is refused (${hindrance.refusal}), and a read that is signed wrongly is accepted: ${taken.way}`,
    exchange: taken.turn.exchange.id,
    note: 'the target makes the canonical string, or the signature, in another way than the document says',
  }
}

/** The check is in a scenario that proves the same, so that running that one shows it again. */
function withViolation(violation: CheckResult | null, scenarios: readonly ScenarioResult[]): ScenarioResult[] {
  if (!violation) return [...scenarios]
  const fits = ({ checks }: ScenarioResult): boolean =>
    checks.some(({ requirement, reason }) => requirement === violation.requirement && reason !== 'filtered')
  const place = scenarios.find(fits) ?? scenarios[0]
  return scenarios.map((one) => (one === place ? { ...one, verdict: 'fail', checks: [violation, ...one.checks] } : one))
}
