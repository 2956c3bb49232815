import { readFileSync } from 'node:fs'
import {
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Pair,
  parse,
  parseDocument,
  type Scalar,
  type ScalarTag,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import { SCENARIO_SCHEMA } from '../../conformance/format/scenario-schema.ts'
import { counted } from '../../contract/words.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { replaceText } from '../files.ts'
import { problemLines } from '../output/problem-lines.ts'
import { readRegistry, readScenarios } from '../read-registry.ts'
import { FilesWithProblems, type Session } from '../session.ts'

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

type SchemaNode = Readonly<Record<string, unknown>>

const ROOT: SchemaNode = SCENARIO_SCHEMA.json
const DEFINITIONS = ROOT.definitions as Record<string, SchemaNode>

/** The order in which the schema of scenarios names the keys at a place, such as ['steps', '[]']. */
export function keyOrderAt(path: readonly string[]): KeyOrder {
  let here: SchemaNode | undefined = ROOT
  for (const key of path) here = key === '[]' ? partOf<SchemaNode>(here, 'items') : propertiesOf(here)?.[key]
  const properties = propertiesOf(here)
  return properties ? Object.keys(properties) : null
}

function propertiesOf(schema: SchemaNode | undefined): Record<string, SchemaNode> | undefined {
  return partOf(schema, 'properties')
}

/** A value may have several shapes; the first that says it counts. */
function partOf<Part>(schema: SchemaNode | undefined, part: 'items' | 'properties'): Part | undefined {
  return branches(schema).find((branch) => branch[part])?.[part] as Part | undefined
}

function branches(schema: SchemaNode | undefined): SchemaNode[] {
  if (schema === undefined) return []
  const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined
  const named = name === undefined ? undefined : DEFINITIONS[name]
  const shapes = ['allOf', 'anyOf', 'oneOf', 'then', 'else'].flatMap((key) => schema[key] ?? []) as SchemaNode[]
  return [schema, ...branches(named), ...shapes.flatMap(branches)]
}

/** The keys of a map in their order; null if any order is right. */
type KeyOrder = readonly string[] | null

/** Returns the order of keys at a place. */
type OrderAt = (path: readonly string[]) => KeyOrder

/** A file has something in it that this layout cannot keep. */
export class NotFormattableError extends Error {
  override readonly name = 'NotFormattableError'
}

/**
 * One canonical layout: two spaces a level, keys in the order that `orderAt` names, `{ a: b }` and `[a, b]`. What was on one
 * line stays on one line, and what was on several does; quotes, folded text, blank lines and comments stay as they are.
 */
export function formatYaml(text: string, orderAt: OrderAt): string {
  const document = parseDocument(text, { keepSourceTokens: true, customTags: (tags) => [AS_WRITTEN, ...tags] })
  const [error] = document.errors
  if (error) throw new NotFormattableError(error.message.split('\n')[0])
  if (!isMap(document.contents)) throw new NotFormattableError('a scenario is a map of keys and values')
  // The head of a file belongs to the file, not to its first key, which may move.
  liftFromFirstKey(document.contents)
  visit(document, {
    Map(_, map, ancestors) {
      sortKeys(map, orderAt(pathTo(ancestors)))
      if (map !== document.contents) liftFromFirstKey(map)
      printWith(' ', map)
    },
    Seq: (_, seq) => printWith('', seq),
  })
  const formatted = document.toString({ lineWidth: 0 })
  if (meaningOf(text) !== meaningOf(formatted) || countComments(text) !== countComments(formatted))
    throw new NotFormattableError('the layout has no place for a comment or a value here')
  return formatted
}

/** Keys from the root; an item of a list is `[]`. */
function pathTo(ancestors: readonly unknown[]): string[] {
  return ancestors.flatMap((node) => (isPair(node) ? [nameOf(node)] : isSeq(node) ? ['[]'] : []))
}

function nameOf({ key }: Pair): string {
  return String(isScalar(key) ? key.value : key)
}

function sortKeys(map: YAMLMap, order: KeyOrder): void {
  if (order === null) return
  const rank = (pair: Pair) => (order.includes(nameOf(pair)) ? order.indexOf(nameOf(pair)) : order.length)
  map.items.sort((a, b) => rank(a) - rank(b))
}

/** What is above the first key of a map is above the map. */
function liftFromFirstKey(map: YAMLMap): void {
  const key = map.items[0]?.key
  if (!isNode(key) || map.flow) return
  map.commentBefore = [map.commentBefore, key.commentBefore].filter(Boolean).join('\n') || null
  map.spaceBefore ||= key.spaceBefore ?? false
  key.commentBefore = null
  key.spaceBefore = false
}

/** Every value, however its keys are ordered. */
function meaningOf(text: string): string {
  return JSON.stringify(parse(text), (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
}

const countComments = (text: string) => (text.match(/(?:^|\s)#/gm) ?? []).length

/** Text as it is written in the file. */
const AS_WRITTEN: ScalarTag = {
  tag: 'tag:yaml.org,2002:str',
  default: true,
  identify: (value) => typeof value === 'string',
  resolve: (text) => text,
  stringify: (scalar, { indent }) => asWritten(scalar as Scalar, indent),
}

/** The library has one setting for the spaces inside braces and brackets. */
function printWith(padding: string, node: YAMLMap | YAMLSeq): void {
  const print = node.toString.bind(node)
  node.toString = (context, ...rest) => print(context && { ...context, flowCollectionPadding: padding }, ...rest)
}

function asWritten({ srcToken: token, value }: Scalar, indent: string): string {
  if (!token || !('source' in token)) return String(value)
  if (token.type !== 'block-scalar') {
    if (token.source.includes('\n')) throw new NotFormattableError('a text of several lines is written with > or |')
    return token.source
  }
  const header = token.props.find(({ type }) => type === 'block-scalar-header')
  const lines = token.source.replace(/\n+$/, '').split('\n')
  const isBlank = (line: string) => line.trim() === ''
  const common = Math.min(...lines.filter((line) => !isBlank(line)).map((line) => line.search(/\S/)))
  return [
    header && 'source' in header ? header.source : '>-',
    ...lines.map((line) => (isBlank(line) ? '' : indent + line.slice(common))),
  ].join('\n')
}
