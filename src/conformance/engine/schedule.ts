import type { Services } from '../context/scenario-run.ts'
import { durationOf } from '../format/duration-of.ts'
import type { LoadedScenario, Step } from '../format/scenario.ts'
import { isObject } from '../http/json-body.ts'
import type { RunOptions } from './run-options.ts'
import { type FinishedScenario, runScenario } from './run-scenario.ts'
import { dearestFirst, type Schedule } from './selection.ts'
import { createdBy, observed, settled } from './settle-scenario.ts'
import { openWorldTemplate, type WorldFork } from './world-fork.ts'

const SCENARIOS_AT_ONCE = { loopback: 24, elsewhere: 3 } as const

type RunOne = (services: Services, loaded: LoadedScenario) => Promise<void>

/**
 * Those that may run side by side first, then those that may not, one after the other: or all at once, where the run owns its
 * target.
 *
 * @param first number of the first one, which distinguishes exchanges.
 */
export async function runAll(
  services: Services,
  { chosen, together, alone }: Schedule,
  options: Pick<RunOptions, 'concurrency' | 'onProgress' | 'ownsTarget'>,
  first = 1,
): Promise<FinishedScenario[]> {
  const { run } = services
  const atOnce = options.concurrency ?? (run.loopback ? SCENARIOS_AT_ONCE.loopback : SCENARIOS_AT_ONCE.elsewhere)
  const numbers = new Map(chosen.map(({ id }, index) => [id, first + index]))
  const runs: FinishedScenario[] = []
  const runOne: RunOne = async (at, loaded) => {
    if (run.earlyStop.why !== null) return
    options.onProgress?.({ kind: 'scenario-started', id: loaded.id, title: loaded.scenario.title })
    const finished = await runScenario(at, loaded, `s${numbers.get(loaded.id)}`)
    runs.push(finished)
    const provisional = finished.checks.some(({ awaited, guessed }) => awaited !== undefined || guessed !== undefined)
    const result = settled(run, finished)
    run.earlyStop.note(result)
    options.onProgress?.({
      kind: 'scenario-finished',
      result,
      provisional,
      observations: observed(run, [finished]),
      // Only a log needs this; the list of what was made grows with every scenario.
      get created() {
        return createdBy(run)
      },
    })
  }
  const here = (loaded: LoadedScenario): Promise<void> => runOne(services, loaded)
  if (options.ownsTarget) {
    await runBesideOthers(services, { together, alone }, atOnce, {
      here,
      aside: ({ services: side }, loaded) => runOne(side, loaded),
      laneOf: ({ id }) => `w${numbers.get(id)}`,
    })
    return runs
  }
  await inParallel(together, atOnce, here)
  await inParallel(alone, 1, here)
  return runs
}

interface Ways {
  here(loaded: LoadedScenario): Promise<void>
  aside(fork: WorldFork, loaded: LoadedScenario): Promise<void>
  laneOf(loaded: LoadedScenario): string
}

/** All side by side: those that must run alone, each in a copy of the world as the run found it, so that none depends on others. */
async function runBesideOthers(
  services: Services,
  { together, alone }: Pick<Schedule, 'together' | 'alone'>,
  atOnce: number,
  { here, aside, laneOf }: Ways,
): Promise<void> {
  const { earlyStop } = services.run
  if (earlyStop.why !== null) return
  const template = alone.length > 0 ? await openWorldTemplate(services) : null
  const inCopy = new Set(alone)
  await inParallel(longestFirst(together, alone), atOnce, async (loaded) => {
    if (!template || !inCopy.has(loaded)) return here(loaded)
    if (earlyStop.why !== null) return
    const fork = await template.copy(laneOf(loaded))
    await aside(fork, loaded)
    await fork.close()
  })
  await template?.close()
}

/** What waits goes first, so that the others run meanwhile; those in copies go last, since they use what others have found out. */
function longestFirst(together: readonly LoadedScenario[], alone: readonly LoadedScenario[]): LoadedScenario[] {
  const waiting = alone.filter((loaded) => waitOf(loaded) >= LONG_WAIT_MS)
  const brief = alone.filter((loaded) => waitOf(loaded) < LONG_WAIT_MS)
  return [...waiting.sort((a, b) => waitOf(b) - waitOf(a)), ...dearestFirst(together), ...dearestFirst(brief)]
}

/** Worth starting with, so that the others run meanwhile. */
const LONG_WAIT_MS = 1_000

function waitOf({ scenario: { steps } }: LoadedScenario): number {
  return steps.reduce((totalMs, step) => totalMs + waitOfStep(step), 0)
}

/** How long a step waits by what it says itself: an answer that its hook holds back, a silence that it watches, a limit that it sets. */
function waitOfStep({ hook, quiet, operator }: Step): number {
  const answer = hook?.answer
  const heldBack = typeof answer === 'object' && 'after' in answer ? answer.after : undefined
  return (durationOf(heldBack) ?? 0) + (durationOf(quiet?.for) ?? 0) + windowOf(operator?.rate_limit)
}

function windowOf(limit: unknown): number {
  return isObject(limit) && typeof limit.per_seconds === 'number' ? limit.per_seconds * 1_000 : 0
}

async function inParallel<Item>(items: readonly Item[], atOnce: number, work: (item: Item) => Promise<void>) {
  const queue = [...items]
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await work(next)
  }
  await Promise.all(Array.from({ length: Math.max(1, atOnce) }, worker))
}
