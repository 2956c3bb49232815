import type { RunOptions } from './run-options.ts'
import { runScenario, type ScenarioRun } from './run-scenario.ts'
import type { LoadedScenario } from './scenario.ts'
import { inOrder } from './selection.ts'
import type { Desk } from './session.ts'
import { settled } from './settle-scenario.ts'

const SCENARIOS_AT_ONCE = { loopback: 24, elsewhere: 3 } as const

/** Those that may run side by side first, then those that may not, one after the other. */
export async function runAll(
  desk: Desk,
  selected: readonly LoadedScenario[],
  options: RunOptions,
): Promise<ScenarioRun[]> {
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
