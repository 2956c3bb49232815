import { openHooks } from '../context/open-receivers.ts'
import { createClient, type Run } from '../context/run-context.ts'
import type { ScenarioRun, Services } from '../context/scenario-run.ts'
import { OPS_WITH_TIME } from '../context/target-clock.ts'
import { effectsOf, sellableNeeded } from '../format/derived.ts'
import { failure } from '../format/expectations/judgment.ts'
import { referencesIn } from '../format/expressions.ts'
import type { LoadedScenario, Scenario, Step, Template } from '../format/scenario.ts'
import {
  callOf,
  checksOfStep,
  expectationsOf,
  outlineOf,
  recordsOrder,
  showsOf,
  stepName,
} from '../format/step-facts.ts'
import { expectationInWords } from '../judge/describe.ts'
import {
  type PendingCheck,
  pendingCheck,
  type StepOutcome,
  type Stop,
  stopOf,
  undone,
} from '../judge/pending-checks.ts'
import { filled } from '../judge/references.ts'
import { createCookieJar } from '../pages/cookie-jar.ts'
import { isOpen, Open } from '../result/open.ts'
import type { DeclaredCheck, Observation, Outline } from '../result/result.ts'
import { checkCapabilities } from '../steps/capabilities.ts'
import { noteHistoryEnds } from '../steps/events.ts'
import { readPast } from '../steps/read-earlier-items.ts'
import { runStep } from '../steps/step-kinds.ts'

/** A scenario that has been run, before the end of the run has settled what hangs on others. */
export interface FinishedScenario {
  outline: Outline
  checks: PendingCheck[]
  observations: Observation[]
  durationMs: number
}

/** Runs one scenario. Never throws: failures are in the checks, one for each that the scenario declares. */
export async function runScenario(
  services: Services,
  loaded: LoadedScenario,
  prefix: string,
): Promise<FinishedScenario> {
  const startedMs = services.run.wall.monotonicMs()
  const done = new Map<string, PendingCheck[]>()
  const observations: Observation[] = []
  const stop = await runSteps(services, loaded, prefix, done, observations).catch(
    stopFor(loaded.id, () => services.run.signal?.aborted ?? false),
  )
  const { title, steps } = loaded.scenario
  const results = steps.map((step, index) => ({
    declared: checksOfStep(step, index),
    found: done.get(stepName(step, index)) ?? [],
  }))
  return {
    outline: outlineOf(loaded),
    checks: complete(title, results, stop),
    observations,
    durationMs: services.run.wall.monotonicMs() - startedMs,
  }
}

const EARLIER_FIRST =
  'What comes before this check in its scenario has to work first: see its transcript (--reporter html=report.html).'

const INTERRUPTED = 'the run was interrupted before this was over'

/** Why the rest of a scenario was not carried out. Anything unforeseen is our own fault, never the target's. */
export function stopFor(id: string, interrupted: () => boolean): (error: unknown) => Stop {
  return (error) => {
    if (interrupted()) return { verdict: 'not_run', note: INTERRUPTED, reason: 'interrupted' }
    if (error instanceof Open && error.verdict !== 'fail') {
      const { verdict, note, reason } = error
      return reason === undefined ? { verdict, note, todo: EARLIER_FIRST } : { verdict, note, reason }
    }
    const what = error instanceof Error ? `${error.name}: ${error.message}` : 'an unknown error'
    return { verdict: 'harness_error', note: `scenario ${id}: ${what}` }
  }
}

async function runSteps(
  services: Services,
  loaded: LoadedScenario,
  prefix: string,
  done: Map<string, PendingCheck[]>,
  observations: Observation[],
): Promise<Stop | null> {
  const { scenario } = loaded
  await checkCapabilities(services, loaded)
  services.run.budget.reserve(effectsOf(scenario))
  await learnUnits(services, scenario)
  await learnTime(services, scenario)
  const scenarioRun = await openScenarioRun(services, loaded, prefix, observations)
  try {
    await noteHistoryEnds(scenarioRun, null)
    for (const [index, step] of scenario.steps.entries()) {
      const name = stepName(step, index)
      checkGoesOn(services.run)
      const { checks, stop } = await runStep(scenarioRun, step, name).catch(lackingFor(scenarioRun, step, name))
      checkGoesOn(services.run)
      done.set(name, checks)
      scenarioRun.finishedAtMs.set(name, services.run.wall.monotonicMs())
      if (stop) return stop
      await noteHistoryEnds(scenarioRun, name)
    }
    return null
  } finally {
    await cleanUp(scenarioRun, scenario.cleanup ?? [])
  }
}

/** A step that cannot run because an earlier answer lacks a required value: its own checks fail, and the rest is skipped. */
function lackingFor(scenarioRun: ScenarioRun, step: Step, name: string): (error: unknown) => StepOutcome {
  return (error) => {
    if (!isOpen(error, 'fail')) throw error
    const judgment = failure(error.seen, error.note)
    const checks = expectationsOf(step).flatMap((expectation) =>
      showsOf(expectation).map((id) =>
        pendingCheck(name, id, expectationInWords(scenarioRun, expectation, step), null, judgment),
      ),
    )
    return { checks, stop: stopOf(scenarioRun, step, name, 'values of earlier answers', judgment) }
  }
}

/**
 * What a step saw while the run was being interrupted proves nothing: it may have stopped waiting for the rest.
 *
 * @throws Open (not_run)
 */
export function checkGoesOn({ signal }: Run): void {
  if (signal?.aborted) throw Open.notRun('interrupted', INTERRUPTED)
}

/**
 * An amount means nothing before its unit is known, and the first valid order shows it. The steps find out whether there is
 * one.
 */
async function learnUnits(services: Services, scenario: Scenario): Promise<void> {
  // The runner's own registration comes first: later, it would replace the scenario's.
  if (scenario.steps.some((step) => callOf(step)?.op === 'webhooks.put'))
    await services.bodies.templateOf('webhooks.put').catch(() => undefined)
  const op = scenario.steps.map(callOf).find(recordsOrder)?.op
  if (op) await services.bodies.templateOf(op).catch(() => undefined)
}

/**
 * An earlier run may have moved the time of the target, and what is created shows it. A control call that the scenario leads to
 * anyway then comes before its dates are reckoned.
 */
async function learnTime(services: Services, scenario: Scenario): Promise<void> {
  const templates = [scenario.steps, scenario.vars ?? {}] as unknown as Template
  if (services.run.learned.worldTimeKnown || !referencesIn(templates).some(([first]) => first === 'now')) return
  const ops = new Set(scenario.steps.map((step) => callOf(step)?.op))
  for (const op of OPS_WITH_TIME) if (ops.has(op)) await services.bodies.templateOf(op).catch(() => undefined)
}

async function openScenarioRun(
  services: Services,
  loaded: LoadedScenario,
  prefix: string,
  observations: Observation[],
): Promise<ScenarioRun> {
  const { scenario, id } = loaded
  const brokerable = scenario.steps.some((step) => callOf(step)?.op?.startsWith('brokerage.'))
  const leases = await Promise.all(
    Array.from({ length: sellableNeeded(scenario) }, () => services.fixtures.sellable(brokerable)),
  )
  const scenarioRun: ScenarioRun = {
    ...createClient(services.run, id, prefix),
    services,
    scenario,
    observations,
    records: new Map(),
    vars: new Map(),
    leases,
    past: new Map(),
    known: await knownFixtures(services, scenario),
    historyEnds: new Map(),
    hooks: await openHooks(services.run, scenario),
    finishedAtMs: new Map(),
    jar: createCookieJar(services.run.wall),
    latestPage: null,
  }
  for (const [name, template] of Object.entries(scenario.vars ?? {}))
    scenarioRun.vars.set(name, filled(scenarioRun, template))
  return { ...scenarioRun, past: await readPast(scenarioRun) }
}

/** Looks up only what the scenario names: every fixture costs calls. */
async function knownFixtures(services: Services, scenario: Scenario): Promise<Map<string, unknown>> {
  const names = new Set(
    referencesIn([scenario.steps, scenario.vars ?? {}, scenario.cleanup ?? []] as unknown as Template).map(
      ([first]) => first,
    ),
  )
  for (const need of scenario.needs ?? []) names.add(/^fixture\.([a-z_]+)/.exec(need)?.[1] ?? '')
  const known = new Map<string, unknown>()
  if (names.has('listed')) known.set('listed', await services.fixtures.listed())
  if (names.has('unlisted')) known.set('unlisted', { domain: services.fixtures.unlisted() })
  if (names.has('live_site')) known.set('live_site', { domain: await services.fixtures.liveSite() })
  if (names.has('topic')) known.set('topic', await services.fixtures.topic())
  if (names.has('webhook')) known.set('webhook', { url: await services.fixtures.webhookUrl() })
  return known
}

/** Clean-up always runs, even after an interruption; its failures change no verdict. */
async function cleanUp(interruptible: ScenarioRun, steps: readonly Step[]): Promise<void> {
  const run = { ...interruptible.run, signal: undefined }
  const scenarioRun = { ...interruptible, run, services: { ...interruptible.services, run } }
  for (const [index, step] of steps.entries())
    await runStep(scenarioRun, step, stepName(step, index)).catch(() => undefined)
}

const NEVER_REACHED: Stop = { verdict: 'harness_error', note: 'the check was declared but has no result' }

/**
 * Every declared check exactly once, done or not: a check that vanishes would look like one that never was. What a step has
 * shown beside follows its own.
 */
export function complete(
  title: string,
  steps: readonly { declared: readonly DeclaredCheck[]; found: readonly PendingCheck[] }[],
  stop: Stop | null,
): PendingCheck[] {
  return steps.flatMap(({ declared, found }) => {
    const left = [...found]
    const first = declared.map(({ step, requirement }) => {
      const at = left.findIndex((check) => check.step === step && check.requirement === requirement)
      const [done] = at === -1 ? [] : left.splice(at, 1)
      return done ?? undone(title, step, requirement, stop ?? NEVER_REACHED)
    })
    return [...first, ...left]
  })
}
