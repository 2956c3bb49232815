import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where the package's own data is; the same from src/cli and from dist/cli. */
const packageRoot = new URL('../../', import.meta.url)

export const REQUIREMENTS_FILE = fileURLToPath(new URL('fixtures/requirements.yaml', packageRoot))

export const RECEIVER_REQUIREMENTS_FILE = fileURLToPath(new URL('fixtures/receiver-requirements.yaml', packageRoot))

export const PROFILES_FILE = fileURLToPath(new URL('fixtures/profiles.yaml', packageRoot))

/** Relative to where the program is called, so that reports and problems name files the way a person would. */
export const SCENARIOS_DIRECTORY = relative(process.cwd(), fileURLToPath(new URL('scenarios', packageRoot)))

export const SCENARIO_SCHEMA_FILE = fileURLToPath(new URL('scenarios/scenario.schema.json', packageRoot))

/** The version of this package. */
export function packageVersion(): string {
  return (JSON.parse(readFileSync(new URL('package.json', packageRoot), 'utf8')) as { version: string }).version
}
