import { hash } from 'node:crypto'
import { ApiError } from '../../contract/errors.ts'
import { isObject } from '../../contract/is-object.ts'
import { LIMITS } from '../../contract/limits.ts'
import { jsonIn, utf8In } from '../../contract/words.ts'
import { type Call, headerValues } from './call.ts'

/** What of a request its body is read from: names and values in turn as Node read them, and the bytes. */
type JsonRequest = Pick<Call, 'rawHeaders' | 'body'>

export const JSON_TYPE = /^application\/json(?:\s*;\s*charset="?utf-8"?)?$/i

/**
 * Reads a call's body as one JSON object, strictly: right content type, valid UTF-8, no duplicate keys, no nesting
 * beyond 32 levels (ERR-02). The raw bytes must have been authenticated.
 */
export function jsonObjectOf(call: JsonRequest): object {
  requireJsonType(call)
  if (call.body.length === 0) {
    const compared = [{ name: 'the body', sent: null, expected: 'a JSON object' }]
    throw new ApiError('validation_error', 'a JSON object is required as the body', { grounds: { compared } })
  }
  const text = utf8In(call.body)
  if (text === null) throw new ApiError('validation_error', 'the body is not valid UTF-8')
  const value = parseStrictly(text)
  if (!isObject(value)) {
    const compared = [
      {
        name: 'the body',
        sent: Array.isArray(value) ? 'an array' : JSON.stringify(value).slice(0, LIMITS.quotedCharacters),
        expected: 'a JSON object',
      },
    ]
    throw new ApiError('validation_error', 'the body must be a JSON object', { grounds: { compared } })
  }
  return value
}

/** The body is announced as JSON and nothing else, and is not compressed; else 415. */
export function requireJsonType(call: Pick<JsonRequest, 'rawHeaders'>): void {
  const types = headerValues(call, 'content-type')
  if (types.length !== 1 || !JSON_TYPE.test(types[0] as string)) {
    const compared = [{ name: 'Content-Type', sent: types.join(', ') || null, expected: 'application/json' }]
    throw new ApiError('validation_error', 'the Content-Type must be application/json', {
      status: 415,
      grounds: { compared },
    })
  }
  const encodings = headerValues(call, 'content-encoding')
  if (encodings.some((value) => value.toLowerCase() !== 'identity')) {
    const compared = [{ name: 'Content-Encoding', sent: encodings.join(', '), expected: null }]
    throw new ApiError('validation_error', 'the body must not be compressed', { status: 415, grounds: { compared } })
  }
}

/** Parses JSON after a scan that refuses what `JSON.parse` would let pass silently. */
export function parseStrictly(json: string): unknown {
  refuseDepthAndDuplicates(json)
  try {
    return JSON.parse(json)
  } catch (error) {
    throw new ApiError('validation_error', `the body is not valid JSON${placeIn(json, error)}`)
  }
}

/** Where JSON is broken, as far as Node says it. What else it says quotes the body. */
function placeIn(json: string, error: unknown): string {
  const { message } = error as SyntaxError
  if (message === 'Unexpected end of JSON input') return ': it ends too early'
  const at = / at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(message)?.[1]
  if (at === undefined) return ''
  const lines = json.slice(0, Number(at)).split('\n')
  return `: see line ${lines.length}, character ${(lines.at(-1) ?? '').length + 1}`
}

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

/**
 * One pass over the text: depth, duplicate keys, keys that reach for prototypes, rounded numbers. By hand, because expressions
 * take twice the time. Broken JSON is left to `JSON.parse`. A string is a key exactly where a colon follows it inside an object.
 */
function refuseDepthAndDuplicates(json: string): void {
  const keysOfOpen: (Set<string> | null)[] = []
  for (let i = 0; i < json.length; i++) {
    const character = json[i]
    if (character === '{' || character === '[') {
      keysOfOpen.push(character === '{' ? new Set() : null)
      if (keysOfOpen.length > LIMITS.jsonDepth) {
        throw new ApiError('validation_error', `the body is nested deeper than ${LIMITS.jsonDepth} levels`)
      }
    } else if (character === '}' || character === ']') {
      keysOfOpen.pop()
    } else if (character === '"') {
      let end = i + 1
      while (end < json.length && json[end] !== '"') end += json[end] === '\\' ? 2 : 1
      if (end >= json.length) return
      let next = end + 1
      while (json[next] === ' ' || json[next] === '\n' || json[next] === '\r' || json[next] === '\t') next++
      refuseText(json.slice(i, end + 1), json[next] === ':' ? (keysOfOpen.at(-1) ?? null) : null)
      i = end
    } else if (character === '-' || (character !== undefined && character >= '0' && character <= '9')) {
      i = refuseRounded(json, i) - 1
    }
  }
}

const NUMBER = /-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?/y

/**
 * A fraction that is too long for a double would be read as the integer beside it.
 *
 * @returns the end of the number.
 */
function refuseRounded(json: string, start: number): number {
  NUMBER.lastIndex = start
  const [text = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(json) ?? []
  const isFraction = text.length > whole.length + 1
  if (isFraction && Number.isInteger(Number(text)) && !isWhole(whole + fraction, fraction, exponent)) {
    const shown = text.slice(0, LIMITS.quotedCharacters)
    const message = `the number ${shown} has too many digits: it would be read as ${Number(text)}`
    throw new ApiError('validation_error', message)
  }
  return start + Math.max(1, text.length)
}

function isWhole(digits: string, fraction: string, exponent: string): boolean {
  let end = digits.length
  while (digits[end - 1] === '0') end--
  return end === 0 || end - (digits.length - fraction.length) <= Number(exponent)
}

/** @param keys those of the object that the string is a key of; null for a value. */
function refuseText(literal: string, keys: Set<string> | null): void {
  const value = literal.includes('\\') ? (jsonIn(literal) as string | undefined) : literal.slice(1, -1)
  if (value === undefined) return
  if (LONE_SURROGATE.test(value)) throw new ApiError('validation_error', 'the body holds half of a surrogate pair')
  if (!keys) return
  if (value === '__proto__') throw new ApiError('validation_error', 'unknown field __proto__')
  if (keys.has(value)) {
    const shown = JSON.stringify(value.slice(0, LIMITS.quotedCharacters))
    throw new ApiError('validation_error', `${shown} occurs twice in one object`)
  }
  keys.add(value)
}

/**
 * The same for two bodies that say the same in JSON, in any white space, escapes and order of keys. What is not
 * JSON is the same as its own bytes only.
 */
export function jsonFingerprint(body: Uint8Array): string {
  try {
    return hash('sha256', JSON.stringify(inOrder(JSON.parse(utf8In(body) ?? ''))), 'hex')
  } catch {
    return hash('sha256', body, 'hex')
  }
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([name, inner]) => [name, inOrder(inner)]))
}
