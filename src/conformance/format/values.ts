import { record, type Schema, string, withExamples } from '../../contract/schema.ts'

/** Plain data in which any string may hold `${...}`. */
export type Template = string | number | boolean | null | Template[] | { [key: string]: Template }

/** A value to equal, or one or more conditions on it. */
export type Matcher = Template | MatcherConditions

export interface MatcherConditions {
  equals?: Template
  not?: Template
  matches?: string
  type?: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object'
  at_least?: Template
  at_most?: Template
  one_of?: Template[]
  contains?: Template
  present?: boolean
  length?: Matcher
}

export function stepId(description?: string): Schema<string> {
  return string(description, { pattern: '^[a-z][a-z0-9_]*$' })
}

export function requirementId(description?: string): Schema<string> {
  return string(description, { pattern: '^[A-Z]{2,5}-[0-9]{2}[a-z]?$' })
}

/** A time such as `10m30s`. */
export function duration(description: string): Schema<string> {
  return withExamples(string(description, { pattern: '^([0-9]+[dhms])+$' }), '10m30s')
}

/** Names to values of any kind; `${...}` may be in any string. */
export function templates(description: string): Schema<Record<string, Template>> {
  return record<Template>(description, { minProperties: 1 })
}

/** What each of several roles or names must be. */
export type Matchers = Record<string, Matcher>

export const MATCHERS = record<Matcher>(
  'Roles or names with what each must be: a value, or conditions (equals, not, matches, type, at_least, at_most, one_of, contains, present, length).',
  { minProperties: 1 },
)

/** One of these words, where it is said already that it is a text. */
export function among<const Word extends string>(words: readonly Word[]): Schema<Word> {
  return { json: { enum: words } }
}

/** One or more of these, where it is said already that it is a list. */
export function some<Type>(items: Schema<Type>): Schema<Type[]> {
  return { json: { items: items.json, minItems: 1 } }
}

/** A key that is present or not: false has no meaning. */
export function said(description: string): Schema<boolean> {
  return { json: { description, const: true } }
}

/** A value as a scenario writes it on one line. */
export function inline(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  return `{ ${Object.entries(value)
    .map(([key, inner]) => `${key}: ${inline(inner)}`)
    .join(', ')} }`
}
