import { isDeepStrictEqual } from 'node:util'
import { parseDuration } from '../../clock/duration.ts'
import { isEventType } from '../../contract/event-types.ts'
import { record, type Schema } from '../../contract/schema.ts'

/** Plain data in which any string may hold `${...}`. */
export type Template = string | number | boolean | null | Template[] | { [key: string]: Template }

/** A value to equal, or one or more conditions on it. */
export type Matcher = Template | MatcherConditions

interface MatcherConditions {
  equals?: Template
  not?: Template
  matches?: string
  type?: (typeof VALUE_TYPES)[number]
  at_least?: Template
  at_most?: Template
  one_of?: Template[]
  contains?: Template
  present?: boolean
  length?: Matcher
}

/** What a condition on a type may ask for. */
export const VALUE_TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object', 'null'] as const

/** What a scenario that names it gets of the target; `needs` names it too. */
export const FIXTURES = ['listed', 'unlisted', 'live_site', 'topic'] as const

/** First words of `${...}` whose value is looked up before the scenario begins. */
export const LOOKED_UP = [...FIXTURES, 'webhook'] as const

/** Those whose value is found where it is used. */
const FOUND_IN_PLACE = [
  'run',
  'run_number',
  'run_start',
  'uuid',
  'now',
  'today',
  'vars',
  'item',
  'sellable',
  'status',
  'model',
  'receiver',
  'credential',
] as const

/** First words of `${...}` that are not steps. */
export const BUILT_INS: readonly string[] = [...LOOKED_UP, ...FOUND_IN_PLACE]

export type FoundInPlace = (typeof FOUND_IN_PLACE)[number]

/** The id of a step. */
export const STEP_ID = { pattern: '^[a-z][a-z0-9_]*$' }

/** The id of a requirement. */
export const REQUIREMENT_ID = { pattern: '^[A-Z]{2,5}-[0-9]{2}[a-z]?$' }

/** A time such as `10m30s`. */
export const DURATION = { pattern: '^([0-9]+[dhms])+$' }

/** Names to values of any kind; `${...}` may be in any string. */
export function templates(description: string): Schema<Record<string, Template>> {
  return record<Template>(description, { minProperties: 1 })
}

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

function isConditions(matcher: Matcher): matcher is MatcherConditions {
  if (typeof matcher !== 'object' || matcher === null || Array.isArray(matcher)) return false
  const keys = Object.keys(matcher)
  return keys.length > 0 && keys.every((key) => Object.hasOwn(TESTS, key))
}

/**
 * Whether a value is what was asked for. `value` is undefined if there is none.
 *
 * @example matches(3, { at_most: 5 }) // true
 */
export function matches(value: unknown, matcher: Matcher): boolean {
  if (!isConditions(matcher)) return isSame(value, matcher)
  return (Object.entries(matcher) as [keyof MatcherConditions, never][]).every(([name, wanted]) =>
    TESTS[name](value, wanted),
  )
}

/** Whether two values say the same. Domains are the same in any case, and the document leaves open in which a target writes them. */
export function isSame(one: unknown, other: unknown): boolean {
  if (isDeepStrictEqual(one, other)) return true
  if (typeof one !== 'string' || typeof other !== 'string') return false
  return DOMAIN.test(one) && one.toLowerCase() === other.toLowerCase() && !isEventType(one.toLowerCase())
}

/** The form of a domain. */
export const DOMAIN = /^(?=.{4,253}$)(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+\p{L}{2,}$/u

const TESTS: { [Name in keyof MatcherConditions]-?: (value: unknown, wanted: never) => boolean } = {
  equals: (value, wanted) => isSame(value, wanted),
  not: (value, wanted) => !isSame(value, wanted),
  matches: (value, wanted) => typeof value === 'string' && new RegExp(wanted as string, 'u').test(value),
  type(value, wanted) {
    const plain = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
    return (Number.isInteger(value) ? ['integer', 'number'] : [plain]).includes(wanted)
  },
  at_least: (value, wanted) => compare(value, wanted) >= 0,
  at_most: (value, wanted) => compare(value, wanted) <= 0,
  one_of: (value, wanted) => (wanted as unknown[]).some((one) => isSame(value, one)),
  contains: (value, wanted) =>
    typeof value === 'string'
      ? value.includes(String(wanted))
      : Array.isArray(value) && value.some((item) => isDeepStrictEqual(item, wanted)),
  present: (value, wanted) => (value !== undefined && value !== null) === wanted,
  length: (value, wanted) => (typeof value === 'string' || Array.isArray(value)) && matches(value.length, wanted),
}

/** The names of all conditions. */
export const CONDITIONS = Object.keys(TESTS) as (keyof MatcherConditions)[]

/** A matcher in words, as `is 5`, `is at most 5`. */
export function describeMatcher(matcher: Matcher): string {
  if (!isConditions(matcher)) return `is ${shown(matcher)}`
  return Object.entries(matcher)
    .map(([name, wanted]) =>
      name === 'length'
        ? `has a length that ${describeMatcher(wanted as Matcher)}`
        : `${WORDS[name] ?? name} ${shown(wanted)}`,
    )
    .join(' and ')
}

/** Several, each with its name: `order.status is SETTLED`. */
export function matchersInWords(matchers: Record<string, Matcher>): string[] {
  return Object.entries(matchers).map(([name, matcher]) => `${name} ${describeMatcher(matcher)}`)
}

const WORDS: Readonly<Record<string, string>> = {
  equals: 'is',
  not: 'is not',
  matches: 'matches',
  type: 'is of type',
  at_least: 'is at least',
  at_most: 'is at most',
  one_of: 'is one of',
  contains: 'contains',
  present: 'is present:',
}

/** The longest value that a line of a report shows. */
const SHOWN_CHARACTERS = 120

/** A value in a line of a report. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing')
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
}

/** Negative, zero or positive; NaN if the two cannot be compared. Times compare as instants, in any zone. */
export function compare(left: unknown, right: unknown): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right
  if (typeof left !== 'string' || typeof right !== 'string') return Number.NaN
  const [a, b] = [instant(left), instant(right)]
  if (!Number.isNaN(a) && !Number.isNaN(b)) return a - b
  return left === right ? 0 : left < right ? -1 : 1
}

function instant(text: string): number {
  return /^\d{4}-\d\d-\d\d|^\d{8}T/.test(text) ? instantMs(text) : Number.NaN
}

/**
 * The Unix milliseconds of an instant, which ISO 8601 also writes in short; not a number for any other text.
 *
 * @example instantMs('20261129T221724Z') === Date.parse('2026-11-29T22:17:24Z') // true
 */
export function instantMs(text: string): number {
  const [, year, month, day, hour, minute, second = '00'] = OF_UTC.exec(text) ?? []
  return Date.parse(year === undefined ? text : `${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
}

const OF_UTC = /^(\d{4})-?(\d\d)-?(\d\d)T(\d\d):?(\d\d)(?::?(\d\d(?:\.\d+)?))?(?:Z|[+-]00(?::?00)?)$/

/** `sellable[1].price` as `['sellable', 1, 'price']`. */
export type Reference = readonly (string | number)[]

type Operand =
  | { kind: 'reference'; reference: Reference }
  | { kind: 'number'; value: number }
  | { kind: 'duration'; ms: number }
interface Expression {
  first: Operand
  rest: { sign: 1 | -1; operand: Operand }[]
}

/** Whether a reference leads to the secret of the credential that signs. */
export function isSecretOfCredential([first, second]: Reference): boolean {
  return first === 'credential' && second === 'secret'
}

/** Why such a reference is refused in calls, faults and variables. */
export const SECRET_ELSEWHERE = '${credential.secret} may only be named in lacks: the runner never sends it'

/** A `${...}` that cannot be read. */
export class ExpressionSyntaxError extends Error {
  override name = 'ExpressionSyntaxError'
}

/** A sum of things that cannot be added. */
export class ExpressionTypeError extends Error {
  override name = 'ExpressionTypeError'
}

const PLACEHOLDER = /\$\$\{|\$\{([^}]*)\}/g
const TOKEN =
  /\s*(?:([A-Za-z_][\w]*(?:\[\d+\])*(?:\.[A-Za-z_][\w]*(?:\[\d+\])*)*)|(\d+[smhd](?:\d+[smhd])*)|(\d+(?:\.\d+)?)|([+-]))/y

/**
 * Everything that a scenario, or a part of one, refers to.
 *
 * @throws ExpressionSyntaxError
 * @example referencesIn('${first.order.public_id}x') // [['first', 'order', 'public_id']]
 */
export function referencesIn(part: unknown): readonly Reference[] {
  if (typeof part === 'string') {
    if (!part.includes('${')) return []
    const placeholders = [...part.matchAll(PLACEHOLDER)].filter(([whole]) => whole !== '$${')
    return placeholders.flatMap(([, inside = '']) => {
      const { first, rest } = parse(inside)
      const operands = [first, ...rest.map(({ operand }) => operand)]
      return operands.flatMap((operand) => (operand.kind === 'reference' ? [operand.reference] : []))
    })
  }
  if (typeof part !== 'object' || part === null) return []
  const known = referred.get(part)
  if (known) return known
  const found: Reference[] = []
  for (const value of Object.values(part)) for (const reference of referencesIn(value)) found.push(reference)
  referred.set(part, found)
  return found
}

/** Templates do not change, and a run asks for the references of each step again and again. */
const referred = new WeakMap<object, readonly Reference[]>()

/**
 * Fills a template in. A string that is one placeholder takes the value's own type; `$${` is a literal `${`.
 *
 * @throws ExpressionSyntaxError, ExpressionTypeError, and all that `resolve` throws.
 * @example fillIn('${sellable.price + 100}', () => 1_000) // 1100
 */
export function fillIn(template: Template, resolve: (reference: Reference) => unknown): unknown {
  if (typeof template === 'string') {
    if (!template.includes('${')) return template
    const whole = /^\$\{([^}]*)\}$/.exec(template)
    if (whole) return evaluate(parse(whole[1] ?? ''), resolve)
    return template.replace(PLACEHOLDER, (match, inside = '') =>
      match === '$${' ? '${' : asText(evaluate(parse(inside), resolve)),
    )
  }
  if (Array.isArray(template)) return template.map((item) => fillIn(item, resolve))
  if (typeof template !== 'object' || template === null) return template
  return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, fillIn(value, resolve)]))
}

/**
 * The template that is filled in as exactly this text, whatever stands in it.
 *
 * @example literal('${uuid}') // '$${uuid}'
 */
export function literal(text: string): string {
  return text.replaceAll('${', () => '$${')
}

/** Scenarios have few different expressions and use them often. */
const parsed = new Map<string, Expression>()
const MOST_KEPT = 5_000

function parse(text: string): Expression {
  const known = parsed.get(text)
  if (known) return known
  const tokens: string[] = []
  const trimmed = text.trim()
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < trimmed.length) {
    const from = TOKEN.lastIndex
    const match = TOKEN.exec(trimmed)
    if (!match)
      throw new ExpressionSyntaxError(`\${${text}} cannot be read from "${trimmed.slice(from, from + 20)}" on`)
    tokens.push(match[0].trim())
  }
  const expression: Expression = { first: operandOf(tokens[0], text), rest: [] }
  for (let i = 1; i < tokens.length; i += 2) {
    const sign = tokens[i]
    if (sign !== '+' && sign !== '-') throw new ExpressionSyntaxError(`\${${text}} lacks a + or - before "${sign}"`)
    expression.rest.push({ sign: sign === '+' ? 1 : -1, operand: operandOf(tokens[i + 1], text) })
  }
  if (parsed.size >= MOST_KEPT) parsed.clear()
  parsed.set(text, expression)
  return expression
}

function operandOf(token: string | undefined, text: string): Operand {
  if (token === undefined || token === '+' || token === '-')
    throw new ExpressionSyntaxError(`\${${text}} lacks a value`)
  if (/^[A-Za-z_]/.test(token)) {
    const reference = token.split('.').flatMap((part) => {
      const [name = '', ...indexes] = part.split('[')
      return [name, ...indexes.map((index) => Number(index.slice(0, -1)))]
    })
    return { kind: 'reference', reference }
  }
  if (/[smhd]$/.test(token)) return { kind: 'duration', ms: parseDuration(token) ?? 0 }
  return { kind: 'number', value: Number(token) }
}

function evaluate({ first, rest }: Expression, resolve: (reference: Reference) => unknown): unknown {
  const [value, ...values] = [first, ...rest.map(({ operand }) => operand)].map((operand) => {
    if (operand.kind === 'reference') return resolve(operand.reference)
    return operand.kind === 'number' ? operand.value : { ms: operand.ms }
  })
  return rest.reduce((sum, { sign }, index) => added(sum, sign, values[index]), value)
}

function added(left: unknown, sign: 1 | -1, right: unknown): unknown {
  if (typeof left === 'number' && typeof right === 'number') return left + sign * right
  if (typeof left === 'string' && isDuration(right)) {
    const at = new Date(instantMs(left) + sign * right.ms)
    if (!Number.isNaN(at.getTime())) return at.toISOString()
  }
  throw new ExpressionTypeError(`${asText(left)} ${sign === 1 ? '+' : '-'} ${asText(right)} cannot be computed`)
}

function isDuration(value: unknown): value is { ms: number } {
  return typeof value === 'object' && value !== null && typeof (value as { ms?: unknown }).ms === 'number'
}

function asText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
