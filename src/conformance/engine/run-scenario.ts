import { openHooks } from '../context/open-receivers.ts'
import { createSpeaker } from '../context/run-context.ts'
import type { Desk, Session } from '../context/scenario-run.ts'
import { TELL_TIME } from '../context/target-clock.ts'
import { referencesIn } from '../format/expressions.ts'
import { sellableNeeded } from '../format/lint-scenario.ts'
import type { LoadedScenario, Scenario, Step, Template } from '../format/scenario.ts'
import { actionsOf, callOf, declaredChecks, expectationsOf, showsOf, stepName } from '../format/step-names.ts'
import { expectationInWords } from '../judge/describe.ts'
import { failure } from '../judge/judgement.ts'
import { type CheckDraft, draft, type StepOutcome, type Stop, undone } from '../judge/pending-checks.ts'
import { stopOf } from '../judge/premise.ts'
import { filled } from '../judge/references.ts'
import { createCookieJar } from '../pages/cookie-jar.ts'
import type { Observation } from '../result/result.ts'
import { Lacking, NotRun, Unproven } from '../result/signals.ts'
import { carryOutBurst, carryOutOperator, carryOutUntil } from '../steps/burst.ts'
import { carryOutCall } from '../steps/call.ts'
import { checkCapabilities } from '../steps/capabilities.ts'
import { carryOutOpen, carryOutSubmit } from '../steps/open-page.ts'
import { readPast } from '../steps/read-earlier-items.ts'
import { carryOutHistory, carryOutMark } from '../steps/read-events.ts'
import { carryOutHook } from '../steps/receive.ts'

/** A scenario that has been run, before the end of the run has settled what hangs on others. */
export interface ScenarioRun {
  loaded: LoadedScenario
  drafts: CheckDraft[]
  observations: Observation[]
  durationMs: number
}

/** Runs one scenario. Never throws: what goes wrong is in the checks, one for each the scenario declares. */
export async function runScenario(desk: Desk, loaded: LoadedScenario, prefix: string): Promise<ScenarioRun> {
  const startedMs = desk.campaign.wall.monotonicMs()
  const done = new Map<string, CheckDraft[]>()
  const observations: Observation[] = []
  const stop = await runSteps(desk, loaded, prefix, done, observations).catch(
    stopFor(loaded.id, () => desk.campaign.signal?.aborted ?? false),
  )
  return {
    loaded,
    drafts: complete(loaded.scenario, done, stop),
    observations,
    durationMs: desk.campaign.wall.monotonicMs() - startedMs,
  }
}

const EARLIER_FIRST =
  'What comes before this check in its scenario has to work first: see its transcript (--reporter html=report.html).'

const INTERRUPTED = 'the run was interrupted before this was over'

/** Why the rest of a scenario was not carried out. Anything unforeseen is our own fault, never the target's. */
function stopFor(id: string, interrupted: () => boolean): (error: unknown) => Stop {
  return (error) => {
    if (interrupted()) return { verdict: 'not_run', note: INTERRUPTED, reason: 'interrupted' }
    if (error instanceof NotRun) return { verdict: 'not_run', note: error.message, reason: error.reason }
    if (error instanceof Unproven) return { verdict: 'inconclusive', note: error.message, todo: EARLIER_FIRST }
    const what = error instanceof Error ? `${error.name}: ${error.message}` : 'an unknown error'
    return { verdict: 'harness_error', note: `scenario ${id}: ${what}` }
  }
}

async function runSteps(
  desk: Desk,
  loaded: LoadedScenario,
  prefix: string,
  done: Map<string, CheckDraft[]>,
  observations: Observation[],
): Promise<Stop | null> {
  const { scenario } = loaded
  await checkCapabilities(desk, loaded)
  desk.campaign.budget.reserve(scenario.effects ?? {})
  await learnUnits(desk, scenario)
  await learnTime(desk, scenario)
  const session = await openSession(desk, loaded, prefix, observations)
  try {
    for (const [index, step] of scenario.steps.entries()) {
      const name = stepName(step, index)
      checkGoesOn(desk)
      const { drafts, stop } = await carryOut(session, step, name).catch(lackingFor(session, step, name))
      checkGoesOn(desk)
      done.set(name, drafts)
      session.finishedAtMs.set(name, desk.campaign.wall.monotonicMs())
      if (stop) return stop
    }
    return null
  } finally {
    await cleanUp(session, scenario.cleanup ?? [])
  }
}

/** A step that cannot be made because an earlier answer lacks what had to be there: what it was to show fails, and the rest is off. */
function lackingFor(session: Session, step: Step, name: string): (error: unknown) => StepOutcome {
  return (error) => {
    if (!(error instanceof Lacking)) throw error
    const judgement = failure(error.message, error.detail)
    const drafts = expectationsOf(step).flatMap((expectation) =>
      showsOf(expectation).map((id) =>
        draft(name, id, expectationInWords(session, expectation, step), null, judgement),
      ),
    )
    return { drafts, stop: stopOf(session, step, name, 'values of earlier answers', judgement) }
  }
}

/**
 * What a step saw while the run was being interrupted proves nothing: it may have stopped waiting for the rest.
 *
 * @throws NotRun
 */
function checkGoesOn({ campaign: { signal } }: Desk): void {
  if (signal?.aborted) throw new NotRun('interrupted', INTERRUPTED)
}

/**
 * An amount means nothing before its unit is known, and the first sound order tells it. Whether there is one is for the
 * steps to find out.
 */
async function learnUnits(desk: Desk, scenario: Scenario): Promise<void> {
  // The runner's own registration comes first: later, it would replace the scenario's.
  if (scenario.steps.some((step) => callOf(step)?.op === 'webhooks.put'))
    await desk.bodies.templateOf('webhooks.put').catch(() => undefined)
  if (!scenario.steps.some((step) => callOf(step)?.op === 'orders.create')) return
  await desk.bodies.templateOf('orders.create').catch(() => undefined)
}

/**
 * An earlier run may have moved the time of the target, and what is created tells it. A control call that the scenario leads to
 * anyway then comes before its dates are reckoned.
 */
async function learnTime(desk: Desk, scenario: Scenario): Promise<void> {
  const templates = [scenario.steps, scenario.vars ?? {}] as unknown as Template
  if (desk.campaign.learnt.worldTimeKnown || !referencesIn(templates).some(([first]) => first === 'now')) return
  const ops = new Set(scenario.steps.map((step) => callOf(step)?.op))
  for (const op of TELL_TIME) if (ops.has(op)) await desk.bodies.templateOf(op).catch(() => undefined)
}

async function openSession(
  desk: Desk,
  loaded: LoadedScenario,
  prefix: string,
  observations: Observation[],
): Promise<Session> {
  const { scenario, id } = loaded
  const brokerable = scenario.steps.some((step) => callOf(step)?.op?.startsWith('brokerage.'))
  const leases = await Promise.all(
    Array.from({ length: sellableNeeded(scenario) }, () => desk.fixtures.sellable(brokerable)),
  )
  const session: Session = {
    ...createSpeaker(desk.campaign, id, prefix),
    desk,
    loaded,
    observations,
    records: new Map(),
    vars: new Map(),
    leases,
    past: new Map(),
    known: await knownFixtures(desk, scenario),
    latestMark: null,
    hooks: await openHooks(desk.campaign, scenario),
    finishedAtMs: new Map(),
    jar: createCookieJar(desk.campaign.wall),
    latestPage: null,
  }
  for (const [name, template] of Object.entries(scenario.vars ?? {})) session.vars.set(name, filled(session, template))
  return { ...session, past: await readPast(session) }
}

/** Looks up only what the scenario speaks of: every fixture costs calls. */
async function knownFixtures(desk: Desk, scenario: Scenario): Promise<Map<string, unknown>> {
  const names = new Set(
    referencesIn([scenario.steps, scenario.vars ?? {}, scenario.cleanup ?? []] as unknown as Template).map(
      ([first]) => first,
    ),
  )
  for (const need of scenario.needs ?? []) names.add(/^fixture\.([a-z_]+)/.exec(need)?.[1] ?? '')
  const known = new Map<string, unknown>()
  if (names.has('listed')) known.set('listed', await desk.fixtures.listed())
  if (names.has('unlisted')) known.set('unlisted', { domain: desk.fixtures.unlisted() })
  if (names.has('live_site')) known.set('live_site', { domain: await desk.fixtures.liveSite() })
  if (names.has('topic')) known.set('topic', await desk.fixtures.topic())
  if (names.has('webhook')) known.set('webhook', { url: await desk.fixtures.webhookUrl() })
  return known
}

function carryOut(session: Session, step: Step, name: string): Promise<StepOutcome> {
  if (step.call || step.resend !== undefined || step.retry !== undefined) return carryOutCall(session, step, name)
  if (step.burst) return carryOutBurst(session, step, name, step.burst)
  if (step.until) return carryOutUntil(session, step, name)
  if (step.mark) return carryOutMark(session, step, name)
  if (step.hook) return carryOutHook(session, step)
  if (step.open !== undefined) return carryOutOpen(session, step, name)
  if (step.submit) return carryOutSubmit(session, step, name)
  if (step.events || step.quiet || step.receive) return carryOutHistory(session, step, name)
  if (step.operator) return carryOutOperator(session, step, name)
  throw new RangeError(`step ${name} has no action (${actionsOf(step).length})`)
}

/** Clean-up runs whatever happened, an interruption included; what goes wrong in it changes no verdict. */
async function cleanUp(interruptible: Session, steps: readonly Step[]): Promise<void> {
  const campaign = { ...interruptible.campaign, signal: undefined }
  const session = { ...interruptible, campaign, desk: { ...interruptible.desk, campaign } }
  for (const [index, step] of steps.entries()) {
    await carryOut(session, step, stepName(step, index)).catch(() => undefined)
  }
}

const NEVER_REACHED: Stop = { verdict: 'harness_error', note: 'the check was declared and got lost' }

/** Every declared check exactly once, done or not: a check that vanishes would look like one that never was. */
function complete(scenario: Scenario, done: Map<string, CheckDraft[]>, stop: Stop | null): CheckDraft[] {
  const left = new Map([...done].map(([name, drafts]) => [name, [...drafts]]))
  return declaredChecks(scenario).map(({ step, requirement }) => {
    const drafts = left.get(step) ?? []
    const index = drafts.findIndex((candidate) => candidate.requirement === requirement)
    const [found] = index === -1 ? [] : drafts.splice(index, 1)
    return found ?? undone(scenario.title, step, requirement, stop ?? NEVER_REACHED)
  })
}
