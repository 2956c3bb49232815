import type { EndpointId } from '../../contract/endpoints.ts'
import { templateOf } from '../context/bodies.ts'
import { openHooks } from '../context/hooks.ts'
import { type Caller, createCaller, OPS_WITH_TIME, type Run, type ScenarioRun } from '../context/run.ts'
import { type Check, failure, NOT_JUDGED } from '../format/expectations/check.ts'
import type { LoadedScenario, NamedScenario, NamedStep, Scenario, Step } from '../format/scenario.ts'
import {
  callOf,
  checksOfStep,
  effectsOf,
  expectationsOf,
  isWrite,
  namedSteps,
  OPERATIONS,
  outlineOf,
  RECORD_ORDER,
  runsAlone,
  sellableNeeded,
  showsOf,
} from '../format/step-facts.ts'
import { LOOKED_UP, referencesIn } from '../format/values.ts'
import { type Exchange, isRefused } from '../http/exchange.ts'
import { expectationInWords } from '../judge/judge.ts'
import { type PlacedCheck, placed, type StepOutcome, stopOf, undone } from '../judge/placed-check.ts'
import { filled } from '../judge/references.ts'
import { isOpen, Open } from '../result/open.ts'
import type { Observation, Outline } from '../result/result.ts'
import { readPast } from '../steps/all-pages.ts'
import { isCounting } from '../steps/call.ts'
import { checkCapabilities, possiblePart } from '../steps/capabilities.ts'
import { noteHistoryEnds, stepsCountingFrom } from '../steps/events.ts'
import { runStep } from '../steps/step-kinds.ts'
import { clicksOfOthers, type Doubt, doubtOfOthers, type OthersSoFar } from './doubt-of-others.ts'

/** A scenario that has been run, before the end of the run has settled what hangs on others. */
export interface FinishedScenario {
  outline: Outline
  checks: PlacedCheck[]
  observations: Observation[]
  durationMs: number
}

/**
 * Runs one scenario. Never throws: failures are in the checks, one for each that the scenario declares. Where others may have caused
 * what came (see doubtOfOthers), it tries again with other domains; without a further one, that decides nothing.
 */
export async function runScenario(run: Run, whole: LoadedScenario, prefix: string): Promise<FinishedScenario> {
  const startedMs = run.wall.monotonicMs()
  // What keeps it from being found out stops the scenario itself.
  const { loaded, lacking } = await possiblePart(run, whole).catch(() => ({
    loaded: whole,
    lacking: new Map<string, []>(),
  }))
  const events = run.historyOf(run.credentials.main).since(0).length
  const since = { events, clicks: runsAlone(loaded.scenario) ? await clicksOfOthers(run, loaded) : null }
  const first = await attempted(run, loaded, prefix, since)
  let attempt = first
  for (let number = 2; number <= MOST_ATTEMPTS && attempt.doubt !== null && isOpenOrFailed(attempt); number++) {
    const next = await attempted(run, loaded, `${prefix}x${number}`, since)
    if (next.stop?.verdict === 'not_run' && next.stop.reason !== first.stop?.reason) {
      const isLast = next.stop.reason === 'needs-fixture'
      const why = isLast ? ', and no other one is for sale' : ', and this could not be tried again'
      attempt = first.doubt?.holds === 'as a bare guess' ? first : doubted(first, why)
      break
    }
    attempt = next
  }
  if (attempt.doubt?.holds === 'for any domain') attempt = doubted(attempt, '')
  const isGuess = first.doubt?.holds === 'as a guess' || first.doubt?.holds === 'as a bare guess'
  if (isGuess && !isOpenOrFailed(attempt)) attempt = doubted(first, '; tried again, this passed')
  const { done, observations, stop } = attempt
  const { title, steps } = whole.scenario
  const results = steps.map((step) => ({
    declared: checksOfStep(step),
    found: done.get(step.id) ?? [],
    lacking: lacking.get(step.id) ?? [],
  }))
  return {
    outline: outlineOf(whole),
    checks: complete(title, results, stop),
    observations,
    durationMs: run.wall.monotonicMs() - startedMs,
  }
}

/** What came of carrying the steps out once. */
interface ScenarioTry {
  readonly since: OthersSoFar
  readonly done: Map<string, PlacedCheck[]>
  readonly observations: Observation[]
  stop: Open | null
  /** Why what others do may explain what came; null if nothing may. */
  doubt: Doubt | null
  /** What it has set aside of the budget. */
  reserved: Reserved
  /** Its calls; null once something else than calls may have sold a domain. */
  calls: readonly Exchange[] | null
}

type Reserved = Pick<NonNullable<Scenario['effects']>, 'orders' | 'quotes'>

/** Three domains in a row that an earlier run has reserved are rarer than a target that reserves what it should not. */
const MOST_ATTEMPTS = 3

/** Carries the steps out once. */
async function attempted(run: Run, loaded: LoadedScenario, prefix: string, since: OthersSoFar): Promise<ScenarioTry> {
  const attempt: ScenarioTry = {
    since,
    done: new Map(),
    observations: [],
    stop: null,
    doubt: null,
    reserved: {},
    calls: [],
  }
  attempt.stop = await runSteps(run, loaded, prefix, attempt).catch((error) => stopFor(loaded.id, error, run.signal))
  run.budget.giveBack(unspentOf(attempt))
  return attempt
}

/** What was set aside, and no call can have made: a scenario that found no domain has made nothing. */
function unspentOf({ reserved: { orders = 0, quotes = 0 }, calls }: ScenarioTry): Reserved {
  if (calls === null) return {}
  const made = (op: EndpointId) =>
    calls.filter(
      ({ request, answer }) =>
        request.method === 'POST' && request.target.split('?')[0] === OPERATIONS[op].path && !isRefused(answer),
    ).length
  return { orders: Math.max(0, orders - made(RECORD_ORDER)), quotes: Math.max(0, quotes - made('quotes.create')) }
}

function isOpenOrFailed({ done, stop }: ScenarioTry): boolean {
  const checks = [...done.values()].flat()
  return (
    stop?.verdict === 'inconclusive' || checks.some(({ verdict }) => verdict === 'fail' || verdict === 'inconclusive')
  )
}

function doubted({ done, ...rest }: ScenarioTry, what: string): ScenarioTry {
  const note = `${rest.doubt?.why}${what}`
  const doubt = (check: PlacedCheck): PlacedCheck =>
    check.verdict === 'fail' ? { ...check, verdict: 'inconclusive', note } : check
  // What a premise saw has the same cause, and its own advice would look for another.
  const { stop } = rest
  const doubtedStop = isOpen(stop, 'inconclusive') ? Open.unproven(note, stop.seen ? { seen: stop.seen } : {}) : stop
  return { ...rest, stop: doubtedStop, done: new Map([...done].map(([name, checks]) => [name, checks.map(doubt)])) }
}

const EARLIER_FIRST =
  'What comes before this check in its scenario has to work first: see its transcript (--reporter html=report.html).'

const INTERRUPTED = 'the run was interrupted before this was over'

/** Why the rest of a scenario was not carried out. Anything unforeseen is our own fault, never the target's. */
export function stopFor(id: string, error: unknown, signal: AbortSignal | undefined): Open {
  if (signal?.aborted) return Open.notRun('interrupted', INTERRUPTED)
  if (isOpen(error, 'not_run')) return Open.notRun(error.reason, error.note)
  // What a scenario reads before its first step is not what it is about.
  if (isOpen(error, 'inconclusive', 'fail')) return Open.unproven(error.note, { todo: EARLIER_FIRST })
  const what = error instanceof Error ? `${error.name}: ${error.message}` : 'an unknown error'
  return Open.harness(`scenario ${id}: ${what}`)
}

async function runSteps(run: Run, loaded: LoadedScenario, prefix: string, attempt: ScenarioTry): Promise<Open | null> {
  const { scenario } = loaded
  const { done, observations } = attempt
  await checkCapabilities(run, loaded)
  const effects = effectsOf(scenario)
  run.budget.reserve(effects)
  attempt.reserved = effects
  // An amount means nothing before its unit is known, and the first valid order shows it; the steps find out whether there is one.
  // The runner's own registration comes first: later, it would replace the scenario's.
  const ops = scenario.steps.map((step) => callOf(step)?.op)
  for (const op of ['webhooks.put', RECORD_ORDER] as const)
    if (ops.includes(op)) await templateOf(run, op).catch(() => undefined)
  if (!run.clock.isShown) await learnTime(run, scenario)
  await letReportsCatchUp(run, scenario)
  const scenarioRun = await openScenarioRun(run, loaded, prefix, observations)
  attempt.calls = scenarioRun.exchanges
  try {
    attempt.stop = await countFromHere(scenarioRun, null, done)
    if (attempt.stop) return attempt.stop
    for (const step of scenario.steps) {
      checkGoesOn(run)
      // What an operator or a page does to a domain, no call shows.
      if (step.operator !== undefined || step.page !== undefined) attempt.calls = null
      const { checks, stop } = await runStep(scenarioRun, step).catch((error) => lackedBy(scenarioRun, step, error))
      checkGoesOn(run)
      done.set(step.id, checks)
      scenarioRun.finishedAtMs.set(step.id, run.wall.monotonicMs())
      if (mayChange(step)) run.pace.changedAtMs = run.wall.monotonicMs()
      attempt.stop = stop ?? (await countFromHere(scenarioRun, step.id, done))
      if (attempt.stop) return attempt.stop
    }
    return null
  } finally {
    if (scenario.cleanup) await cleanUp(scenarioRun, scenario.cleanup)
    const isFailed = isOpenOrFailed(attempt)
    // Of what passed, only a domain that others know of can be in doubt.
    if (isFailed || scenarioRun.leases.some(({ listed }) => listed !== undefined))
      // What the budget or an interruption keeps from being found out raises no doubt.
      attempt.doubt = await doubtOfOthers(scenarioRun, isFailed, attempt.since).catch(() => null)
    if (attempt.doubt === null && attempt.calls !== null) run.fixtures.giveBack(scenarioRun.leases, attempt.calls)
  }
}

/** Notes where the histories end now; a history that cannot be read fails the first step that counts from here. */
async function countFromHere(
  scenarioRun: ScenarioRun,
  after: string | null,
  done: Map<string, PlacedCheck[]>,
): Promise<Open | null> {
  const { scenario } = scenarioRun
  const [step] = stepsCountingFrom(scenario, after)
  if (!step) return null
  const failed = await noteHistoryEnds(scenarioRun, after).then(
    () => null,
    (error) => lackedBy(scenarioRun, step, error),
  )
  if (failed) done.set(step.id, failed.checks)
  return failed?.stop ?? null
}

/** A step that cannot run because an earlier answer lacks a required value: its own checks fail, and the rest is skipped. */
function lackedBy(scenarioRun: ScenarioRun, step: NamedStep, error: unknown): StepOutcome {
  if (!isOpen(error, 'fail')) throw error
  const check = failure(error.seen ?? NOT_JUDGED, error.note)
  if (error.breaks !== undefined) return violationOf(scenarioRun, step, error.breaks, check, error.exchange)
  const checks = expectationsOf(step).flatMap((expectation) =>
    showsOf(expectation).map((id) =>
      placed(step.id, id, expectationInWords(scenarioRun, expectation, step), null, check),
    ),
  )
  return { checks, stop: stopOf(scenarioRun, step, 'values of earlier answers', check) }
}

/** A violation of another requirement than the step shows: a check beside those of the scenario, whose rest proves nothing. */
function violationOf(
  scenarioRun: ScenarioRun,
  step: NamedStep,
  requirement: string,
  found: Check,
  shownIn: string | undefined,
): StepOutcome {
  const expected = scenarioRun.run.registry.requirements.get(requirement)?.text ?? requirement
  const exchange = shownIn ?? scenarioRun.exchanges.at(-1)?.id ?? null
  const check = placed(step.id, requirement, expected, exchange, found)
  return { checks: [check], stop: stopOf(scenarioRun, step, expected, found) }
}

/**
 * What a step saw while the run was being interrupted proves nothing: it may have stopped waiting for the rest.
 *
 * @throws Open (not_run)
 */
export function checkGoesOn({ signal }: Run): void {
  if (signal?.aborted) throw Open.notRun('interrupted', INTERRUPTED)
}

/** A target whose reports are late by less is as good as prompt. */
const MOST_LAG_OF_PROMPT_REPORTS_MS = 250

/** Reports that once were late by so much may be later by as much again, at most. */
const MOST_FURTHER_LAG_MS = 3_000

/**
 * Waits for what earlier scenarios have made to be in the reports of a target that is late with them: else it would come in between,
 * where a scenario counts before and after what it does.
 */
async function letReportsCatchUp(run: Run, scenario: Scenario): Promise<void> {
  const { readLagMs, changedAtMs } = run.pace
  const isOfAll = runsAlone(scenario) || effectsOf(scenario).last === true
  const restMs = changedAtMs + readLagMs + Math.min(readLagMs, MOST_FURTHER_LAG_MS) - run.wall.monotonicMs()
  const isLate = readLagMs > MOST_LAG_OF_PROMPT_REPORTS_MS && restMs > 0
  if (isLate && isOfAll && scenario.steps.some(isCounting)) await run.pause(restMs)
}

/** Whether a step may do something that reports show. */
function mayChange(step: Step): boolean {
  return isWrite(step) || step.operator !== undefined || step.page !== undefined
}

/**
 * An earlier run may have moved the time of the target, and what is created shows it. A valid call of the runner that the scenario leads to
 * anyway then comes before its dates are reckoned.
 */
async function learnTime(run: Run, scenario: Scenario): Promise<void> {
  if (!referencesIn([scenario.steps, scenario.vars]).some(([first]) => first === 'now' || first === 'today')) return
  const ops = new Set(scenario.steps.map((step) => callOf(step)?.op))
  for (const op of OPS_WITH_TIME) if (ops.has(op)) await templateOf(run, op).catch(() => undefined)
}

async function openScenarioRun(
  run: Run,
  loaded: LoadedScenario,
  prefix: string,
  observations: Observation[],
): Promise<ScenarioRun> {
  const { scenario } = loaded
  const brokerable = scenario.steps.some((step) => callOf(step)?.op?.startsWith('brokerage.'))
  const asked = await Promise.allSettled(
    Array.from({ length: sellableNeeded(scenario) }, () => run.fixtures.sellable(brokerable)),
  )
  const leases = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const failed = asked.find((one) => one.status === 'rejected')
  if (failed) {
    // A scenario that needs fewer gets them.
    run.fixtures.giveBack(leases, [])
    throw failed.reason
  }
  const caller = createCaller(run, loaded.id, prefix)
  return withLeases(run, scenario, { ...caller, leases, observations }).catch((error) => {
    run.fixtures.giveBack(leases, caller.exchanges)
    throw error
  })
}

async function withLeases(
  run: Run,
  scenario: NamedScenario,
  begun: Caller & Pick<ScenarioRun, 'leases' | 'observations'>,
): Promise<ScenarioRun> {
  const scenarioRun: ScenarioRun = {
    ...begun,
    scenario,
    records: new Map(),
    vars: new Map(),
    past: new Map(),
    known: await knownFixtures(run, scenario),
    historyEnds: new Map(),
    hooks: await openHooks(run, scenario),
    finishedAtMs: new Map(),
    jar: null,
    latestPage: null,
  }
  for (const [name, template] of Object.entries(scenario.vars ?? {}))
    scenarioRun.vars.set(name, filled(scenarioRun, template))
  // A name that an earlier run has sold may be for sale again.
  if (!begun.leases.some(({ listed }) => listed)) return scenarioRun
  return { ...scenarioRun, past: await readPast(scenarioRun) }
}

/** Looks up only what the scenario names: every fixture costs calls. */
async function knownFixtures(run: Run, scenario: Scenario): Promise<Map<string, unknown>> {
  const names = new Set(referencesIn([scenario.steps, scenario.vars, scenario.cleanup]).map(([first]) => first))
  for (const need of scenario.needs ?? []) names.add(/^fixture\.([a-z_]+)/.exec(need)?.[1] ?? '')
  const known = new Map<string, unknown>()
  for (const name of LOOKED_UP) if (names.has(name)) known.set(name, await LOOK_UP[name](run))
  return known
}

const LOOK_UP: Record<(typeof LOOKED_UP)[number], (run: Run) => unknown> = {
  listed: ({ fixtures }) => fixtures.listed(),
  unlisted: ({ fixtures }) => ({ domain: fixtures.unlisted() }),
  live_site: async ({ fixtures }) => ({ domain: await fixtures.liveSite() }),
  topic: ({ fixtures }) => fixtures.topic(),
  webhook: async ({ fixtures }) => ({ url: await fixtures.webhookUrl() }),
}

/** Clean-up always runs, even after an interruption; its failures change no verdict. */
async function cleanUp(interruptible: ScenarioRun, steps: readonly Step[]): Promise<void> {
  const run = { ...interruptible.run, signal: undefined }
  for (const step of namedSteps(steps)) await runStep({ ...interruptible, run }, step).catch(() => undefined)
}

/**
 * Every declared check exactly once, done or not: a check that vanishes would look like one that never was. What a step has
 * shown beside follows its own.
 *
 * @param stop why a check that was not found was not carried out, unless `lacking` says so of it.
 */
export function complete(
  title: string,
  steps: readonly { declared: Outline['checks']; found: readonly PlacedCheck[]; lacking?: readonly (Open | null)[] }[],
  stop: Open | null,
): PlacedCheck[] {
  return steps.flatMap(({ declared, found, lacking = [] }) => {
    const left = [...found]
    const first = declared.map((one, index) => {
      const lack = lacking[index]
      if (lack) return undone(title, one, lack)
      const at = left.findIndex(({ step, requirement }) => step === one.step && requirement === one.requirement)
      const [done] = at === -1 ? [] : left.splice(at, 1)
      return done ?? undone(title, one, stop ?? Open.harness('the check was declared but has no result'))
    })
    return [...first, ...left]
  })
}
