import { isObject } from '../../contract/is-object.ts'
import { editDistance, unknownName } from '../../contract/words.ts'
import { SCENARIOS_DIRECTORY } from '../../package-files.ts'
import type { FileProblem, YamlSource } from '../yaml/read-yaml.ts'
import { loadScenarios } from './load-scenarios.ts'
import type { RequirementRegistry } from './requirements.ts'
import type { LoadedScenario } from './scenario.ts'
import { observationName, observationsOf } from './step-facts.ts'

/** Pins of a target file that can never drift. */
export interface IdlePins {
  /** Most likely misspelled: of no open point, or almost the name of an observation. */
  readonly problems: readonly FileProblem[]
  /** Those of scenarios that are not here: the partner's own, or of another version of this package. They harm nothing. */
  readonly notices: readonly FileProblem[]
}

/** What scenarios of this package observe counts as well as what the given ones do: a run of others has the same file. */
export function idlePins(
  source: YamlSource,
  scenarios: readonly LoadedScenario[],
  registry: RequirementRegistry,
): IdlePins {
  const pins = isObject(source.data) && isObject(source.data.pins) ? Object.keys(source.data.pins) : []
  const unknownTo = (names: readonly string[]) => pins.filter((pin) => !names.includes(pin))
  const ofGiven = observationNames(scenarios)
  if (unknownTo(ofGiven).length === 0) return { problems: [], notices: [] }
  const known = [...ofGiven, ...observationNames(loadScenarios(SCENARIOS_DIRECTORY, registry).scenarios)]
  const isMisspelled = (pin: string) =>
    registry.requirements.get(pin.split('/', 1)[0] as string)?.level !== 'open' ||
    known.some((name) => Math.abs(name.length - pin.length) <= SLIP && editDistance(name, pin) <= SLIP)
  const wrong = new Set(unknownTo(known).filter(isMisspelled))
  const others = unknownTo(known).filter((pin) => !wrong.has(pin))
  return {
    problems: [...wrong].map((pin) =>
      source.problemAtKey(['pins', pin], unknownName('observation', pin, known, MADE_BY_NONE)),
    ),
    notices: others.map((pin) => source.problemAtKey(['pins', pin], `this pin is not compared: ${MADE_BY_NONE}`)),
  }
}

/** So many letters that are wrong, missing or too many are a slip. */
const SLIP = 2
const MADE_BY_NONE = 'no scenario makes it, of this package or of those that were given'

function observationNames(scenarios: readonly LoadedScenario[]): string[] {
  return scenarios.flatMap(({ scenario }) => scenario.steps.flatMap(observationsOf).map(observationName))
}
