import type { Run } from '../context/run-context.ts'
import type { Services } from '../context/scenario-run.ts'
import type { LoadedScenario, Step } from '../format/scenario.ts'
import { durationOf } from '../format/step-facts.ts'
import { isObject } from '../http/json-body.ts'
import { ConcurrencyLimit } from '../http/throttle.ts'
import type { Outline } from '../result/result.ts'
import { heldBackMs } from '../target/longest-wait.ts'
import type { Target } from '../target/target.ts'
import type { RunOptions } from './run-options.ts'
import { type FinishedScenario, runScenario } from './run-scenario.ts'
import type { Schedule } from './selection.ts'
import { createdBy, observed, settled } from './settle-scenario.ts'
import { openWorldFork } from './world-fork.ts'

const SCENARIOS_AT_ONCE = { loopback: 24, elsewhere: 3 } as const

/**
 * Runs side by side what may run side by side, then the rest: one after the other, or each in a world of its own where the run owns its
 * target. There, what waits long runs beside all others.
 */
export async function runAll(
  services: Services,
  { chosen, together, alone }: Schedule,
  options: Pick<RunOptions, 'concurrency' | 'onProgress' | 'ownsTarget'>,
): Promise<FinishedScenario[]> {
  const { run } = services
  const atOnce = options.concurrency ?? (run.loopback ? SCENARIOS_AT_ONCE.loopback : SCENARIOS_AT_ONCE.elsewhere)
  const numbers = new Map(chosen.map(({ id }, index) => [id, index + 1]))
  const runs: FinishedScenario[] = []
  const runOne = async (at: Services, loaded: LoadedScenario): Promise<void> => {
    const { id, scenario } = loaded
    const work = () => runScenario(at, loaded, `s${numbers.get(id)}`)
    runs.push(...(await withProgress(run, { id, title: scenario.title }, options.onProgress, work)))
  }
  const runInOwnWorld = async (loaded: LoadedScenario): Promise<void> => {
    if (run.earlyStop.why !== null) return
    const fork = await openWorldFork(services, `w${numbers.get(loaded.id)}`)
    await runOne(fork.services, loaded)
    await fork.close()
  }
  const limit = new ConcurrencyLimit(atOnce)
  const each = (scenarios: readonly LoadedScenario[], work: (loaded: LoadedScenario) => Promise<void>) =>
    Promise.all(scenarios.map((loaded) => limit.within(() => work(loaded))))
  const here = (loaded: LoadedScenario): Promise<void> => runOne(services, loaded)
  if (options.ownsTarget) {
    const { waiting, brief } = byWait(run.target, alone)
    // A copy of a world without any history would hide what needs some, and a copy of a full one takes longer.
    const inOrder = longestFirst(together)
    const [first, others] = [inOrder.slice(0, atOnce), inOrder.slice(atOnce)]
    await Promise.all([
      each(waiting, runInOwnWorld),
      each(first, here).then(() => Promise.all([each(longestFirst(brief), runInOwnWorld), each(others, here)])),
    ])
  } else {
    await each(together, here)
    for (const loaded of alone) await here(loaded)
  }
  return runs
}

/** Carries one scenario out, and shows its beginning and its end; nothing once the run is to end. */
export async function withProgress(
  run: Run,
  { id, title }: Pick<Outline, 'id' | 'title'>,
  onProgress: RunOptions['onProgress'],
  work: () => Promise<FinishedScenario>,
): Promise<FinishedScenario[]> {
  if (run.earlyStop.why !== null) return []
  onProgress?.({ kind: 'scenario-started', id, title })
  const finished = await work()
  const provisional = finished.checks.some(({ awaited, guessed }) => awaited !== undefined || guessed !== undefined)
  const result = settled(run, finished)
  run.earlyStop.note(result)
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

/** What waits long, the longest first, and the rest. */
function byWait(target: Target, scenarios: readonly LoadedScenario[]) {
  const waits = (loaded: LoadedScenario): number => waitOf(target, loaded)
  const waiting = scenarios.filter((loaded) => waits(loaded) >= LONG_WAIT_MS)
  return {
    waiting: waiting.sort((a, b) => waits(b) - waits(a)),
    brief: scenarios.filter((loaded) => waits(loaded) < LONG_WAIT_MS),
  }
}

function waitOf(target: Target, { scenario: { steps } }: LoadedScenario): number {
  return steps.reduce((totalMs, step) => totalMs + waitOfStep(target, step), 0)
}

/** How long a step waits by what it says itself: an answer that its hook holds back, a silence that it watches, a limit that it sets. */
function waitOfStep(target: Target, { hook, events, operator }: Step): number {
  const heldBack = hook ? heldBackMs(target, hook.answer) : 0
  return heldBack + (durationOf(events?.none_for) ?? 0) + windowOf(operator?.rate_limit)
}

function windowOf(limit: unknown): number {
  return isObject(limit) && typeof limit.per_seconds === 'number' ? limit.per_seconds * 1_000 : 0
}
