import { setMaxListeners } from 'node:events'
import { parseDuration } from '../../clock/duration.ts'
import { wayOf } from '../context/operator.ts'
import { createCaller, type Run } from '../context/run.ts'
import type { LoadedScenario } from '../format/scenario.ts'
import { checksOfStep, effectsOf, outlineOf } from '../format/step-facts.ts'
import type { Exchange } from '../http/exchange.ts'
import { isOpen } from '../result/open.ts'
import { byId, type CheckResult, type RunOpening, type RunResult, type ScenarioResult } from '../result/result.ts'
import { checkCapabilities, mayRun, possiblePart, scopesInFile, stepsOf } from '../steps/capabilities.ts'
import { greetTarget, readListsFirst, takenWronglySigned } from './first-calls.ts'
import { closeRun, openRun } from './open-run.ts'
import { observableAt } from './profile.ts'
import { type RunOptions, TargetError } from './run-options.ts'
import { identityOf, neverReached, notCarriedOut, observed, openingOf, reportRun, settled } from './run-report.ts'
import { runAll, scheduleOf } from './schedule.ts'

/**
 * Replays the scenarios against the target and judges, requirement by requirement, what it does.
 *
 * @throws TargetError if the very first call gets no answer at all, the operator that was named has no such world, or every first
 * call is refused (see `doubtsCredentials`).
 * @example const { verdict } = await runConformance({ target, scenarios, registry, wall: wallClock, toolVersion })
 */
export function runConformance(given: RunOptions): Promise<RunResult> {
  return withRun(given, judgeTarget)
}

/**
 * What a run would do, without sending anything: every check says that it would run (dry-run), or why not as far as
 * that is known without the target. Its verdict is void.
 */
export function rehearse(given: RunOptions): Promise<RunResult> {
  return withRun(given, rehearseAll)
}

/** A run that is planned and has sent nothing. */
interface PlannedRun {
  /** As they were given, with what the target file leaves observable. */
  options: RunOptions
  run: Run
  schedule: ReturnType<typeof scheduleOf>
  /** What was reported before the first call. */
  opening: RunOpening
  /** Those of the run so far, by id. */
  exchanges: ReadonlyMap<string, Exchange>
}

/** Opens a run, announces its plan, and closes it after the work: what a run and its rehearsal have in common. */
async function withRun<Result>(given: RunOptions, work: (planned: PlannedRun) => Promise<Result>): Promise<Result> {
  const options = { ...given, ...observableAt(given) }
  if (options.signal) setMaxListeners(0, options.signal) // Every call under way listens.
  const { scenarios, profile, toolVersion, wall, target } = options
  const startedAtMs = wall.nowMs()
  const schedule = scheduleOf(options.only, scenarios, target.budget.requests)
  const exchanges = new Map<string, Exchange>()
  const run = openRun(options, exchanges)
  try {
    const identity = identityOf({ runId: run.runId, registry: given.registry, scenarios, target })
    const facts = { identity, plan: await planOf(run, schedule.chosen), profile, startedAtMs, toolVersion }
    const opening = openingOf(run, facts, schedule.chosen.map(outlineOf), schedule.left.map(outlineOf))
    options.onProgress?.({ kind: 'planned', ...opening })
    return await work({ options, run, schedule, opening, exchanges })
  } finally {
    await closeRun(run)
  }
}

async function judgeTarget({ options, run, schedule, opening, exchanges }: PlannedRun): Promise<RunResult> {
  const startedMs = run.wall.monotonicMs()
  const hindrance = await hindranceOf(run, schedule, options)
  if (hindrance) run.end.because(hindrance.message)
  const violation = hindrance && (await whatItShows(run, hindrance))
  const { offsetMs: byMs } = run.clock
  if (byMs !== 0) options.onProgress?.({ kind: 'clock-differs', byMs })
  const runs = hindrance ? [] : await runAll(run, schedule, options)
  const reached = new Set(runs.map(({ outline }) => outline.id))
  // Of every scenario that was given, whether its turn came or not.
  const results = [
    ...runs.map((finished) => settled(run, finished)),
    ...schedule.running.flatMap((loaded) => (reached.has(loaded.id) ? [] : neverReached(run, outlineOf(loaded)))),
    ...leftOutOf(schedule),
  ]
  const scenarios = (violation ? withViolation(violation, results) : results).sort(byId)
  for (const { id, checks } of scenarios)
    for (const check of checks) options.onProgress?.({ kind: 'check', scenario: id, check })
  const result = reportRun(run, opening, {
    scenarios,
    exchanges: [...exchanges.values()],
    keepsEveryExchange: options.transcript === 'all',
    observations: observed(run, runs),
    durationMs: Math.round(run.wall.monotonicMs() - startedMs),
  })
  if (hindrance && !violation) throw Object.assign(hindrance, { result })
  return result
}

/** What the first calls meet that keeps the run from judging anything; null if nothing does. */
async function hindranceOf(
  run: Run,
  { chosen }: PlannedRun['schedule'],
  { doubtsCredentials = false, signal }: RunOptions,
): Promise<TargetError | null> {
  if (chosen.length === 0) return null
  try {
    await greetTarget(run, doubtsCredentials)
    await readListsFirst(
      run,
      chosen.flatMap(({ scenario }) => scenario.steps),
    )
    return null
  } catch (error) {
    // A stop during the first calls interrupts the run, like a later one.
    if (signal?.aborted) return null
    if (error instanceof TargetError) return error
    throw error
  }
}

/** What a filter left out, and rows that a small budget has no room for, still say that their checks were not run. */
function leftOutOf({ left, beyondBudget }: PlannedRun['schedule']): ScenarioResult[] {
  return [
    ...left.map((loaded) => notCarriedOut(outlineOf(loaded), { reason: 'filtered' })),
    ...beyondBudget.map(({ loaded, note }) => notCarriedOut(outlineOf(loaded), { reason: 'budget', note })),
  ]
}

/** A target that refuses every valid call, and takes one that is signed wrongly, is wrong itself. */
async function whatItShows(run: Run, hindrance: TargetError): Promise<CheckResult | null> {
  if (hindrance.kind !== 'credential') return null
  const taken = await takenWronglySigned(createCaller(run, 'hello', 'hw'), run.credentials.main)
  if (!taken) return null
  return {
    step: 'sound_read',
    requirement: 'AUTH-01',
    verdict: 'fail',
    expected: 'a correctly signed call is accepted',
    actual: `every valid call is refused (${hindrance.refusal}), and a read that is signed wrongly is accepted: ${taken.way}`,
    exchange: taken.exchange.id,
    note: 'the target makes the canonical string, or the signature, in another way than the document says',
  }
}

/** The check is in a scenario that proves the same, so that running that one shows it again. */
function withViolation(violation: CheckResult, scenarios: readonly ScenarioResult[]): ScenarioResult[] {
  const fits = ({ checks }: ScenarioResult): boolean =>
    checks.some(({ requirement, reason }) => requirement === violation.requirement && reason !== 'filtered')
  const place = scenarios.find(fits) ?? scenarios[0]
  return scenarios.map((one) => (one === place ? { ...one, verdict: 'fail', checks: [violation, ...one.checks] } : one))
}

async function rehearseAll({ run, schedule, opening }: PlannedRun): Promise<RunResult> {
  const scenarios = leftOutOf(schedule)
  for (const loaded of schedule.running) scenarios.push(await rehearsed(run, loaded))
  const nothing = { exchanges: [], observations: [], keepsEveryExchange: false, durationMs: 0 }
  return reportRun(run, opening, { scenarios: scenarios.sort(byId), ...nothing })
}

/** Scenarios take of the budget in the order in which they would run. */
async function rehearsed(run: Run, whole: LoadedScenario): Promise<ScenarioResult> {
  const { loaded, lacking } = await possiblePart(run, whole, scopesInFile)
  try {
    await checkCapabilities(run, loaded, scopesInFile)
    run.budget.reserve(effectsOf(loaded.scenario))
    const result = notCarriedOut(outlineOf(whole), { reason: 'dry-run' })
    const lacks = whole.scenario.steps.flatMap((step) => lacking.get(step.id) ?? checksOfStep(step).map(() => null))
    const checks = result.checks.map((check, index) => {
      const lack = lacks[index]
      return lack ? { ...check, reason: lack.reason ?? 'dry-run', note: lack.note } : check
    })
    return { ...result, checks }
  } catch (error) {
    if (isOpen(error, 'not_run')) {
      const { reason = 'dry-run', note } = error
      return notCarriedOut(outlineOf(whole), { reason, note })
    }
    throw error
  }
}

/** Adds up what the scenarios declare. What the target file or the flags leave out already is not counted: it sends nothing. */
async function planOf(run: Run, scenarios: readonly LoadedScenario[]): Promise<RunResult['plan']> {
  const { target } = run
  const possible = await Promise.all(scenarios.map((whole) => possiblePart(run, whole, scopesInFile)))
  const running = possible.map(({ loaded }) => loaded).filter((loaded) => mayRun(run, loaded))
  const declared = { orders: 0, quotes: 0, webhooks: 0 }
  for (const { scenario } of running) {
    const { orders = 0, quotes = 0, webhooks = 0 } = effectsOf(scenario)
    declared.orders += orders
    declared.quotes += quotes
    declared.webhooks += webhooks
  }
  const steps = running.flatMap(({ scenario }) => stepsOf(scenario))
  // How each action of an operator would come about.
  const ways = steps.filter(({ operator }) => operator !== undefined).map((step) => wayOf(run, step))
  const limits = (['requests', 'orders', 'quotes'] as const).map((name) => {
    const most = target.budget[name]
    return [name, Number.isFinite(most) ? most : null]
  })
  const detours = ways.filter((way) => typeof way === 'object').filter((way) => way !== null)
  return {
    scenarios: scenarios.length,
    ...declared,
    budget: Object.fromEntries(limits) as RunResult['plan']['budget'],
    longestWaitMs: Math.max(0, ...detours.map((way) => ('wait' in way ? (parseDuration(way.wait) ?? 0) : 0))),
    questions: detours.filter((way) => 'ask' in way).length,
  }
}
