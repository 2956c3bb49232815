import { parseDuration } from '../../clock/duration.ts'
import type { Template } from './values.ts'

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
 * Everything a template refers to, for the linter.
 *
 * @throws ExpressionSyntaxError
 * @example referencesIn('${first.order.public_id}x') // [['first', 'order', 'public_id']]
 */
export function referencesIn(template: Template): readonly Reference[] {
  if (typeof template === 'string')
    return template.includes('${') ? [...placeholdersOf(template)].flatMap(referencesOf) : []
  if (typeof template !== 'object' || template === null) return []
  const known = referred.get(template) ?? Object.values(template).flatMap(referencesIn)
  referred.set(template, known)
  return known
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
  if (typeof template === 'string') return fillText(template, resolve)
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

function fillText(text: string, resolve: (reference: Reference) => unknown): unknown {
  if (!text.includes('${')) return text
  const whole = /^\$\{([^}]*)\}$/.exec(text)
  if (whole) return evaluate(parse(whole[1] ?? ''), resolve)
  return text.replace(PLACEHOLDER, (match, inside: string | undefined) => {
    if (match === '$${') return '${'
    return asText(evaluate(parse(inside ?? ''), resolve))
  })
}

function* placeholdersOf(text: string): Generator<Expression> {
  if (!text.includes('${')) return
  for (const match of text.matchAll(PLACEHOLDER)) {
    if (match[0] !== '$${') yield parse(match[1] ?? '')
  }
}

function referencesOf(expression: Expression): Reference[] {
  return [expression.first, ...expression.rest.map(({ operand }) => operand)].flatMap((operand) =>
    operand.kind === 'reference' ? [operand.reference] : [],
  )
}

/** Scenarios have few different expressions and use them often. */
const parsed = new Map<string, Expression>()
const MOST_KEPT = 5_000

function parse(text: string): Expression {
  const known = parsed.get(text)
  if (known) return known
  if (parsed.size >= MOST_KEPT) parsed.clear()
  const expression = parsedAnew(text)
  parsed.set(text, expression)
  return expression
}

function parsedAnew(text: string): Expression {
  const tokens = tokensOf(text)
  const first = operandOf(tokens[0], text)
  const rest: Expression['rest'] = []
  for (let i = 1; i < tokens.length; i += 2) {
    const sign = tokens[i]
    if (sign !== '+' && sign !== '-') throw new ExpressionSyntaxError(`\${${text}} lacks a + or - before "${sign}"`)
    rest.push({ sign: sign === '+' ? 1 : -1, operand: operandOf(tokens[i + 1], text) })
  }
  return { first, rest }
}

function tokensOf(text: string): string[] {
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
  return tokens
}

function operandOf(token: string | undefined, text: string): Operand {
  if (token === undefined || token === '+' || token === '-')
    throw new ExpressionSyntaxError(`\${${text}} lacks a value`)
  if (/^[A-Za-z_]/.test(token)) return { kind: 'reference', reference: referenceOf(token) }
  if (/[smhd]$/.test(token)) return { kind: 'duration', ms: parseDuration(token) ?? 0 }
  return { kind: 'number', value: Number(token) }
}

function referenceOf(token: string): Reference {
  return token.split('.').flatMap((part) => {
    const [name = '', ...indexes] = part.split('[')
    return [name, ...indexes.map((index) => Number(index.slice(0, -1)))]
  })
}

function evaluate(expression: Expression, resolve: (reference: Reference) => unknown): unknown {
  const valueAt = (operand: Operand): unknown => {
    if (operand.kind === 'reference') return resolve(operand.reference)
    return operand.kind === 'number' ? operand.value : { ms: operand.ms }
  }
  return expression.rest.reduce(
    (sum, { sign, operand }) => added(sum, sign, valueAt(operand)),
    valueAt(expression.first),
  )
}

function added(left: unknown, sign: 1 | -1, right: unknown): unknown {
  if (typeof left === 'number' && typeof right === 'number') return left + sign * right
  if (typeof left === 'string' && isDuration(right)) {
    const at = new Date(Date.parse(left) + sign * right.ms)
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
