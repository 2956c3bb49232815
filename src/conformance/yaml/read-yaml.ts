import { closeSync, openSync, readSync } from 'node:fs'
import type { ErrorObject, ValidateFunction } from 'ajv'
import {
  type Document,
  type ErrorCode,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Pair,
  Parser,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml'
import { isSecretByName } from '../../contract/ids.ts'
import { didYouMean } from '../../contract/words.ts'

/** Something wrong with a file, with the place a person has to look at. Lines and columns count from 1; a folder has none: 0. */
export interface FileProblem {
  file: string
  line: number
  column: number
  message: string
}

/** The place of a problem in the form that editors and CI systems turn into links. */
export function placeOf({ file, line, column }: FileProblem): string {
  return line === 0 ? file : `${file}:${line}:${column}`
}

/** Keys and indexes from the root of a document to one of its values. */
export type DocumentPath = readonly (string | number)[]

/** Takes a problem and the place it belongs to. */
export type Report = (path: DocumentPath, message: string) => void

/** A YAML file as plain data with the place of everything. */
export interface YamlSource {
  file: string
  data: unknown
  /** Syntax errors. `data` is null if there are any but keys that are given twice: of those it has the last. */
  problems: FileProblem[]
  /** A problem at the value of this path, or at the nearest one around it. */
  problemAt(path: DocumentPath, message: string): FileProblem
  /** The same at a key rather than at its value. */
  problemAtKey(path: DocumentPath, message: string): FileProblem
}

/** Longest file that is read; a scenario is a page or two. */
const MAX_FILE_BYTES = 1024 * 1024

/**
 * Reads a YAML file. Never throws: a file that cannot be read is a problem at 1:1.
 *
 * @example const { data, problems } = readYaml('scenarios/auth/nonce-reuse.yaml')
 */
export function readYaml(file: string): YamlSource {
  try {
    const bytes = beginningOf(file, MAX_FILE_BYTES + 1)
    if (bytes.length > MAX_FILE_BYTES) return unreadable(file, 'is larger than 1 MiB')
    return parseYaml(UTF8.decode(bytes), file)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown reason'
    return unreadable(file, code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'is not UTF-8' : `cannot be read (${code})`)
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** At most so many bytes: a device never ends. */
function beginningOf(file: string, bytes: number): Buffer {
  const opened = openSync(file, 'r')
  try {
    const buffer = Buffer.alloc(bytes)
    let length = 0
    for (let read = -1; read !== 0 && length < bytes; length += read)
      read = readSync(opened, buffer, length, bytes - length, null)
    return buffer.subarray(0, length)
  } finally {
    closeSync(opened)
  }
}

/** The same for a text that is already there; `file` is only named in problems. */
export function parseYaml(text: string, file: string): YamlSource {
  const deep = tooDeepAt(text)
  if (deep !== null) return unreadable(file, `is nested deeper than ${MAX_DEPTH} levels`, deep)
  const lines = new LineCounter()
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    stringKeys: true,
    resolveKnownTags: false,
  })
  const problem = (offset: number, message: string): FileProblem => {
    const { line, col } = lines.linePos(offset)
    return { file, line: Math.max(1, line), column: Math.max(1, col), message }
  }
  // A tag that is not known is a warning; read as if it were not there, its value would mean something else than its author thinks.
  const wrong = [...document.errors, ...document.warnings]
  // What follows it on its line is wrong for the same reason.
  const [unquoted] = wrong.flatMap(({ pos }) => (text.slice(pos[0] - 1, pos[0] + 1) === '${' ? [pos[0] - 1] : []))
  const problems =
    unquoted === undefined
      ? wrong
          .slice(0, MAX_ERRORS)
          .map(({ code, message, pos }) => problem(pos[0], OUR_WORDS[code] ?? `this is not valid YAML: ${message}`))
      : [problem(unquoted, 'within { } or [ ], a value with ${...} needs quotes: "${...}"')]
  let aliases = 0
  visit(document, {
    Alias(_key, alias, path) {
      aliases += 1
      if (aliases > MAX_ALIASES) {
        problems.push(problem(startOf(alias), `more than ${MAX_ALIASES} aliases`))
        return visit.BREAK
      }
      if ((path as readonly unknown[]).includes(alias.resolve(document)))
        problems.push(problem(startOf(alias), `the alias *${alias.source} is inside its own anchor`))
      return undefined
    },
  })
  const isReadable = problems.every(({ message }) => message === OUR_WORDS.DUPLICATE_KEY)
  const places = placesIn(document)
  return {
    file,
    data: isReadable ? plainData(document, (message) => problems.push(problem(0, message))) : null,
    problems,
    problemAt: (path, message) => problem(places.ofValue(path), message),
    problemAtKey: (path, message) => problem(places.ofKey(path) ?? places.ofValue(path), message),
  }
}

/** Each is looked for in the whole file. */
const MAX_ALIASES = 1_000

/** The parser's own messages are for programs that call it. */
const OUR_WORDS: Partial<Record<ErrorCode, string>> = {
  DUPLICATE_KEY: 'duplicate key',
  MULTIPLE_DOCS: 'a second YAML document; a file has one',
  NON_STRING_KEY: 'a key must be a string',
}

function nameOf(key: unknown): unknown {
  return isScalar(key) ? key.value : key
}

function plainData(document: ReturnType<typeof parseDocument>, refuse: (message: string) => void): unknown {
  try {
    return document.toJS()
  } catch (error) {
    // An alias without an anchor, or so many that they are an attack on time and memory.
    if (!(error instanceof ReferenceError)) throw error
    refuse(`this is not valid YAML: ${error.message}`)
    return null
  }
}

/** Where the values and the keys of a document begin. A map is searched once: a file may have a problem at each of its keys. */
function placesIn({ contents }: Document.Parsed) {
  const indexes = new WeakMap<YAMLMap, ReadonlyMap<string, Pair>>()
  const pairOf = (map: YAMLMap, name: string | number): Pair | undefined => {
    const index = indexes.get(map) ?? new Map(map.items.map((item) => [String(nameOf(item.key)), item]))
    indexes.set(map, index)
    return index.get(String(name))
  }
  const inner = (node: unknown, part: string | number): unknown => {
    if (isMap(node)) return pairOf(node, part)?.value
    return isSeq(node) ? node.items[Number(part)] : undefined
  }
  /** The nodes on the way to a value, as far as they are there. */
  const nodesOn = (path: DocumentPath): unknown[] => {
    const nodes: unknown[] = [contents]
    for (const part of path) nodes.push(inner(nodes.at(-1), part))
    return nodes
  }
  return {
    /** The value, or the nearest one around it. */
    ofValue: (path: DocumentPath): number => startOf(nodesOn(path).findLast((node) => isNode(node) && node.range)),
    ofKey(path: DocumentPath): number | undefined {
      const parent = nodesOn(path.slice(0, -1)).at(-1)
      const key = isMap(parent) ? pairOf(parent, path.at(-1) ?? '')?.key : undefined
      return isNode(key) ? key.range?.[0] : undefined
    },
  }
}

function unreadable(file: string, why: string, place = { line: 1, column: 1 }): YamlSource {
  const first: FileProblem = { file, ...place, message: `this file ${why}` }
  const here = (_path: DocumentPath, message: string): FileProblem => ({ file, ...place, message })
  return { file, data: null, problems: [first], problemAt: here, problemAtKey: here }
}

/** Deeper than any file has a use for, and far from what a stack holds. */
const MAX_DEPTH = 100

/**
 * Where a text is nested too deeply, found without recursion: what composes a document is recursive, and a stack that is full
 * while a regular expression is compiled ends the process.
 */
function tooDeepAt(text: string): { line: number; column: number } | null {
  const lines = new LineCounter()
  lines.addNewLine(0)
  const parser = new Parser(lines.addNewLine)
  for (const lexeme of new Lexer().lex(text)) {
    Array.from(parser.next(lexeme)) // What it yields is not wanted, only its stack: the document, and what is open in it.
    if (parser.stack.length > MAX_DEPTH + 1) {
      const { line, col: column } = lines.linePos(parser.offset - lexeme.length)
      return { line, column }
    }
  }
  return null
}

/** So many syntax errors say enough: one bracket can make thousands. */
const MAX_ERRORS = 20

function startOf(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0
}

/** What else is known of the documents of a schema. */
interface SchemaWords {
  /** What may have been meant by a name that is not known at a place, as the end of a sentence; empty if nothing comes near. */
  nearTo?: (path: DocumentPath, name: string) => string
  /** Whether nothing is to be said of a place. */
  isLeftOut?: (path: DocumentPath) => boolean
  /** What a text of this pattern is, with an example: `a duration such as 5s`. */
  formOf?: (pattern: string) => string | undefined
  /** What may have been meant by a text that does not have this pattern. */
  meantBy?: (pattern: string, text: string) => string
}

/** What a schema finds in a document, in a person's words and at the place of each. */
export function schemaProblems(source: YamlSource, validate: ValidateFunction, words: SchemaWords = {}): FileProblem[] {
  if (validate(source.data)) return []
  const seen = new Set<string>()
  const errors = validate.errors ?? []
  const mistyped = new Set(errors.flatMap(({ keyword, instancePath }) => (keyword === 'type' ? [instancePath] : [])))
  return (
    errors
      .filter(({ keyword }) => !WRAPPERS.includes(keyword))
      // A value of the wrong type is none of the allowed ones either: once is enough.
      .filter(({ keyword, instancePath }) => keyword === 'type' || !mistyped.has(instancePath))
      .filter((error) => words.isLeftOut?.(wrongPlace(error)) !== true)
      .map((error) => problemOf(source, error, validate.schema, words))
      .filter(({ line, column, message }) => {
        const key = `${line}:${column}:${message}`
        return !seen.has(key) && seen.add(key)
      })
  )
}

/** The values and keys that broke the schema when it was last asked. */
export function wrongPlaces(validate: ValidateFunction): DocumentPath[] {
  return (validate.errors ?? []).filter(({ keyword }) => !WRAPPERS.includes(keyword)).map(wrongPlace)
}

/** What would have to go for the error to go: the value, the key that is not known, or what lacks a key. */
function wrongPlace({ instancePath, keyword, params, propertyName }: ErrorObject): DocumentPath {
  const path = pathOf(instancePath)
  if (keyword === 'additionalProperties') return [...path, String(params.additionalProperty)]
  if (propertyName !== undefined) return [...path, propertyName]
  return keyword === 'required' && path.length === 0 ? [String(params.missingProperty)] : path
}

/** Their cause is reported for what they hold. */
const WRAPPERS: readonly string[] = ['if', 'propertyNames']

function problemOf(source: YamlSource, error: ErrorObject, schema: unknown, words: SchemaWords): FileProblem {
  const path = pathOf(error.instancePath)
  const here = placeName(path)
  if (error.keyword === 'additionalProperties') {
    const name = String(error.params.additionalProperty)
    const known = Object.keys((error.parentSchema?.properties ?? {}) as object)
    return source.problemAtKey(
      [...path, name],
      `unknown key "${name}" in ${here}${didYouMean(name, known)}${keyHint(path, name)}`,
    )
  }
  // A name that fits no pattern is unknown; the pattern of all names does not help.
  if (error.propertyName !== undefined) {
    const near = words.nearTo?.(path, error.propertyName) ?? ''
    return source.problemAtKey([...path, error.propertyName], `unknown key "${error.propertyName}" in ${here}${near}`)
  }
  return source.problemAt(path, `${here} ${saysOf(error, schema, words)}`)
}

/** What a person would call the place: a key, or a list with the number of its item. */
function placeName(path: DocumentPath): string {
  const [last, before] = [path.at(-1), path.at(-2)]
  if (last === undefined) return 'the file'
  return typeof last === 'number' ? `"${before ?? ''}[${last}]"` : `"${last}"`
}

function saysOf(error: ErrorObject, schema: unknown, { formOf, meantBy }: SchemaWords): string {
  const { keyword, params, data, parentSchema } = error
  const form = typeof parentSchema?.['pattern'] === 'string' ? formOf?.(parentSchema['pattern']) : undefined
  switch (keyword) {
    case 'type':
      if (error.instancePath === '' && data === null) return 'is empty'
      return form === undefined
        ? `must be ${typesInWords(params.type)}${exampleOf(error)}`
        : `must be ${form}${notThis(data)}`
    case 'required':
      return `must have the key "${params.missingProperty}"`
    case 'enum': {
      const allowed = (params.allowedValues as unknown[]).map(String)
      const value = String(data)
      const others = otherTypes(error, schema)
      const also = others.length === 0 ? '' : `; it may also be ${typesInWords(others)}`
      return `is "${value.slice(0, 60)}", which is none of ${allowed.join(', ')}${also}${didYouMean(value, allowed)}`
    }
    case 'dependencies':
      return `has "${params.property}", which needs "${params.deps}" beside it`
    case 'pattern': {
      const [example] = (parentSchema?.['examples'] ?? []) as unknown[]
      if (data === '' && example !== undefined)
        return `is empty; what belongs here: ${parentSchema?.['description']} For example: ${example}`
      const wanted = form ?? (example === undefined ? undefined : `like ${example}`)
      const meant = meantBy?.(params.pattern, String(data)) ?? ''
      return wanted === undefined
        ? `is "${String(data).slice(0, 60)}", which does not match ${params.pattern}`
        : `must be ${wanted}${notThis(data)}${meant}`
    }
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}`
    case 'minimum':
      return `must be at least ${params.limit}`
    case 'maximum':
      return `must be at most ${params.limit}`
    case 'maxProperties':
      return `must have at most ${params.limit} key`
    case 'uniqueItems':
      return `has the same item twice: ${JSON.stringify((data as unknown[])[params.i])}`
    default: {
      const length = lengthInWords(keyword, params.limit)
      return length ?? error.message ?? `breaks the rule "${keyword}"`
    }
  }
}

/** How long a text or a list has to be; null for any other rule. */
function lengthInWords(keyword: string, limit: unknown): string | null {
  const [, bound, unit] = /^(min|max)(Properties|Items|Length)$/.exec(keyword) ?? []
  if (bound === undefined) return null
  if (bound === 'min' && limit === 1) return 'must not be empty'
  const of = unit === 'Length' ? 'characters' : unit === 'Items' ? 'items' : 'keys'
  return `must have at ${bound === 'min' ? 'least' : 'most'} ${limit} ${of}`
}

/** What a value of each type is called. */
const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}

/** @example typesInWords('integer,array') // 'a whole number or a list' */
function typesInWords(types: unknown): string {
  return [types]
    .flat()
    .flatMap((one) => String(one).split(','))
    .map((one) => TYPE_WORDS[one] ?? one)
    .join(' or ')
}

/** Which types a value may have beside the one of the rule that it breaks: a rule may be for one of several types. */
function otherTypes({ schemaPath, parentSchema }: ErrorObject, schema: unknown): string[] {
  const [, around = '', rule = ''] = /^#(.*)(\/allOf\/\d+\/then)\/\w+$/.exec(schemaPath) ?? []
  if (rule === '') return []
  const at = (root: unknown, pointer: string): unknown =>
    pathOf(pointer).reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], root)
  // The path begins at the whole schema, or at the definition that the rule is in.
  const { definitions = {} } = schema as { definitions?: object }
  const root = [schema, ...Object.values(definitions)].find((one) => at(one, `${around}${rule}`) === parentSchema)
  const types = at(root, `${around}/type`)
  const own = at(root, `${around}${rule.replace(/then$/, 'if')}/type`)
  return Array.isArray(types) ? types.map(String).filter((one) => one !== own) : []
}

/** What is there instead, if it fits into a message. */
function notThis(data: unknown): string {
  if (typeof data === 'string' && isSecretByName(data)) return ', and what is there begins with sk_, as a secret does'
  return typeof data === 'object' ? '' : `, not ${JSON.stringify(data).slice(0, 60)}`
}

/** The longest example that a message shows. */
const LONGEST_EXAMPLE = 60

function exampleOf({ parentSchema }: ErrorObject): string {
  const [example] = (parentSchema?.['examples'] ?? []) as unknown[]
  const text = example === undefined ? '' : JSON.stringify(example)
  return text === '' || text.length > LONGEST_EXAMPLE ? '' : `, such as ${text}`
}

function pathOf(pointer: string): (string | number)[] {
  if (pointer === '') return []
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part))
}

/**
 * How a key that nothing knows is written instead, for keys that are often put in the wrong place; empty for any other.
 *
 * @example keyHint(['steps', 0, 'call', 'body'], 'same_as') // '; to send what another step sent, use bytes_of ...'
 */
export function keyHint(path: readonly (string | number)[], name: string): string {
  if (name === '<<') return '; the keys of another object are not merged in: write them out'
  const place = path.findLast((part) => typeof part === 'string')
  // Only names of roles have a dot.
  if (place === 'expect' && name.includes('.'))
    return `; what an answer holds goes under roles: expect: { roles: { ${name}: ... } }`
  if (place === 'body' && name === 'same_as')
    return '; to send what another step sent, use bytes_of (the same bytes) or like (the same fields, built again)'
  return ''
}
