import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Where the package's own data is; the same from src and from dist. */
const packageRoot = new URL('../', import.meta.url)

export const REQUIREMENTS_FILE = inPackage('fixtures/requirements.yaml')
export const RECEIVER_REQUIREMENTS_FILE = inPackage('fixtures/receiver-requirements.yaml')
export const PROFILES_FILE = inPackage('fixtures/profiles.yaml')
export const SCENARIOS_DIRECTORY = inPackage('scenarios')
/** The operator console as it was built; the same for a start from src. */
export const CONSOLE_FOLDER = inPackage('dist/console')
export const SCENARIO_SCHEMA_FILE = inPackage('scenarios/scenario.schema.json')

function inPackage(path: string): string {
  return fileURLToPath(new URL(path, packageRoot))
}

/** The version of this package. */
export function packageVersion(): string {
  return (JSON.parse(readFileSync(new URL('package.json', packageRoot), 'utf8')) as { version: string }).version
}
