import { readFileSync } from 'node:fs'
import { SCENARIO_SCHEMA } from '../../conformance/format/scenario-schema.ts'
import { counted } from '../../contract/words.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { replaceText } from '../files.ts'
import { problemLines } from '../output/problem-lines.ts'
import { readRegistry, readScenarios } from '../read-registry.ts'
import { FilesWithProblems, type Session } from '../session.ts'
import { formatYaml, type KeyOrder, NotFormattableError } from './format-yaml.ts'

/** Brings scenario files into the one layout, or only says which are not in it. */
export function formatFiles(paths: readonly string[], options: { check?: boolean }, session: Session): void {
  // A file with a problem is left alone: its keys may not mean what they seem to.
  const scenarios = readScenarios(paths, readRegistry())
  const others = scenarios.map(({ file }) => file).filter((file) => isOutOfLayout(file, !options.check))
  for (const file of others) session.out(`${file}\n`)
  const done = options.check ? 'would be changed' : 'changed'
  session.err(`${counted(others.length, 'file')} of ${scenarios.length} ${done}\n`)
  if (options.check && others.length > 0) session.exitWith(EXIT_CODES.refused)
}

/** @throws FilesWithProblems where the layout cannot keep all that the file says. */
function isOutOfLayout(file: string, writes: boolean): boolean {
  const text = readFileSync(file, 'utf8')
  const formatted = formattedOf(file, text)
  if (formatted === text) return false
  if (writes) replaceText(file, null, formatted)
  return true
}

function formattedOf(file: string, text: string): string {
  try {
    return formatYaml(text, keyOrderAt)
  } catch (error) {
    if (!(error instanceof NotFormattableError)) throw error
    throw new FilesWithProblems(problemLines([{ file, line: 1, column: 1, message: error.message }]))
  }
}

type Schema = Readonly<Record<string, unknown>>

const ROOT: Schema = SCENARIO_SCHEMA.json
const DEFINITIONS = ROOT.definitions as Record<string, Schema>

/** The order in which the schema of scenarios names the keys at a place, such as ['steps', '[]']. */
export function keyOrderAt(path: readonly string[]): KeyOrder {
  let here: Schema | undefined = ROOT
  for (const key of path) here = key === '[]' ? partOf<Schema>(here, 'items') : propertiesOf(here)?.[key]
  const properties = propertiesOf(here)
  return properties ? Object.keys(properties) : null
}

function propertiesOf(schema: Schema | undefined): Record<string, Schema> | undefined {
  return partOf(schema, 'properties')
}

/** A value may have several shapes; the first that says it counts. */
function partOf<Part>(schema: Schema | undefined, part: 'items' | 'properties'): Part | undefined {
  return branches(schema).find((branch) => branch[part])?.[part] as Part | undefined
}

function branches(schema: Schema | undefined): Schema[] {
  if (schema === undefined) return []
  const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined
  const named = name === undefined ? undefined : DEFINITIONS[name]
  const shapes = ['allOf', 'anyOf', 'oneOf', 'then', 'else'].flatMap((key) => schema[key] ?? []) as Schema[]
  return [schema, ...branches(named), ...shapes.flatMap(branches)]
}
