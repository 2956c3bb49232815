import { isObject } from '../../contract/is-object.ts'
import { unknownName } from '../../contract/words.ts'
import { SCENARIOS_DIRECTORY } from '../../package-files.ts'
import type { FileProblem, YamlSource } from '../yaml/read-yaml.ts'
import { loadScenarios } from './load-scenarios.ts'
import type { RequirementRegistry } from './requirements.ts'
import type { LoadedScenario } from './scenario.ts'
import { observationName, observationsOf } from './step-facts.ts'

/**
 * Pins of a target file that can never drift. What scenarios of this package observe counts as well as what the given ones do: a run of
 * others has the same file.
 */
export function pinProblems(
  source: YamlSource,
  scenarios: readonly LoadedScenario[],
  registry: RequirementRegistry,
): FileProblem[] {
  const pins = isObject(source.data) && isObject(source.data.pins) ? Object.keys(source.data.pins) : []
  const unknownTo = (names: readonly string[]) => pins.filter((pin) => !names.includes(pin))
  const ofGiven = observationNames(scenarios)
  if (unknownTo(ofGiven).length === 0) return []
  const known = [...ofGiven, ...observationNames(loadScenarios(SCENARIOS_DIRECTORY, registry).scenarios)]
  return unknownTo(known).map((pin) =>
    source.problemAtKey(['pins', pin], unknownName('observation', pin, known, MADE_BY_NONE)),
  )
}

const MADE_BY_NONE = 'no scenario makes it, of this package or of those that were given'

function observationNames(scenarios: readonly LoadedScenario[]): string[] {
  return scenarios.flatMap(({ scenario }) => scenario.steps.flatMap(observationsOf).map(observationName))
}
