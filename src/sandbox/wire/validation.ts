import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { parseInstant } from '../../clock/instant.ts'
import type { QueryPair } from '../../contract/canonical-string.ts'
import { isCountry } from '../../contract/countries.ts'
import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Schema } from '../../contract/schema.ts'
import { counted } from '../../contract/words.ts'
import { normalizeDomain } from '../kernel/domain-name.ts'
import { isPlainText, withControlsEscaped } from './plain-text.ts'

// Strict on purpose: values are not coerced, filled in or dropped, and every fault is named at once (ORD-04).
const ajv = new Ajv({ allErrors: true, strict: true, verbose: true, allowUnionTypes: true })

const EMAIL = /^[^\s\p{Cc}\p{Cs}@<>"'\\,;:()[\]]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/u
const NOT_IN_URLS = /[\s\p{Cc}\p{Cs}\\<>"]/u
const VISIBLE = /^[\x20-\x7e]+$/

const FORMATS: Record<string, { fits(value: string): boolean; says: string }> = {
  domain: { fits: (value) => normalizeDomain(value) !== null, says: 'must be a domain name' },
  'exact-domain': {
    fits: (value) => normalizeDomain(value) === value,
    says: 'must be a domain name in lower case, without a dot at the end, internationalized ones as A-labels',
  },
  email: { fits: (value) => EMAIL.test(value) && !value.includes('..'), says: 'must be an e-mail address' },
  'web-url': { fits: isWebUrl, says: 'must be an absolute http or https URL' },
  instant: {
    fits: (value) => parseInstant(value) !== null,
    says: 'must be an ISO 8601 date, or a date-time with a zone',
  },
  country: { fits: isCountry, says: 'must be a two-letter country code of ISO 3166-1 in upper case' },
  currency: { fits: (value) => /^[A-Z]{3}$/.test(value), says: 'must be a three-letter currency code in upper case' },
  visible: { fits: (value) => VISIBLE.test(value), says: 'must be visible ASCII characters' },
  plain: { fits: isPlainText, says: 'must be one line of text, neither blank nor with control characters' },
}
ajv.addKeyword('x-gap')
for (const [name, { fits }] of Object.entries(FORMATS)) ajv.addFormat(name, fits)

/** The formats that a text may be asked to have. */
export type FormatName = 'domain' | 'exact-domain' | 'email' | 'web-url' | 'currency' | 'visible' | 'plain'

function isWebUrl(value: string): boolean {
  if (!/^https?:\/\/[^/?#]/i.test(value) || NOT_IN_URLS.test(value) || !URL.canParse(value)) return false
  const url = new URL(value)
  return url.username === '' && url.password === ''
}

/** Whether a text has one of the formats that schemas name, for checks field by field. */
export function fitsFormat(format: FormatName, value: string): boolean {
  return FORMATS[format]?.fits(value) ?? false
}

const compiled = new WeakMap<Schema<unknown>, ValidateFunction>()

function validatorOf(schema: Schema<unknown>): ValidateFunction {
  let validate = compiled.get(schema)
  if (!validate) {
    validate = ajv.compile(schema.json)
    compiled.set(schema, validate)
  }
  return validate
}

/** Checks a value from outside against a schema and names every fault (ORD-04). */
export function validated<Type>(schema: Schema<Type>, value: unknown, where: 'body' | 'query'): Type {
  const validate = validatorOf(schema)
  if (validate(value)) return value as Type
  throw new ApiError('validation_error', faultsOf(validate.errors ?? [], where))
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
    if (known && Object.hasOwn(values, name)) throw new ApiError('validation_error', `${name} is given more than once`)
    const isInteger = known && properties[name]?.type === 'integer' && /^-?\d{1,15}$/.test(value)
    Object.defineProperty(values, name, {
      value: isInteger ? Number(value) : value,
      enumerable: true,
      configurable: true,
    })
  }
  return validated(schema, values, 'query')
}

const MAX_FAULTS = 10

function faultsOf(errors: readonly ErrorObject[], where: string): string {
  const sentences = [
    ...new Set(errors.filter((error) => !isSaidByAnother(error, errors)).map((error) => sentence(error, where))),
  ]
  const shown = sentences.slice(0, MAX_FAULTS)
  const left = sentences.length - shown.length
  return shown.join('; ') + (left > 0 ? `; and ${left} more` : '')
}

/** The branches of a choice say more than the choice, and the values that a text may have more than that it is a text. */
function isSaidByAnother(
  { keyword, instancePath, parentSchema }: ErrorObject,
  errors: readonly ErrorObject[],
): boolean {
  if (keyword !== 'type') return keyword === 'anyOf'
  return errors.some(
    (other) => other.keyword === 'enum' && other.instancePath === instancePath && other.parentSchema === parentSchema,
  )
}

function sentence(error: ErrorObject, where: string): string {
  const field = fieldOf(error.instancePath) || `the ${where}`
  const inside = error.instancePath === '' ? '' : `${fieldOf(error.instancePath)}.`
  switch (error.keyword) {
    case 'required':
      return `${inside}${error.params['missingProperty']} is required`
    case 'additionalProperties':
      return `unknown ${where === 'query' ? 'parameter' : 'field'} ${inside}${plainName(error.params['additionalProperty'])}`
    case 'type':
      return `${field} must be ${withArticle(String(error.params['type']))}${got(error)}`
    case 'format':
      return `${field} ${FORMATS[String(error.params['format'])]?.says ?? 'is malformed'}${got(error)}`
    case 'enum':
      return `${field} must be one of ${(error.params['allowedValues'] as string[]).join(', ')}${got(error)}`
    case 'minLength':
      if ((error.parentSchema as Json)['x-gap']) {
        return `${field}: at least ${counted(error.params['limit'], 'character')}; this is a choice of the sandbox, see gap list`
      }
      return `${field} must have at least ${counted(error.params['limit'], 'character')}${got(error)}`
    default:
      return `${field} ${BOUNDS[error.keyword]?.(error) ?? 'is not valid'}${got(error)}`
  }
}

type Json = Readonly<Record<string, unknown>>

const BOUNDS: Readonly<Record<string, (error: ErrorObject) => string>> = {
  maxLength: ({ params }) => `must have at most ${counted(params['limit'], 'character')}`,
  minItems: ({ params }) => `must have at least ${counted(params['limit'], 'item')}`,
  maxItems: ({ params }) => `must have at most ${counted(params['limit'], 'item')}`,
  minProperties: ({ params }) => `must have at least ${counted(params['limit'], 'field')}`,
  minimum: ({ params }) => `must be at least ${params['limit']}`,
  maximum: ({ params }) => `must be at most ${params['limit']}`,
  pattern: ({ params }) => `must have the form ${params['pattern']}`,
}

function fieldOf(instancePath: string): string {
  return plainName(instancePath.slice(1).replaceAll('/', '.'))
}

/** A name from outside, short and without control characters. */
function plainName(name: unknown): string {
  return withControlsEscaped(JSON.stringify(String(name).slice(0, LIMITS.quotedCharacters)).slice(1, -1))
}

function withArticle(type: string): string {
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`
}

/** Quotes a caller's value for a message: JSON, at most 64 characters (shapes.md). */
export function quoted(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object'
  const text = withControlsEscaped(
    JSON.stringify(typeof value === 'string' ? value.slice(0, LIMITS.quotedCharacters) : value),
  )
  return typeof value === 'string' && value.length > LIMITS.quotedCharacters ? `${text}…` : text
}

function got({ data, parentSchema }: ErrorObject): string {
  const isSecret = (parentSchema as { writeOnly?: boolean } | undefined)?.writeOnly === true
  return data === undefined || isSecret ? '' : `, not ${quoted(data)}`
}
