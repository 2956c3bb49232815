import type { Services } from '../context/scenario-run.ts'
import { durationOf } from '../format/duration-of.ts'
import type { LoadedScenario, Step } from '../format/scenario.ts'
import type { RunOptions } from './run-options.ts'
import { type FinishedScenario, runScenario } from './run-scenario.ts'
import type { Schedule } from './selection.ts'
import { createdBy, observed, settled } from './settle-scenario.ts'
import { openWorldFork } from './world-fork.ts'

const SCENARIOS_AT_ONCE = { loopback: 24, elsewhere: 3 } as const

type RunOne = (services: Services, loaded: LoadedScenario) => Promise<void>

/**
 * Those that may run side by side first, then those that may not, one after the other: or in copies of the world, where the run owns
 * its target.
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
  if (!options.ownsTarget) {
    await inParallel(together, atOnce, (loaded) => runOne(services, loaded))
    await inParallel(alone, 1, (loaded) => runOne(services, loaded))
    return runs
  }
  const aside = (loaded: LoadedScenario): Promise<void> =>
    runAside(services, loaded, `w${numbers.get(loaded.id)}`, runOne)
  const early = inParallel(alone.filter(waitsLong), atOnce, aside)
  await inParallel(together, atOnce, (loaded) => runOne(services, loaded))
  const late = inParallel(
    alone.filter((loaded) => !waitsLong(loaded)),
    atOnce,
    aside,
  )
  await Promise.all([early, late])
  return runs
}

/** Worth starting with, so that the others run meanwhile. */
const LONG_WAIT_MS = 1_000

function waitsLong({ scenario: { steps } }: LoadedScenario): boolean {
  return steps.reduce((totalMs, step) => totalMs + waitOf(step), 0) >= LONG_WAIT_MS
}

/** How long a step waits by what it says itself: an answer that its hook holds back, a silence that it watches. */
function waitOf({ hook, quiet }: Step): number {
  const answer = hook?.answer
  const heldBack = typeof answer === 'object' && 'after' in answer ? answer.after : undefined
  return (durationOf(heldBack) ?? 0) + (durationOf(quiet?.for) ?? 0)
}

/**
 * Runs a scenario in a copy of the world. Scenarios of one kind begin in the same world, independent of the others: one that waits
 * long, as the run found it, the others as it is once all has happened there that may happen side by side.
 */
async function runAside(services: Services, loaded: LoadedScenario, lane: string, runOne: RunOne): Promise<void> {
  const side = await openWorldFork(services, lane)
  if (!side) throw new Error('the sandbox of this run makes no copy of its world')
  await runOne(side.services, loaded)
  await side.close()
}

async function inParallel<Item>(items: readonly Item[], atOnce: number, work: (item: Item) => Promise<void>) {
  const queue = [...items]
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await work(next)
  }
  await Promise.all(Array.from({ length: Math.max(1, atOnce) }, worker))
}
