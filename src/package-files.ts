import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** Whether this is the program as people install it: its threads have files of their own, which are read at once. */
export const IS_BUNDLED = basename(import.meta.dirname) === 'bundle'

/** Where the package's own data is: above `src` or `dist`, where this file is; a bundle lies one folder deeper. */
const packageRoot = join(import.meta.dirname, IS_BUNDLED ? '../..' : '..')

export const REQUIREMENTS_FILE = inPackage('fixtures/requirements.yaml')
export const RECEIVER_REQUIREMENTS_FILE = inPackage('fixtures/receiver-requirements.yaml')
export const PROFILES_FILE = inPackage('fixtures/profiles.yaml')
export const SCENARIOS_DIRECTORY = inPackage('scenarios')
/** The operator console as it was built; the same for a start from src. */
export const CONSOLE_FOLDER = inPackage('dist/console')
/** The script of the reference, by the same build. */
export const DOCS_SCRIPT_FILE = inPackage('dist/docs/docs.js')
/** What a coding agent reads to integrate with the sandbox. */
export const SKILL_FILE = inPackage('skills/partner-sandbox/SKILL.md')
export const INVENTORY_WORDS_FILE = inPackage('fixtures/inventory.yaml')
/** The schemas of what the operator API answers, which docs/generate.mjs makes from the types of its rows. */
export const ANSWER_SCHEMAS_FILE = inPackage('fixtures/operator-answers.json')
/** What the build has read and found valid. What runs from its sources has none: they may have changed since. */
export const CHECKED_SCENARIOS_FILE = keptByBuild('scenarios.json')
export const KEPT_REQUIREMENTS_FILE = keptByBuild('requirements.json')

function keptByBuild(name: string): string | null {
  return import.meta.filename.endsWith('.js') ? inPackage(`dist/${name}`) : null
}

/** @example inPackage('fixtures') */
export function inPackage(path: string): string {
  return join(packageRoot, path)
}

/** The version of this package. */
export function packageVersion(): string {
  return (JSON.parse(readFileSync(inPackage('package.json'), 'utf8')) as { version: string }).version
}
