import { parseDuration } from '../../clock/duration.ts'
import { isObject } from '../../contract/is-object.ts'
import { fits } from '../../contract/words.ts'
import { sendToOperator } from '../context/operator.ts'
import { type NewDomain, type Run, UNKNOWN_CLOCK, UNKNOWN_PACE } from '../context/run.ts'
import type { LoadedScenario, Step } from '../format/scenario.ts'
import { effectsOf, outlineOf, runsAlone, tagsOf } from '../format/step-facts.ts'
import { isAccepted } from '../http/exchange.ts'
import { ConcurrencyLimit } from '../http/throttle.ts'
import { baseOf, byId, type Outline, rowOf } from '../result/result.ts'
import { atSandbox, withSandboxActions } from '../target/own-sandbox.ts'
import { heldBackMs, isElsewhere, type Target, type TargetCredential } from '../target/target.ts'
import { completeRun } from './open-run.ts'
import type { RunOptions } from './run-options.ts'
import { createdBy, observed, settled } from './run-report.ts'
import { type FinishedScenario, runScenario } from './run-scenario.ts'

const SCENARIOS_AT_ONCE = { loopback: 24, elsewhere: 3 } as const

/**
 * Runs side by side what may run side by side, then the rest: one after the other, or each in a world of its own where the run owns its
 * target. There, what waits long runs beside all others. What is about all of them comes last.
 */
export async function runAll(
  run: Run,
  { chosen, together, alone, last }: Schedule,
  options: Pick<RunOptions, 'bail' | 'concurrency' | 'onProgress' | 'ownsTarget'>,
): Promise<FinishedScenario[]> {
  // Those beside the one whose failure ends the run would fail as well.
  const atOnce = Math.min(options.concurrency ?? SCENARIOS_AT_ONCE[run.place], options.bail ?? Number.POSITIVE_INFINITY)
  const numbers = new Map(chosen.map(({ id }, index) => [id, index + 1]))
  const runs: FinishedScenario[] = []
  const runOne = async (loaded: LoadedScenario, at = run, later?: Later): Promise<void> => {
    const { id, scenario } = loaded
    const work = async () => {
      const finished = await runScenario(at, loaded, `s${numbers.get(id)}`)
      const queue = later?.(loaded, finished) ?? null
      queue?.push(loaded)
      return queue === null ? finished : null
    }
    runs.push(...(await withProgress(run, { id, title: scenario.title }, options.onProgress, work)))
  }
  const runInOwnWorld = async (loaded: LoadedScenario): Promise<void> => {
    if (run.end.why !== null) return
    const fork = await openWorldFork(run, `w${numbers.get(loaded.id)}`)
    await runOne(loaded, fork.run)
    await fork.close()
  }
  const limit = new ConcurrencyLimit(atOnce)
  const each = (scenarios: readonly LoadedScenario[], work: (loaded: LoadedScenario) => Promise<void>) =>
    Promise.all(scenarios.map((loaded) => limit.within(() => work(loaded))))
  if (options.ownsTarget) {
    const waits = new Map(
      alone.map((loaded) => [loaded, loaded.scenario.steps.reduce((ms, step) => ms + waitOfStep(run.target, step), 0)]),
    )
    const waitOf = (loaded: LoadedScenario): number => waits.get(loaded) ?? 0
    const waiting = alone.filter((loaded) => waitOf(loaded) >= LONG_WAIT_MS).sort((a, b) => waitOf(b) - waitOf(a))
    const brief = alone.filter((loaded) => waitOf(loaded) < LONG_WAIT_MS)
    // A copy of a world without any history would hide what needs some, and a copy of a full one takes longer.
    const inOrder = longestFirst(together)
    const [first, others] = [inOrder.slice(0, atOnce), inOrder.slice(atOnce)]
    await Promise.all([
      each(waiting, runInOwnWorld),
      each(first, runOne).then(() => Promise.all([each(longestFirst(brief), runInOwnWorld), each(others, runOne)])),
    ])
  } else {
    // Of a few domains, those that run beside each other hold all; what got none runs once they are given back. What only reads and
    // could not read all runs again when more of the target is known.
    const lacking: LoadedScenario[] = []
    const unread: LoadedScenario[] = []
    const later: Later = (loaded, finished) =>
      lackedDomains(finished) ? lacking : lackedNames(loaded, finished) ? unread : null
    await each(together, (loaded) => runOne(loaded, run, later))
    for (const loaded of [...lacking, ...alone, ...unread]) await runOne(loaded)
  }
  for (const loaded of last) await runOne(loaded)
  return runs
}

/** The queue of the scenarios that run again, if this one is to. */
type Later = (loaded: LoadedScenario, finished: FinishedScenario) => LoadedScenario[] | null

/** Whether a scenario was not begun for want of a domain. */
function lackedDomains({ checks }: FinishedScenario): boolean {
  return checks.every(({ verdict }) => verdict === 'not_run') && checks.some(({ reason }) => reason === 'needs-fixture')
}

/** Whether a scenario that changes nothing lacked the name or the place of something, and was not found wrong in anything. */
function lackedNames({ scenario }: LoadedScenario, { checks }: FinishedScenario): boolean {
  return (
    Object.keys(effectsOf(scenario)).length === 0 &&
    checks.some(({ reason }) => reason === 'needs-dialect') &&
    checks.every(({ verdict }) => verdict !== 'fail' && verdict !== 'inconclusive' && verdict !== 'harness_error')
  )
}

/** Carries one scenario out, and shows its beginning and its end; nothing once the run is to end, and no end of one that is to run later. */
export async function withProgress(
  run: Run,
  { id, title }: Pick<Outline, 'id' | 'title'>,
  onProgress: RunOptions['onProgress'],
  work: () => Promise<FinishedScenario | null>,
): Promise<FinishedScenario[]> {
  if (run.end.why !== null) return []
  onProgress?.({ kind: 'scenario-started', id, title })
  const finished = await work()
  if (finished === null) return []
  const provisional = finished.checks.some(({ waitsFor }) => waitsFor !== undefined)
  const result = settled(run, finished)
  if (result.verdict === 'fail') run.end.noteFailure()
  onProgress?.({
    kind: 'scenario-finished',
    result,
    provisional,
    // Only a log needs these; the list of what was made grows with every scenario.
    get observations() {
      return observed(run, [finished])
    },
    get created() {
      return createdBy(run)
    },
  })
  return [finished]
}

/** By their steps; a long one that begins last would run alone. */
function longestFirst(scenarios: readonly LoadedScenario[]): LoadedScenario[] {
  return [...scenarios].sort((a, b) => b.scenario.steps.length - a.scenario.steps.length)
}

/** Worth starting with, so that the others run meanwhile. */
const LONG_WAIT_MS = 1_000

/** How long a step waits by what it says itself: an answer that its hook holds back, a silence that it watches, a limit that it sets. */
function waitOfStep(target: Target, { hook, events, operator }: Step): number {
  const heldBack = hook ? heldBackMs(target, hook.answer) : 0
  return heldBack + (parseDuration(events?.none_for ?? '') ?? 0) + windowOf(operator?.rate_limit)
}

function windowOf(limit: unknown): number {
  return isObject(limit) && typeof limit.per_seconds === 'number' ? limit.per_seconds * 1_000 : 0
}

/** A run in a copy of the target's world: what happens there disturbs no other scenario. */
interface WorldFork {
  readonly run: Run
  close(): Promise<void>
}

/**
 * A copy of the target's world as it stands. Only for a sandbox that was started for this run: no other run uses its worlds, and all of
 * them are broken, or valid, and fill open points alike.
 *
 * @param worldPrefix begins the ids of exchanges in the copy.
 * @throws Error if the operator makes no copy.
 */
async function openWorldFork(main: Run, worldPrefix: string): Promise<WorldFork> {
  const domains = await main.fixtures.forCopies()
  const target = await forked(main)
  return {
    run: inFork(main, target, worldPrefix, domains),
    close: async () => void (await ask(main, target, 'DELETE', '')),
  }
}

/**
 * What the target accepts anywhere is evidence everywhere, and so are its dialect and how fast its history is;
 * what a world holds, and what time it is there, is its own. What is created there goes with it, so it is not listed among what the
 * run leaves behind.
 */
function inFork(main: Run, target: Target, worldPrefix: string, domains: readonly NewDomain[]): Run {
  const { historyLagMs, historyGrowsAt } = main.pace
  const state = {
    ...main,
    target,
    worldPrefix,
    copiedFrom: main,
    created: [],
    made: [],
    past: new Map(),
    unusedHook: null,
    clock: { ...UNKNOWN_CLOCK, offsetMs: main.clock.offsetMs, startedAtMs: main.clock.startedAtMs },
    pace: { ...structuredClone(UNKNOWN_PACE), historyLagMs, historyGrowsAt },
  }
  return completeRun(state, { domains })
}

/** The same target in a copy of its world. */
async function forked(run: Run): Promise<Target> {
  const { target } = run
  const answer = await ask(run, target, 'POST', '/fork')
  if (!target.operator || !isAccepted(answer) || !isObject(answer.json)) throw new Error(NO_COPY)
  const { world, credentials } = answer.json
  const keys = new Map((credentials as HandedKey[]).map((handed) => [handed.name, handed]))
  const own = target.credentials.flatMap((known): TargetCredential[] => {
    const handed = keys.get(known.name)
    if (isElsewhere(target, known)) return [known]
    return handed ? [{ ...known, keyId: handed.key_id, secret: handed.secret }] : []
  })
  if (own.length < target.credentials.length) throw new Error(NO_COPY)
  for (const { secret } of own) run.redactor.add(secret)
  return withSandboxActions({
    ...target,
    credentials: own,
    operator: { ...target.operator, world: String(world), actions: {} },
  })
}

const NO_COPY = 'the sandbox of this run makes no copy of its world'

interface HandedKey {
  name: string
  key_id: string
  secret: string
}

/** Its answers hold secrets and prove nothing, so the transcript leaves them out. */
async function ask(run: Run, target: Target, method: string, path: string) {
  if (!target.operator?.url) return null
  const json = method === 'POST' ? {} : undefined
  return (await sendToOperator(run, atSandbox(target.operator, method, path, json))).answer
}

/**
 * Whether a scenario passes a filter.
 *
 * @param loaded absent for a scenario without a file, which has no tags and makes no order.
 * @example selects({ scenarios: ['auth/*'] }, outlineOf(loaded), loaded)
 */
export function selects(
  filter: RunOptions['only'],
  { id, checks }: Pick<Outline, 'id' | 'checks'>,
  loaded?: LoadedScenario,
): boolean {
  if (!filter) return true
  const { scenarios, requirements, tags, profile, orders } = filter
  if (orders === 'none' && loaded && (effectsOf(loaded.scenario).orders ?? 0) > 0) return false
  const ownTags = tags && loaded ? tagsOf(loaded) : []
  const shown = new Set(checks.map(({ requirement }) => requirement))
  return (
    (scenarios === undefined || scenarios.some((pattern) => fits(pattern, id) || pattern === baseOf(id))) &&
    (requirements === undefined || requirements.some((pattern) => fitsAny(pattern, shown))) &&
    (profile === undefined || profile.some((requirement) => shown.has(requirement))) &&
    (tags === undefined || tags.some((tag) => ownTags.includes(tag)))
  )
}

export function selected(filter: RunOptions['only'], scenarios: readonly LoadedScenario[]): LoadedScenario[] {
  return scenarios.filter((loaded) => selects(filter, outlineOf(loaded), loaded))
}

function fitsAny(pattern: string, texts: ReadonlySet<string>): boolean {
  return texts.has(pattern) || (pattern.includes('*') && [...texts].some((text) => fits(pattern, text)))
}

/** What a run does, and in which order; its plan, its rehearsal and the run itself go by the same. */
interface Schedule {
  chosen: readonly LoadedScenario[]
  /** What the filter has left out. */
  left: readonly LoadedScenario[]
  /** Those that may run beside others, in order of their ids; further rows of a file come after all else, so that a budget is not spent on one rule. */
  together: readonly LoadedScenario[]
  /** Those that must run alone, after them. */
  alone: readonly LoadedScenario[]
  /** Those about all that the others have made. */
  last: readonly LoadedScenario[]
  /** Those three, in the order in which they run. */
  running: readonly LoadedScenario[]
  /** Rows of files that the budget leaves no room for, and which rows run instead. */
  beyondBudget: readonly { loaded: LoadedScenario; note: string }[]
}

/** What of the scenarios runs, where the target allows so many requests. */
export function scheduleOf(
  filter: RunOptions['only'],
  scenarios: readonly LoadedScenario[],
  requests: number,
): Schedule {
  const chosen = selected(filter, scenarios)
  const firsts: LoadedScenario[] = []
  const further: LoadedScenario[] = []
  const begun = new Set<string>()
  for (const loaded of [...chosen].sort(byId)) {
    const isFirst = rowOf(loaded.id) === null || !begun.has(baseOf(loaded.id))
    if (isFirst) firsts.push(loaded)
    else further.push(loaded)
    begun.add(baseOf(loaded.id))
  }
  const sorted = [...firsts, ...further]
  const beyondBudget = Number.isFinite(requests) ? beyond(requests, chosen) : []
  const withoutRoom = new Set(beyondBudget.map(({ loaded }) => loaded))
  const fitting = sorted.filter((loaded) => !withoutRoom.has(loaded))
  const before = fitting.filter(({ scenario }) => scenario.effects?.last !== true)
  const together = before.filter(({ scenario }) => !runsAlone(scenario))
  const alone = before.filter(({ scenario }) => runsAlone(scenario))
  const last = fitting.filter((loaded) => !before.includes(loaded))
  const left = scenarios.filter((loaded) => !chosen.includes(loaded))
  return { chosen, left, together, alone, last, running: [...together, ...alone, ...last], beyondBudget }
}

/** A call and, for most refusals, a share of its twin. */
const REQUESTS_A_STEP = 1.2

/**
 * What does not fit into a budget of requests. Rows of the same file say the same of different things, so that of each file as
 * many are left out as it takes, evenly; its first row stays.
 */
function beyond(requests: number, chosen: readonly LoadedScenario[]): Schedule['beyondBudget'] {
  const rows = chosen.filter(({ id }) => rowOf(id) !== null)
  const forRows = requests - costOf(chosen.filter(({ id }) => rowOf(id) === null))
  if (costOf(rows) <= forRows) return []
  const share = Math.max(0, forRows / costOf(rows))
  const files = new Set(rows.map(({ id }) => baseOf(id)))
  return [...files].flatMap((file) =>
    rest(
      rows.filter(({ id }) => baseOf(id) === file),
      share,
    ),
  )
}

function costOf(scenarios: readonly LoadedScenario[]): number {
  return scenarios.reduce((total, { scenario }) => total + scenario.steps.length * REQUESTS_A_STEP, 0)
}

/** The rows of a file that are left out, where this share of them runs. */
function rest(ofFile: readonly LoadedScenario[], share: number): Schedule['beyondBudget'] {
  const count = Math.max(1, Math.floor(ofFile.length * share))
  const kept = new Set(Array.from({ length: count }, (_, index) => ofFile[Math.floor((index * ofFile.length) / count)]))
  const names = [...kept].map((loaded) => rowOf(loaded?.id ?? '')).join(', ')
  const note = `the budget of requests has no room for every row of this file; these run: ${names}`
  return ofFile.filter((loaded) => !kept.has(loaded)).map((loaded) => ({ loaded, note }))
}
