import { writeFileSync } from 'node:fs'
import { type CheckedScenarios, loadScenarios } from '../conformance/format/load-scenarios.ts'
import { digestOf, loadRequirements } from '../conformance/format/requirements.ts'
import { readYaml } from '../conformance/yaml/read-yaml.ts'
import { inPackage, RECEIVER_REQUIREMENTS_FILE, REQUIREMENTS_FILE } from '../package-files.ts'
import { SCENARIOS_DIRECTORY } from './read-scenarios.ts'

// The last step of a build: what is valid is kept beside the program, so that a run need not parse it again.
const registries = [REQUIREMENTS_FILE, RECEIVER_REQUIREMENTS_FILE]
keep(
  'requirements.json',
  registries.map((file) => [digestOf(file), readYaml(file).data]),
)
keep('scenarios.json', checkedNow())

function checkedNow(): CheckedScenarios {
  const checked: CheckedScenarios = new Map()
  loadScenarios(SCENARIOS_DIRECTORY, loadRequirements(), checked)
  return checked
}

function keep(name: string, entries: Iterable<readonly [string | null, unknown]>): void {
  writeFileSync(inPackage(`dist/${name}`), JSON.stringify(Object.fromEntries(entries)))
}
