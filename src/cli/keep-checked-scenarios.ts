import { keepChecked, NOTHING_CHECKED } from '../conformance/format/checked-scenarios.ts'
import { loadScenarios } from '../conformance/format/load-scenarios.ts'
import { inPackage } from '../package-files.ts'
import { readRegistry, SCENARIOS_DIRECTORY } from './read-registry.ts'

// The last step of a build: scenarios that are sound are kept beside the program, so that a run need not parse them again.
const registry = readRegistry()
keepChecked(
  loadScenarios(SCENARIOS_DIRECTORY, registry, NOTHING_CHECKED).scenarios,
  registry,
  inPackage('dist/scenarios.json'),
)
