import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { WallClock } from '../clock/wall-clock.ts'
import { isAccepted } from './answer.ts'
import { createBodies } from './bodies.ts'
import { createBudget } from './budget.ts'
import { type Campaign, createSpeaker } from './campaign.ts'
import { createCast } from './cast.ts'
import { checkOperatorWorld } from './check-operator.ts'
import { evidenceOf } from './control.ts'
import type { CheckDraft } from './drafts.ts'
import { createEvidence } from './evidence.ts'
import type { Exchange } from './exchange.ts'
import { createFixtures } from './fixtures.ts'
import { createEventBook } from './history.ts'
import { createParams } from './params.ts'
import { planOf, type RunPlan } from './plan.ts'
import { createReceiver } from './receiver.ts'
import { createRedactor } from './redact.ts'
import { checkMainIsTaken } from './refused-credential.ts'
import type { RequirementRegistry } from './requirements.ts'
import type { CheckResult, RedactedExchange, RunResult, ScenarioResult } from './result.ts'
import { reportRun } from './run-report.ts'
import { runScenario, type ScenarioRun } from './run-scenario.ts'
import type { LoadedScenario } from './scenario.ts'
import { inOrder, type RunFilter, selects } from './selection.ts'
import { createSender } from './send.ts'
import { closeSenders } from './senders.ts'
import type { Desk } from './session.ts'
import { declaredChecks } from './steps.ts'
import { ordersAllowed, type Target } from './target.ts'
import { probe, readClock } from './target-clock.ts'
import { isLoopback } from './target-raw.ts'
import { worstOf } from './verdict.ts'

export type { RunPlan } from './plan.ts'
export type { RunFilter } from './selection.ts'

export type Progress =
  | { kind: 'planned'; plan: RunPlan }
  | { kind: 'scenario-started'; id: string; title: string }
  | { kind: 'exchange'; scenario: string; exchange: RedactedExchange }
  | { kind: 'check'; scenario: string; check: CheckResult }
  /** Verdicts of refused writes may still change until the run is over; `provisional` says so. */
  | { kind: 'scenario-finished'; result: ScenarioResult; provisional: boolean }
  | { kind: 'waiting'; scenario: string; why: string; forMs: number }

export interface RunOptions {
  target: Target
  scenarios: readonly LoadedScenario[]
  registry: RequirementRegistry
  only?: RunFilter
  /** Requirement ids that the run's verdict is about; every observable `must` row if absent. */
  profile?: readonly string[]
  wall: WallClock
  randomUuid?: () => string
  onProgress?: (progress: Progress) => void
  signal?: AbortSignal
  /** Asks a person to do something; true once it is done. */
  ask?: (request: string) => Promise<boolean>
  /** The longest real wait that a scenario may take for an operator's clock. */
  maxWaitMs?: number
  toolVersion: string
  /**
   * The credentials may be wrong: where every first call of main is refused for who calls, the run ends with a
   * CredentialRefusedError. Where absent they are known to be good, and such refusals count against the target.
   */
  doubtsCredentials?: boolean
  /** Scenarios at once; many on loopback and few elsewhere if absent. */
  concurrency?: number
}

/** The target answered nothing at all before the first check (exit code 6). */
export class TargetUnreachableError extends Error {
  override name = 'TargetUnreachableError'
}

/**
 * Replays the scenarios against the target and judges, requirement by requirement, what it does.
 *
 * @throws TargetUnreachableError where the very first call gets no answer at all, OperatorUnusableError where the operator
 * that was named has no such world, CredentialRefusedError (see `doubtsCredentials`).
 * @example const { verdict } = await runConformance({ target, scenarios, registry, wall: wallClock, toolVersion })
 */
export async function runConformance(options: RunOptions): Promise<RunResult> {
  if (options.signal) setMaxListeners(0, options.signal) // Every call under way listens.
  const { wall } = options
  const startedAtMs = wall.nowMs()
  const startedMs = wall.monotonicMs()
  const selected = options.scenarios.filter((loaded) => selects(options.only, loaded))
  const exchanges = new Map<string, Exchange>()
  const campaign = createCampaign(options, exchanges)
  try {
    const desk = createDesk(campaign)
    options.onProgress?.({ kind: 'planned', plan: planOf(desk, selected) })
    if (selected.length > 0) await sayHello(desk, options.doubtsCredentials ?? false)
    const runs = await runAll(desk, selected, options)
    const scenarios = [...runs.map((run) => settled(campaign, run)), ...filteredOut(options, selected)].sort((a, b) =>
      a.id < b.id ? -1 : 1,
    )
    for (const { id, checks } of scenarios)
      for (const check of checks) options.onProgress?.({ kind: 'check', scenario: id, check })
    const observations = runs.flatMap((run) => run.observations)
    return reportRun(campaign, scenarios, {
      toolVersion: options.toolVersion,
      profile: options.profile,
      observations,
      exchanges,
      startedAtMs,
      durationMs: Math.round(wall.monotonicMs() - startedMs),
    })
  } finally {
    campaign.sender.close()
    closeSenders(campaign)
    await campaign.receiver?.close()
  }
}

/** Longest answer that is read. */
const MAX_BODY_BYTES = 4 * 1024 * 1024

function createCampaign(options: RunOptions, exchanges: Map<string, Exchange>): Campaign {
  const { target, wall, onProgress } = options
  const redactor = createRedactor([
    ...target.credentials.map(({ secret }) => secret),
    ...(target.operator?.token ? [target.operator.token] : []),
    ...operatorSecrets(target),
  ])
  const uuid = options.randomUuid ?? randomUUID
  const senderOptions = { origin: target.url, timeoutMs: target.timeoutMs, maxBodyBytes: MAX_BODY_BYTES, wall }
  const budget = { ...target.budget, orders: ordersAllowed(target) }
  return {
    target,
    registry: options.registry,
    wall,
    uuid,
    signal: options.signal,
    runId: uuid().replaceAll('-', '').slice(0, 10),
    sender: createSender(senderOptions),
    senderOptions,
    budget: createBudget(budget, wall),
    receiver: target.receiver === null ? null : createReceiver({ ...target.receiver, wall }),
    redactor,
    evidence: createEvidence(),
    created: [],
    learnt: {
      clockOffsetMs: 0,
      skewMs: 0,
      advancedMs: 0,
      recordedAtMs: new Map(),
      historyLagMs: null,
      hookLagMs: null,
      deliveredOrders: new Set(),
      cursorNames: new Map(),
      paymentModels: {},
      priceUnit: target.dialect.priceUnit,
      amountUnit: null,
    },
    onExchange(scenario, exchange) {
      exchanges.set(exchange.id, exchange)
      onProgress?.({ kind: 'exchange', scenario, exchange: redactor.exchange(exchange) })
    },
    onWait: (scenario, why, forMs) => onProgress?.({ kind: 'waiting', scenario, why, forMs }),
    ask: options.ask,
    maxWaitMs: options.maxWaitMs ?? 0,
    loopback: isLoopback(target.url),
  }
}

/** Headers of operator requests usually carry a token. */
function operatorSecrets(target: Target): string[] {
  return Object.values(target.operator?.actions ?? {}).flatMap((request) =>
    Object.entries(request?.headers ?? {}).flatMap(([name, value]) =>
      /authorization|token|key|secret/i.test(name) ? [value, value.replace(/^\w+ /, '')] : [],
    ),
  )
}

function createDesk(campaign: Campaign): Desk {
  const cast = createCast(campaign)
  const fixtures = createFixtures(campaign, cast)
  const events = createEventBook()
  return {
    campaign,
    cast,
    fixtures,
    events,
    bodies: createBodies(campaign, cast, fixtures, events),
    params: createParams(campaign, cast),
  }
}

/** One sound read: is anybody there, what time is it there, and are we known? */
async function sayHello(desk: Desk, doubtsCredentials: boolean): Promise<void> {
  const { campaign, cast } = desk
  const speaker = createSpeaker(campaign, 'hello', 'h')
  const first = await probe(speaker, cast.main)
  const answer = first ?? (await probe(speaker, cast.main))
  if (!answer) throw new TargetUnreachableError(`${campaign.target.url} gives no answer`)
  readClock(campaign, answer)
  if (doubtsCredentials && !isAccepted(answer)) await checkMainIsTaken(speaker, desk)
  await checkOperatorWorld(speaker)
}

const SCENARIOS_AT_ONCE = { loopback: 24, elsewhere: 3 } as const

/** Those that may run side by side first, then those that may not, one after the other. */
async function runAll(desk: Desk, selected: readonly LoadedScenario[], options: RunOptions): Promise<ScenarioRun[]> {
  const { campaign } = desk
  const atOnce = options.concurrency ?? (campaign.loopback ? SCENARIOS_AT_ONCE.loopback : SCENARIOS_AT_ONCE.elsewhere)
  const { together, alone } = inOrder(selected)
  const numbers = new Map(selected.map(({ id }, index) => [id, index + 1]))
  const runs: ScenarioRun[] = []
  const runOne = async (loaded: LoadedScenario): Promise<void> => {
    options.onProgress?.({ kind: 'scenario-started', id: loaded.id, title: loaded.scenario.title })
    const run = await runScenario(desk, loaded, `s${numbers.get(loaded.id)}`)
    runs.push(run)
    const provisional = run.drafts.some(({ awaited }) => awaited !== undefined)
    options.onProgress?.({ kind: 'scenario-finished', result: settled(campaign, run), provisional })
  }
  const queue = [...together]
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) await runOne(next)
  }
  await Promise.all(Array.from({ length: Math.max(1, atOnce) }, worker))
  for (const loaded of alone) await runOne(loaded)
  return runs
}

/** Turns drafts into checks: what hung on an acceptance elsewhere in the run is decided by whether it was seen. */
function settled(campaign: Campaign, run: ScenarioRun): ScenarioResult {
  const checks = run.drafts.map((draft) => clean(campaign, decided(campaign, draft)))
  const { id, file, scenario } = run.loaded
  return {
    id,
    title: scenario.title,
    file,
    verdict: worstOf(checks.map(({ verdict }) => verdict)),
    durationMs: Math.round(run.durationMs),
    checks,
  }
}

function decided(campaign: Campaign, { awaited, ...check }: CheckDraft): CheckResult {
  if (awaited === undefined) return check
  const seen = evidenceOf({ campaign }, awaited)
  if (seen?.kind === 'worked') return { ...check, twin: seen.words }
  const note = `no sound call of ${awaited.op ?? 'any operation'} was accepted in this run, so this refusal proves nothing`
  return { ...check, verdict: 'inconclusive', note }
}

function clean(campaign: Campaign, check: CheckResult): CheckResult {
  const text = campaign.redactor.text
  return {
    ...check,
    expected: text(check.expected),
    actual: text(check.actual),
    ...(check.note === undefined ? {} : { note: text(check.note) }),
  }
}

/** Scenarios that a filter left out still say that their checks were not run. */
function filteredOut(options: RunOptions, selected: readonly LoadedScenario[]): ScenarioResult[] {
  return options.scenarios
    .filter((loaded) => !selected.includes(loaded))
    .map(({ id, file, scenario }) => ({
      id,
      title: scenario.title,
      file,
      verdict: 'not_run' as const,
      durationMs: 0,
      checks: declaredChecks(scenario).map(({ step, requirement }) => ({
        step,
        requirement,
        verdict: 'not_run' as const,
        expected: '',
        actual: 'not carried out',
        exchange: null,
        reason: 'filtered' as const,
      })),
    }))
}
