import type { RequirementRegistry } from '../../conformance/format/requirements.ts'
import type { LoadedScenario } from '../../conformance/format/scenario.ts'
import { baseOf } from '../../conformance/result/result.ts'
import { readScenarios } from '../read-scenarios.ts'

interface NamedScenarios {
  id: string
  /** Where the scenarios are; none for those of this package. */
  files: readonly string[]
  scenarios: LoadedScenario[]
}

/**
 * The scenarios among which a command looks for one.
 *
 * @param name the id of it, or the file that holds it.
 */
export function scenariosNamed(name: string, paths: readonly string[], registry: RequirementRegistry): NamedScenarios {
  const isFile = paths.length === 0 && /\.ya?ml$/.test(name)
  const files = isFile ? [name] : paths
  const scenarios = readScenarios(files, registry)
  const [first] = scenarios
  return { id: isFile && first ? baseOf(first.id) : name, files, scenarios }
}
