import { readdirSync, statSync } from 'node:fs'
import { basename, join, sep } from 'node:path'
import { CHECKED_SCENARIOS_FILE } from '../../package-files.ts'
import { byId, whenAsked } from '../result/result.ts'
import { type FileProblem, parseYaml, readYaml } from '../yaml/read-yaml.ts'
import { validatorOf } from '../yaml/validator-of.ts'
import { hasRows, rowsOf, withItsDomain } from './each.ts'
import { problemsOf } from './file-problems.ts'
import { digestOf, editionOf, keptIn, type RequirementRegistry } from './requirements.ts'
import { type LoadedScenario, type NamedScenario, SCENARIO_SCHEMA, type Scenario } from './scenario.ts'
import { namedScenario } from './step-facts.ts'

/** Made when first needed: it takes a while, and most commands need none. */
const validator = whenAsked(() => validatorOf(SCENARIO_SCHEMA.json))

/**
 * Reads scenario files, or every `.yaml` below directories. A file with a problem is left out and its problems are
 * listed; the caller decides whether that is fatal. The valid ones are in the order of their ids. Files that the build of this
 * program or this process has checked by the same registry are not checked again.
 *
 * @param checked what was found without a problem before, and what is added to: with an empty map every file is read and linted.
 *
 * @example const { scenarios, problems } = loadScenarios('scenarios', registry)
 */
export function loadScenarios(
  paths: string | readonly string[],
  registry: RequirementRegistry,
  checked = checkedHere(),
): { scenarios: LoadedScenario[]; problems: FileProblem[] } {
  const scenarios: LoadedScenario[] = []
  const problems: FileProblem[] = []
  const edition = editionOf(registry)
  for (const path of typeof paths === 'string' ? [paths] : paths) {
    for (const { file, id } of filesAt(path, problems)) {
      const key = `${edition} ${digestOf(file)}`
      let known = checked.get(key)
      if (known === undefined) {
        const source = readYaml(file)
        const found = problemsOf(source, { validate: validator(), registry })
        problems.push(...found)
        if (found.length > 0) continue
        known = checkedFrom(source.data as Scenario)
        checked.set(key, known)
      }
      for (const { id: ofRow, name, scenario } of known)
        scenarios.push({ id: ofRow ?? (name === null ? id : `${id}[${name}]`), file, scenario })
    }
  }
  const first = new Map<string, string>()
  for (const { id, file } of scenarios) {
    const other = first.get(id) ?? file
    if (other !== file) problems.push({ file, line: 1, column: 1, message: `the id "${id}" is also that of ${other}` })
    first.set(id, other)
  }
  return { scenarios: scenarios.sort(byId), problems }
}

/** What is wrong with a scenario that is in no file yet. */
export function problemsOfText(text: string, registry: RequirementRegistry): FileProblem[] {
  return problemsOf(parseYaml(text, 'the scenario'), { validate: validator(), registry })
}

/** The scenarios of a file without a problem: one for each row of its `each`, else one. */
type CheckedFile = { id: string | null; name: string | null; scenario: NamedScenario }[]

/**
 * Scenario files that were read, linted and found without a problem, by the edition of the requirements and the digest of their
 * bytes: an edited file is never out of date.
 */
export type CheckedScenarios = Map<string, CheckedFile>

function checkedFrom(written: Scenario): CheckedFile {
  if (!hasRows(written)) return [{ id: null, name: null, scenario: namedScenario(written) }]
  return rowsOf(written).map(({ id, name, scenario }) => ({
    id,
    name,
    scenario: namedScenario(withItsDomain(scenario)),
  }))
}

function filesAt(path: string, problems: FileProblem[]): { file: string; id: string }[] {
  try {
    if (!statSync(path).isDirectory()) return [{ file: path, id: idOfFile(path) }]
    const found = readdirSync(path, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.ya?ml$/.test(name))
      .map((name) => ({ file: join(path, name), id: idOf(name) }))
      // A pipe or a device that is called so would never end.
      .filter(({ file }) => statSync(file).isFile())
    if (found.length === 0) problems.push({ file: path, line: 0, column: 0, message: 'no scenario here' })
    return found
  } catch {
    problems.push({ file: path, line: 0, column: 0, message: 'no such file or directory' })
    return []
  }
}

function idOf(path: string): string {
  return path
    .replace(/\.ya?ml$/, '')
    .split(sep)
    .join('/')
}

/** A single file is called by its area and its name, as it would be in the whole set. */
function idOfFile(file: string): string {
  const parts = idOf(file).split('/')
  const root = parts.lastIndexOf('scenarios')
  if (root !== -1 && root < parts.length - 1) return parts.slice(root + 1).join('/')
  return parts.length > 1 ? parts.slice(-2).join('/') : basename(idOf(file))
}

/** What the build has found without a problem. */
export function readChecked(file = CHECKED_SCENARIOS_FILE): CheckedScenarios {
  return new Map(Object.entries(keptIn<CheckedFile>(file)))
}

/** The same, and what this process has found since. */
const checkedHere = whenAsked(readChecked)
