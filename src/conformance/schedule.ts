import type { RunOptions } from './run-options.ts'
import { runScenario, type ScenarioRun } from './run-scenario.ts'
import type { LoadedScenario } from './scenario.ts'
import { inOrder } from './selection.ts'
import type { Desk } from './session.ts'
import { settled } from './settle-scenario.ts'
import { openSideWorlds, type SideWorlds } from './side-world.ts'
import { waitOf } from './wait-of.ts'

const SCENARIOS_AT_ONCE = { loopback: 24, elsewhere: 3 } as const

type RunOne = (desk: Desk, loaded: LoadedScenario) => Promise<void>

/**
 * Those that may run side by side first, then those that may not, one after the other: or in worlds of their own, where the
 * run owns its target.
 */
export async function runAll(
  desk: Desk,
  selected: readonly LoadedScenario[],
  options: RunOptions,
): Promise<ScenarioRun[]> {
  const { campaign } = desk
  const atOnce = options.concurrency ?? (campaign.loopback ? SCENARIOS_AT_ONCE.loopback : SCENARIOS_AT_ONCE.elsewhere)
  const numbers = new Map(selected.map(({ id }, index) => [id, index + 1]))
  const runs: ScenarioRun[] = []
  const runOne: RunOne = async (at, loaded) => {
    if (campaign.halt.why !== null) return
    options.onProgress?.({ kind: 'scenario-started', id: loaded.id, title: loaded.scenario.title })
    const run = await runScenario(at, loaded, `s${numbers.get(loaded.id)}`)
    runs.push(run)
    const provisional = run.drafts.some(({ awaited }) => awaited !== undefined)
    const result = settled(campaign, run)
    campaign.halt.note(result)
    options.onProgress?.({
      kind: 'scenario-finished',
      result,
      provisional,
      observations: run.observations,
      created: [...campaign.created],
    })
  }
  const { together, alone } = inOrder(selected)
  if (options.ownsTarget && alone.length > 0) {
    await inWorldsOfTheirOwn(desk, selected, alone, atOnce, runOne)
    return runs
  }
  await inParallel(together, atOnce, (loaded) => runOne(desk, loaded))
  await inParallel(alone, 1, (loaded) => runOne(desk, loaded))
  return runs
}

/** Everything at once, what waits longest first; what can have no world of its own runs alone at the end. */
async function inWorldsOfTheirOwn(
  desk: Desk,
  selected: readonly LoadedScenario[],
  alone: readonly LoadedScenario[],
  atOnce: number,
  runOne: RunOne,
): Promise<void> {
  const worlds = await openSideWorlds(desk)
  const left: LoadedScenario[] = []
  await inParallel(longestFirst(selected), atOnce, async (loaded) => {
    if (!alone.includes(loaded)) return runOne(desk, loaded)
    if (!(await runAside(worlds, loaded, runOne))) left.push(loaded)
  })
  await worlds.close()
  await inParallel(left, 1, (loaded) => runOne(desk, loaded))
}

async function runAside(worlds: SideWorlds, loaded: LoadedScenario, runOne: RunOne): Promise<boolean> {
  const side = await worlds.open()
  if (!side) return false
  await runOne(side.desk, loaded)
  await side.close()
  return true
}

function longestFirst(scenarios: readonly LoadedScenario[]): LoadedScenario[] {
  return [...scenarios].sort((a, b) => waitOf(b.scenario) - waitOf(a.scenario) || (a.id < b.id ? -1 : 1))
}

async function inParallel<Item>(items: readonly Item[], atOnce: number, work: (item: Item) => Promise<void>) {
  const queue = [...items]
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await work(next)
  }
  await Promise.all(Array.from({ length: Math.max(1, atOnce) }, worker))
}
