import type { RequirementRegistry } from './requirements.ts'
import type { LoadedScenario } from './scenario.ts'
import { expectationsOf, observationsOf, showsOf } from './step-facts.ts'

/** A requirement, and what the suite has for it. */
export interface CoverageRow {
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
    requirements: new Set(
      scenario.steps.flatMap((step) => [
        ...expectationsOf(step).flatMap(showsOf),
        ...(step.twin_shows === undefined ? [] : [step.twin_shows]),
        ...observationsOf(step).map(({ gap }) => gap),
      ]),
    ),
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
