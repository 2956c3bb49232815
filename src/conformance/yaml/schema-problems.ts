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

/** Keys that belong elsewhere in a body, with what takes their place there. */
const IN_BODIES: Readonly<Record<string, string>> = {
  same_as: 'to send what another step sent, use bytes_of (the same bytes) or like (the same fields, built again)',
}

/**
 * Where a key that nothing knows would belong, for keys that are often put in the wrong place; empty for any other.
 *
 * @example keyHint(['steps', 0, 'expect'], 'order.public_id') // '; what an answer holds goes under roles: ...'
 */
export function keyHint(path: readonly (string | number)[], name: string): string {
  const key = path.findLast((part) => typeof part === 'string')
  const hint = key === 'expect' ? roleHint(name) : key === 'body' ? IN_BODIES[name] : undefined
  return hint === undefined ? '' : `; ${hint}`
}

/** Only names of roles have a dot. */
function roleHint(name: string): string | undefined {
  return name.includes('.') ? `what an answer holds goes under roles: expect: { roles: { ${name}: ... } }` : undefined
}
