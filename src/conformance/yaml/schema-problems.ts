import type { ErrorObject, ValidateFunction } from 'ajv'
import { didYouMean } from '../../contract/words.ts'
import type { DocumentPath, FileProblem, YamlSource } from './read-yaml.ts'

/** What a schema finds in a document, in a person's words and at the place of each. */
export function schemaProblems(source: YamlSource, validate: ValidateFunction): FileProblem[] {
  if (validate(source.data)) return []
  const seen = new Set<string>()
  const errors = validate.errors ?? []
  const mistyped = new Set(errors.flatMap(({ keyword, instancePath }) => (keyword === 'type' ? [instancePath] : [])))
  return (
    errors
      .filter(({ keyword }) => !WRAPPERS.includes(keyword))
      // A value of the wrong type is none of the allowed ones either: once is enough.
      .filter(({ keyword, instancePath }) => keyword === 'type' || !mistyped.has(instancePath))
      .map((error) => problemOf(source, error))
      .filter(({ line, column, message }) => {
        const key = `${line}:${column}:${message}`
        return !seen.has(key) && seen.add(key)
      })
  )
}

/** Their cause is reported for what they hold. */
const WRAPPERS: readonly string[] = ['if', 'propertyNames']

function problemOf(source: YamlSource, error: ErrorObject): FileProblem {
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
  if (error.propertyName !== undefined)
    return source.problemAtKey([...path, error.propertyName], `unknown key "${error.propertyName}" in ${here}`)
  return source.problemAt(path, `${here} ${saysOf(error)}`)
}

/** What a person would call the place: a key, or a list with the number of its item. */
function placeName(path: DocumentPath): string {
  const [last, before] = [path.at(-1), path.at(-2)]
  if (last === undefined) return 'the file'
  return typeof last === 'number' ? `"${before ?? ''}[${last}]"` : `"${last}"`
}

function saysOf(error: ErrorObject): string {
  if (error.keyword === 'required') return `must have the key "${error.params.missingProperty}"`
  if (error.keyword === 'enum') {
    const allowed = (error.params.allowedValues as unknown[]).map(String)
    const value = String(error.data)
    return `is "${value.slice(0, 60)}", which is none of ${allowed.join(', ')}${didYouMean(value, allowed)}`
  }
  if (error.keyword === 'maxProperties') return `must have at most ${error.params.limit} key`
  if (error.keyword === 'minProperties') return 'must not be empty'
  if (error.keyword === 'pattern')
    return `is "${String(error.data).slice(0, 60)}", which does not match ${error.params.pattern}${exampleOf(error)}`
  return error.message ?? `breaks the rule "${error.keyword}"`
}

function exampleOf({ parentSchema }: ErrorObject): string {
  const [example] = (parentSchema?.['examples'] ?? []) as unknown[]
  return example === undefined ? '' : `; an example is ${example}`
}

function pathOf(pointer: string): (string | number)[] {
  if (pointer === '') return []
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part))
}

/** Keys that are written otherwise, by where they stand, with what takes their place. */
const WRITTEN_OTHERWISE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  body: {
    same_as: 'to send what another step sent, use bytes_of (the same bytes) or like (the same fields, built again)',
  },
  steps: {
    resend: 'write call: { again: STEP }',
    retry: 'write call: { after: STEP }',
    burst: 'write call: { op: ..., at_once: { calls: 8, share: [...] } }',
    until: 'write call: { op: ..., until: 5s }',
    mark: 'events count from the beginning of the scenario; to count from a later step, write events: { after: STEP }',
    quiet: 'write events: { type: ..., none_for: 2s }',
    receive: 'write events: { hook: main }',
    open: 'write page: { open: ... }',
    submit: 'write page: { press: ..., of: STEP }',
  },
  expect: {
    at_most: 'write count: { at_most: 5 }',
    equal: 'write judge: { equal: [...] }',
    differ: 'write judge: { differ: [...] }',
    matches: 'write judge: { body_names: [WORD] }, or roles: { ROLE: { matches: ... } }',
    sorted: 'write judge: oldest_first',
    running: 'write judge: running_balance',
    key_pair: 'write judge: key_pair',
    hides_cause: 'write judge: hides_cause',
  },
}

/**
 * How a key that nothing knows is written instead, for keys of older files and keys that are often put in the wrong place; empty
 * for any other.
 *
 * @example keyHint(['steps', 0], 'resend') // '; write call: { again: STEP }'
 */
export function keyHint(path: readonly (string | number)[], name: string): string {
  const key = path.findLast((part) => typeof part === 'string') ?? ''
  const place = key === 'cleanup' ? 'steps' : key
  const hint = (place === 'expect' ? roleHint(name) : undefined) ?? WRITTEN_OTHERWISE[place]?.[name]
  return hint === undefined ? '' : `; ${hint}`
}

/** Only names of roles have a dot. */
function roleHint(name: string): string | undefined {
  return name.includes('.') ? `what an answer holds goes under roles: expect: { roles: { ${name}: ... } }` : undefined
}
