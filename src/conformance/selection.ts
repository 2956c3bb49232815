import type { LoadedScenario } from './scenario.ts'
import { declaredChecks } from './steps.ts'

/** Which scenarios run. Each list that is given narrows; an empty list selects nothing. */
export interface RunFilter {
  /** Ids, or patterns with `*`. */
  scenarios?: readonly string[]
  requirements?: readonly string[]
  tags?: readonly string[]
}

/**
 * Whether a scenario passes a filter.
 *
 * @example selects({ scenarios: ['auth/*'] }, loaded)
 */
export function selects(filter: RunFilter | undefined, { id, scenario }: LoadedScenario): boolean {
  if (!filter) return true
  const shown = new Set(declaredChecks(scenario).map(({ requirement }) => requirement))
  return (
    (filter.scenarios === undefined || filter.scenarios.some((pattern) => fits(pattern, id))) &&
    (filter.requirements === undefined || filter.requirements.some((requirement) => shown.has(requirement))) &&
    (filter.tags === undefined || filter.tags.some((tag) => scenario.tags?.includes(tag)))
  )
}

function fits(pattern: string, id: string): boolean {
  const expression = pattern.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')
  return new RegExp(`^${expression}$`).test(id)
}

/** Scenarios that may run beside others, and those that must run alone, each in order of their ids. */
export function inOrder(scenarios: readonly LoadedScenario[]): { together: LoadedScenario[]; alone: LoadedScenario[] } {
  const sorted = [...scenarios].sort((a, b) => (a.id < b.id ? -1 : 1))
  return { together: sorted.filter((loaded) => !runsAlone(loaded)), alone: sorted.filter(runsAlone) }
}

/** What moves the clock, closes a period or replaces the webhook registration would disturb the others. */
function runsAlone({ scenario: { effects = {} } }: LoadedScenario): boolean {
  return (
    effects.clock === true || effects.settlement === true || effects.exclusive === true || (effects.webhooks ?? 0) > 0
  )
}
