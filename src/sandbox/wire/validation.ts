import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { parseInstant } from '../../clock/instant.ts'
import type { QueryPair } from '../../contract/canonical-string.ts'
import { isCountry } from '../../contract/countries.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Compared } from '../../contract/grounds.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Schema } from '../../contract/schema.ts'
import { closestTo, counted } from '../../contract/words.ts'
import { normalizeDomain } from '../kernel/domain-name.ts'

/** C0, DEL, C1, halves of surrogate pairs, and the two line ends of Unicode. */
const CONTROL = /[\p{Cc}\p{Cs}\u2028\u2029]/u
const UNSHOWN = new RegExp(`${CONTROL.source}|\\p{Cf}`, 'gu')
const ALL_BUT_LINE_FEEDS = new RegExp(`(?!\\n)${CONTROL.source}`, 'gu')

/** Neither white space nor an invisible mark. */
const SEEN = /[^\s\p{Cf}]/u

/** Replaces a character that cannot be shown. */
const REPLACEMENT = '\ufffd'

/**
 * Whether a text is one line that people can read: no control character in it, and something besides blanks. An empty one
 * is left to `minLength`.
 */
export function isPlainText(text: string): boolean {
  return text === '' || (!CONTROL.test(text) && SEEN.test(text))
}

/** HTML that is safe to send, also with old data. A line feed is a blank there and stays. */
export function withoutControls(html: string): string {
  return html.replace(ALL_BUT_LINE_FEEDS, REPLACEMENT)
}

/** Control characters and invisible marks that JSON leaves as they are, written as JSON would write the others. */
function withControlsEscaped(json: string): string {
  return json.replace(UNSHOWN, (character) =>
    character.replaceAll(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  )
}

// Strict on purpose: values are not coerced, filled in or dropped, and every fault is named at once (ORD-04).
const ajv = new Ajv({ allErrors: true, strict: true, verbose: true, allowUnionTypes: true })

const EMAIL = /^(?!.*\.\.)[^\s\p{Cc}\p{Cs}@<>"'\\,;:()[\]]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/u
const NOT_IN_URLS = /[\s\p{Cc}\p{Cs}\\<>"]/u

const FORMATS: Record<string, { fits: RegExp | ((value: string) => boolean); is: string }> = {
  domain: { fits: (value) => normalizeDomain(value) !== null, is: 'a domain name' },
  'exact-domain': {
    fits: (value) => normalizeDomain(value) === value,
    is: 'a domain name in lower case, without a dot at the end, internationalized ones as A-labels',
  },
  email: { fits: EMAIL, is: 'an e-mail address' },
  'web-url': { fits: isWebUrl, is: 'an absolute http or https URL' },
  instant: {
    fits: (value) => parseInstant(value) !== null,
    is: 'an ISO 8601 date, or a date-time with a zone',
  },
  country: { fits: isCountry, is: 'a two-letter country code of ISO 3166-1 in upper case' },
  currency: { fits: /^[A-Z]{3}$/, is: 'a three-letter currency code in upper case' },
  visible: { fits: /^[\x20-\x7e]+$/, is: 'visible ASCII characters' },
  plain: { fits: isPlainText, is: 'one line of text, neither blank nor with control characters' },
}
ajv.addKeyword('x-gap')
for (const [name, { fits }] of Object.entries(FORMATS)) ajv.addFormat(name, fits)

/** The formats that a text may be asked to have. */
type FormatName = 'domain' | 'exact-domain' | 'email' | 'web-url' | 'currency' | 'visible' | 'plain'

function isWebUrl(value: string): boolean {
  if (!/^https?:\/\/[^/?#]/i.test(value) || NOT_IN_URLS.test(value) || !URL.canParse(value)) return false
  const url = new URL(value)
  return url.username === '' && url.password === ''
}

/** Whether a text has one of the formats that schemas name, for checks field by field. */
export function fitsFormat(format: FormatName, value: string): boolean {
  const fits = FORMATS[format]?.fits
  return fits instanceof RegExp ? fits.test(value) : (fits?.(value) ?? false)
}

const compiled = new WeakMap<Schema<unknown>, ValidateFunction>()

/** Checks a value from outside against a schema and names every fault (ORD-04). */
export function validated<Type>(schema: Schema<Type>, value: unknown, where: 'body' | 'query'): Type {
  let validate = compiled.get(schema)
  if (!validate) {
    validate = ajv.compile(schema.json)
    compiled.set(schema, validate)
  }
  if (validate(value)) return value as Type
  throw refusalOf(validate.errors ?? [], where)
}

/**
 * Reads a query by a schema whose members are all scalars: a parameter given twice is refused, digits become the
 * integers a schema asks for.
 */
export function validatedQuery<Type>(schema: Schema<Type>, pairs: readonly QueryPair[]): Type {
  const properties = schema.json['properties'] as Record<string, { type?: string }>
  const values: Record<string, unknown> = {}
  for (const [name, value] of pairs) {
    const known = Object.hasOwn(properties, name)
    if (!known && schema.json['additionalProperties'] === true) continue
    if (known && Object.hasOwn(values, name)) throw givenTwice(name, pairs)
    const isInteger = known && properties[name]?.type === 'integer' && /^-?\d{1,15}$/.test(value)
    Object.defineProperty(values, name, {
      value: isInteger ? Number(value) : value,
      enumerable: true,
      configurable: true,
    })
  }
  return validated(schema, values, 'query')
}

function givenTwice(name: string, pairs: readonly QueryPair[]): ApiError {
  const values = pairs.filter(([other]) => other === name).map(([, value]) => quoted(value))
  return new ApiError('validation_error', `${name} is given more than once`, {
    grounds: { compared: [{ name, sent: values.slice(0, MAX_FAULTS).join(', '), expected: 'one value' }] },
  })
}

const MAX_FAULTS = 10

/** A value that does not fit its schema: the sentence for the caller, and its parts for the request log. */
interface SchemaFault extends Compared {
  readonly says: string
}

/** The refusal of a value that does not fit its schema. Its message names the first faults, for a client wants no book. */
export class SchemaRefusal extends ApiError {
  /** All of them, each once: what is missing or wrong before what is unknown. */
  readonly faults: readonly string[]

  constructor(faults: readonly SchemaFault[]) {
    const shown = faults.slice(0, MAX_FAULTS)
    const left = faults.length - shown.length
    const message = shown.map(({ says }) => says).join('; ') + (left > 0 ? `; and ${left} more` : '')
    const compared = shown.map(({ name, sent, expected }) => ({ name, sent, expected }))
    super('validation_error', message, { grounds: { compared } })
    this.faults = faults.map(({ says }) => says)
  }
}

function refusalOf(errors: readonly ErrorObject[], where: string): SchemaRefusal {
  const faults = new Map<string, SchemaFault>()
  const isUnknown = ({ keyword }: ErrorObject): number => Number(keyword === 'additionalProperties')
  for (const error of [...errors].sort((one, other) => isUnknown(one) - isUnknown(other))) {
    if (isSaidByAnother(error, errors)) continue
    // To look for names alike takes a tenth of a second for all that a body can hold.
    const hint = errors.length > MAX_FAULTS ? '' : nameMeant(error, errors)
    const fault = faultOf(orNull(error, errors), where, hint)
    faults.set(fault.says, fault)
  }
  return new SchemaRefusal([...faults.values()])
}

/** A demand with a place beside it for null, where that would do as well. */
type Fault = ErrorObject & { mayBeNull?: boolean }

function orNull(error: ErrorObject, errors: readonly ErrorObject[]): Fault {
  return {
    ...error,
    mayBeNull: errors.some((other) => other.instancePath === error.instancePath && asksForNull(other)),
  }
}

function asksForNull({ keyword, params }: ErrorObject): boolean {
  return keyword === 'type' && params['type'] === 'null'
}

/**
 * The branches of a choice say more than the choice, what is not null says that it may be null, and the values that a text may have say
 * more than that it is a text.
 */
function isSaidByAnother(error: ErrorObject, errors: readonly ErrorObject[]): boolean {
  const { keyword, instancePath, parentSchema } = error
  if (keyword !== 'type') return keyword === 'anyOf'
  if (asksForNull(error)) return errors.some((other) => other.instancePath === instancePath && !asksForNull(other))
  return errors.some(
    (other) => other.keyword === 'enum' && other.instancePath === instancePath && other.parentSchema === parentSchema,
  )
}

/** @example ' (did you mean status?)' // or nothing */
function nameMeant(error: ErrorObject, errors: readonly ErrorObject[]): string {
  const { keyword, instancePath, params, parentSchema } = error
  if (keyword !== 'additionalProperties') return ''
  const unknown = String(params['additionalProperty'])
  const near =
    closestTo(unknown, Object.keys(parentSchema?.['properties'] ?? {})) ??
    errors
      .filter((other) => other.keyword === 'required' && other.instancePath === instancePath)
      .map((other) => String(other.params['missingProperty']))
      .find((missing) => lastWordOf(unknown) !== undefined && lastWordOf(missing) === lastWordOf(unknown))
  return near === undefined ? '' : ` (did you mean ${near}?)`
}

/** @example lastWordOf('order_id') // 'id' */
function lastWordOf(name: string): string | undefined {
  return name.split('_').slice(1).at(-1)
}

function faultOf(error: Fault, where: string, hint: string): SchemaFault {
  const inside = error.instancePath === '' ? '' : `${fieldOf(error.instancePath)}.`
  const name = fieldOf(error.instancePath) || `the ${where}`
  if (error.keyword === 'required') {
    const missing = `${inside}${error.params['missingProperty']}`
    return { says: `${missing} is required`, name: missing, sent: null, expected: 'a value' }
  }
  if (error.keyword === 'additionalProperties') {
    const kind = where === 'query' ? 'parameter' : 'field'
    const unknown = `${inside}${plainName(error.params['additionalProperty'])}`
    return { says: `unknown ${kind} ${unknown}${hint}`, name: unknown, sent: 'a value', expected: null }
  }
  const sent = sentValue(error)
  const [verb, expected] = DEMANDS[error.keyword]?.(error) ?? ['be', null]
  if (error.keyword === 'minLength' && (error.parentSchema as JsonSchema)['x-gap']) {
    return { says: `${name}: ${expected}; this is a choice of the sandbox, see gap list`, name, sent, expected }
  }
  const orNullToo = error.mayBeNull ? ' or null' : ''
  const demand = expected === null ? 'is not valid' : `must ${verb} ${expected}${orNullToo}`
  return { says: `${name} ${demand}${sent === null || sent === REDACTED ? '' : `, not ${sent}`}`, name, sent, expected }
}

type JsonSchema = Readonly<Record<string, unknown>>

type Demand = readonly [verb: 'be' | 'have', what: string | null]

/** What a value must be or have to fit its schema, by the keyword that it does not meet. */
const DEMANDS: Readonly<Record<string, (error: ErrorObject) => Demand>> = {
  type: ({ params }) => ['be', `${/^[aeiou]/.test(params['type']) ? 'an' : 'a'} ${params['type']}`],
  format: ({ params }) => ['be', FORMATS[String(params['format'])]?.is ?? null],
  enum: ({ params }) => ['be', `one of ${(params['allowedValues'] as string[]).join(', ')}`],
  minLength: ({ params }) => ['have', `at least ${counted(params['limit'], 'character')}`],
  maxLength: ({ params }) => ['have', `at most ${counted(params['limit'], 'character')}`],
  minItems: ({ params }) => ['have', `at least ${counted(params['limit'], 'item')}`],
  maxItems: ({ params }) => ['have', `at most ${counted(params['limit'], 'item')}`],
  minProperties: ({ params }) => ['have', `at least ${counted(params['limit'], 'field')}`],
  minimum: ({ params }) => ['be', `at least ${params['limit']}`],
  maximum: ({ params }) => ['be', `at most ${params['limit']}`],
  pattern: ({ params }) => ['have', `the form ${params['pattern']}`],
}

function fieldOf(instancePath: string): string {
  return plainName(instancePath.slice(1).replaceAll('/', '.'))
}

/** A name from outside, short and without control characters. */
function plainName(name: unknown): string {
  return withControlsEscaped(JSON.stringify(String(name).slice(0, LIMITS.quotedCharacters)).slice(1, -1))
}

/** Quotes a caller's value for a message: JSON, at most 64 characters. */
export function quoted(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object'
  const text = withControlsEscaped(
    JSON.stringify(typeof value === 'string' ? value.slice(0, LIMITS.quotedCharacters) : value),
  )
  return typeof value === 'string' && value.length > LIMITS.quotedCharacters ? `${text}…` : text
}

const REDACTED = '[redacted]'

function sentValue({ data, parentSchema }: ErrorObject): string | null {
  if (data === undefined) return null
  return (parentSchema as { writeOnly?: boolean } | undefined)?.writeOnly === true ? REDACTED : quoted(data)
}
