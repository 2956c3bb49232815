import type { Services } from '../context/scenario-run.ts'
import type { LoadedScenario } from '../format/scenario.ts'
import { inParallel, runBesideOthers } from './run-beside-others.ts'
import type { RunOptions } from './run-options.ts'
import { type FinishedScenario, runScenario } from './run-scenario.ts'
import type { Schedule } from './selection.ts'
import { createdBy, observed, settled } from './settle-scenario.ts'

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
      // Only a log needs these; the list of what was made grows with every scenario.
      get observations() {
        return observed(run, [finished])
      },
      get created() {
        return createdBy(run)
      },
    })
  }
  if (options.ownsTarget) {
    await runBesideOthers(services, { together, alone }, atOnce, {
      run: runOne,
      laneOf: ({ id }) => `w${numbers.get(id)}`,
    })
    return runs
  }
  await inParallel(together, atOnce, (loaded) => runOne(services, loaded))
  await inParallel(alone, 1, (loaded) => runOne(services, loaded))
  return runs
}
