import { keepChecked, loadScenarios, NOTHING_CHECKED } from '../conformance/format/load-scenarios.ts'
import { keepRequirements, readRequirements } from '../conformance/format/requirements.ts'
import { inPackage, RECEIVER_REQUIREMENTS_FILE, REQUIREMENTS_FILE } from '../package-files.ts'
import { refuseProblems } from './output/problem-lines.ts'
import { SCENARIOS_DIRECTORY } from './read-registry.ts'

// The last step of a build: what is valid is kept beside the program, so that a run need not parse it again.
const registry = registryOf(REQUIREMENTS_FILE)
const receivers = registryOf(RECEIVER_REQUIREMENTS_FILE)
const { scenarios } = loadScenarios(SCENARIOS_DIRECTORY, registry, NOTHING_CHECKED)
keepChecked(scenarios, registry, inPackage('dist/scenarios.json'))
keepRequirements(
  new Map([
    [REQUIREMENTS_FILE, registry],
    [RECEIVER_REQUIREMENTS_FILE, receivers],
  ]),
  inPackage('dist/requirements.json'),
)

function registryOf(file: string) {
  const { registry, problems } = readRequirements(file)
  refuseProblems(problems)
  return registry
}
