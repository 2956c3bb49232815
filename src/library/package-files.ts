import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The package's own data; the same from src/library and from dist/library. */
const packageRoot = new URL('../../', import.meta.url)

export const REQUIREMENTS_FILE = fileURLToPath(new URL('fixtures/requirements.yaml', packageRoot))
export const PROFILES_FILE = fileURLToPath(new URL('fixtures/profiles.yaml', packageRoot))
export const SCENARIOS_DIRECTORY = fileURLToPath(new URL('scenarios', packageRoot))

/** The version of this package. */
export function packageVersion(): string {
  return (JSON.parse(readFileSync(new URL('package.json', packageRoot), 'utf8')) as { version: string }).version
}
