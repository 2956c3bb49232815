import { ENDPOINT_IDS, type EndpointId } from '../../contract/endpoint-ids.ts'
import type { RequirementRegistry } from './requirements.ts'
import type { LoadedScenario, Scenario, Step } from './scenario.ts'
import { expectationsOf, requirementsOf, showsOf } from './step-facts.ts'

/** A requirement, and what the suite has for it. */
interface CoverageRow {
  id: string
  level: 'must' | 'open'
  /** Scenarios that prove it; of an open point, those that observe it. */
  scenarios: string[]
  /** Why no black box can see it; null if one can. */
  unobservable: string | null
}

/**
 * Every requirement with the scenarios that show it in a step, and every open point with those that observe it.
 *
 * @example coverageOf(scenarios, registry).filter(isUncovered)
 */
export function coverageOf(scenarios: readonly LoadedScenario[], registry: RequirementRegistry): CoverageRow[] {
  const touched = scenarios.map(({ id, scenario }) => ({
    id,
    requirements: new Set(requirementsOf(scenario)),
  }))
  return [...registry.requirements.values()].map(({ id, level }) => ({
    id,
    level,
    scenarios: touched.filter(({ requirements }) => requirements.has(id)).map((scenario) => scenario.id),
    unobservable: registry.unobservable.get(id) ?? null,
  }))
}

/** Nothing looks at it although something could. */
export function isUncovered({ scenarios, unobservable }: CoverageRow): boolean {
  return scenarios.length === 0 && unobservable === null
}

/** A rule that is tried at this share of the operations is one of all calls, and not of a few. */
const MOST_OPERATIONS = 2 / 3

/**
 * The rules of all calls: requirements that have checks at most of the operations, with the number at each.
 *
 * @example rulesOfAllCalls(scenarios, registry).find(({ requirement }) => requirement === 'NONCE-02')?.checks.get('webhooks.put')
 */
export function rulesOfAllCalls(
  scenarios: readonly LoadedScenario[],
  registry: RequirementRegistry,
): { requirement: string; checks: ReadonlyMap<EndpointId, number> }[] {
  const counts = new Map<string, Map<EndpointId, number>>()
  for (const { scenario } of scenarios) {
    for (const step of scenario.steps) {
      const op = operationOf(scenario, step)
      if (op === undefined) continue
      for (const requirement of expectationsOf(step).flatMap(showsOf)) {
        const checks = counts.get(requirement) ?? new Map<EndpointId, number>()
        counts.set(requirement, checks.set(op, (checks.get(op) ?? 0) + 1))
      }
    }
  }
  return [...registry.requirements.keys()].flatMap((requirement) => {
    const checks = counts.get(requirement)
    return checks && checks.size >= ENDPOINT_IDS.length * MOST_OPERATIONS ? [{ requirement, checks }] : []
  })
}

/** The operation that a step calls; of one that is sent again, that of the first time. */
function operationOf({ steps }: Scenario, step: Step): EndpointId | undefined {
  const { op, again } = step.call ?? {}
  return op ?? steps.find(({ id }) => id !== undefined && id === again)?.call?.op
}
