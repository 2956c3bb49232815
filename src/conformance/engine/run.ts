import { setMaxListeners } from 'node:events'
import { createClient } from '../context/run-context.ts'
import type { Services } from '../context/scenario-run.ts'
import type { LoadedScenario } from '../format/scenario.ts'
import type { Exchange } from '../http/exchange.ts'
import { byId } from '../result/by-id.ts'
import type { CheckResult, RunResult, ScenarioResult } from '../result/result.ts'
import { readListsFirst } from './first-reads.ts'
import { identityOf } from './identity.ts'
import { observableAt } from './observable-at.ts'
import { closeRun, createRun, createServices, greetTarget } from './open-run.ts'
import { planOf } from './plan.ts'
import { CredentialRefusedError } from './refused-credential.ts'
import { NothingJudgedError, type RunOptions } from './run-options.ts'
import { openingOf, reportRun } from './run-report.ts'
import { runAll } from './schedule.ts'
import { selected } from './selection.ts'
import { filteredOut, neverReached, observed, settled } from './settle-scenario.ts'
import { takenWronglySigned } from './wrongly-signed.ts'

/**
 * Replays the scenarios against the target and judges, requirement by requirement, what it does.
 *
 * @throws TargetUnreachableError where the very first call gets no answer at all, OperatorUnusableError where the operator
 * that was named has no such world, CredentialRefusedError (see `doubtsCredentials`).
 * @example const { verdict } = await runConformance({ target, scenarios, registry, wall: wallClock, toolVersion })
 */
export async function runConformance(given: RunOptions): Promise<RunResult> {
  const options = { ...given, ...observableAt(given) }
  if (options.signal) setMaxListeners(0, options.signal) // Every call under way listens.
  const { wall } = options
  const startedAtMs = wall.nowMs()
  const startedMs = wall.monotonicMs()
  const chosen = selected(options.only, options.scenarios)
  const exchanges = new Map<string, Exchange>()
  const run = createRun(options, exchanges)
  const { runId, target } = run
  const identity = identityOf({ runId, registry: given.registry, target, scenarios: options.scenarios })
  try {
    const services = createServices(run)
    const plan = planOf(services, chosen)
    const left = options.scenarios.filter((loaded) => !chosen.includes(loaded))
    const { toolVersion, profile } = options
    const known = { identity, plan, profile, startedAtMs, toolVersion }
    options.onProgress?.({ kind: 'planned', ...openingOf(run, { ...known, selected: chosen, left }) })
    const hindrance = chosen.length > 0 ? await greet(services, chosen, options) : null
    const violation = hindrance && (await whatItShows(services, hindrance))
    const { clockOffsetMs: byMs } = run.learned
    if (byMs !== 0) options.onProgress?.({ kind: 'clock-differs', byMs })
    const runs = hindrance ? [] : await runAll(services, chosen, options)
    const reached = new Set(runs.map(({ loaded }) => loaded))
    const scenarios = withViolation(violation, [
      ...runs.map((finished) => settled(run, finished)),
      ...neverReached(
        run,
        chosen.filter((loaded) => !reached.has(loaded)),
      ),
      ...filteredOut(left),
    ]).sort(byId)
    for (const { id, checks } of scenarios)
      for (const check of checks) options.onProgress?.({ kind: 'check', scenario: id, check })
    const result = reportRun(run, {
      ...known,
      ...{ scenarios, exchanges },
      keepsEveryExchange: options.transcript === 'all',
      observations: observed(run, runs),
      durationMs: Math.round(wall.monotonicMs() - startedMs),
    })
    if (hindrance && !violation) throw Object.assign(hindrance, { result })
    return result
  } finally {
    await closeRun(run)
  }
}

/**
 * Null where the target may be judged. Who stops a run at its first calls has interrupted it, like anybody later.
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
    services.run.earlyStop.stop(isRefused ? 'every sound call had been refused' : 'the run had ended')
    return error
  }
  return null
}

/** A target that refuses every sound call, and takes one that is signed wrongly, is wrong itself. */
async function whatItShows({ run, credentials }: Services, hindrance: NothingJudgedError): Promise<CheckResult | null> {
  if (!(hindrance instanceof CredentialRefusedError)) return null
  const taken = await takenWronglySigned(createClient(run, 'hello', 'hw'), credentials.main)
  if (!taken) return null
  return {
    ...{ step: 'sound_read', requirement: 'AUTH-01', verdict: 'fail' },
    expected: 'a soundly signed call is accepted',
    actual: `every sound call is refused (${hindrance.refusal}), and a read that is signed wrongly is taken: ${taken.way}`,
    exchange: taken.turn.exchange.id,
    note: 'the target makes the canonical string, or the signature, in another way than the document says',
  }
}

/** The check stands in a scenario that proves the same, so that running that one shows it again. */
function withViolation(violation: CheckResult | null, scenarios: readonly ScenarioResult[]): ScenarioResult[] {
  if (!violation) return [...scenarios]
  const fits = ({ checks }: ScenarioResult): boolean =>
    checks.some(({ requirement, reason }) => requirement === violation.requirement && reason !== 'filtered')
  const place = scenarios.find(fits) ?? scenarios[0]
  return scenarios.map((one) => (one === place ? { ...one, verdict: 'fail', checks: [violation, ...one.checks] } : one))
}
