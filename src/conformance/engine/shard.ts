import type { LoadedScenario } from '../format/scenario.ts'
import { byId } from '../result/by-id.ts'
import { requestsOfScenario } from './plan-requests.ts'

/** One of several runs that share the scenarios out among them. */
export interface Shard {
  /** From 1. */
  index: number
  count: number
}

/** Costs are reckoned for a target far away, wherever the run is, so that all parts share out alike. */
const FAR_AWAY = { loopback: false, target: { patience: {} } }

/**
 * The scenarios of one shard. The dearest comes first and goes to whichever shard has least to do, so that all take about
 * as long; the same scenarios are always shared out in the same way, each to just one shard.
 *
 * @example chosenForShard(scenarios, { index: 1, count: 3 })
 */
export function chosenForShard(scenarios: readonly LoadedScenario[], { index, count }: Shard): LoadedScenario[] {
  const loads = Array.from({ length: count }, () => 0)
  const own = new Set<string>()
  for (const { id, cost } of dearestFirst(scenarios)) {
    const least = loads.indexOf(Math.min(...loads))
    loads[least] = (loads[least] ?? 0) + cost
    if (least === index - 1) own.add(id)
  }
  return scenarios.filter(({ id }) => own.has(id))
}

function dearestFirst(scenarios: readonly LoadedScenario[]): { id: string; cost: number }[] {
  return scenarios
    .map((loaded) => ({ id: loaded.id, cost: requestsOfScenario(FAR_AWAY, loaded) }))
    .sort((a, b) => b.cost - a.cost || byId(a, b))
}
