import type { RequirementRegistry } from './requirements.ts'
import type { RunProfile } from './result.ts'

/** Every `must` row that a caller can observe: what a run's verdict is about where nobody narrowed it. */
export function profileOfAll({ requirements, unobservable }: RequirementRegistry): RunProfile {
  const rows = [...requirements.values()].filter(({ id, level }) => level === 'must' && !unobservable.has(id))
  return { name: 'all', requirements: rows.map(({ id }) => id) }
}
