import { createHash } from 'node:crypto'
import { isObject } from '../../contract/is-object.ts'

/** Reading of JSON from a sender that may be hostile: bounded in depth, walked without recursion. */

/** Deeper answers are treated as no JSON at all. */
const MAX_DEPTH = 64

/** More values than this are not looked at. */
const MAX_VALUES = 20_000

export type JsonObject = { readonly [key: string]: unknown }

interface Place {
  /** JSON pointer from the root. */
  at: string
  key: string
  value: unknown
}

const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true })

/**
 * The value of a JSON body, or undefined if it is not JSON, is not UTF-8 or is nested too deeply.
 *
 * @example parseJson(Buffer.from('{"code":"forbidden"}')) // { code: 'forbidden' }
 */
export function parseJson(body: Uint8Array): unknown {
  if (body.length === 0) return undefined
  // The deepest run of open brackets, strings left out: a bound, taken before the parser sees the text.
  let depth = 0
  let inString = false
  for (let i = 0; i < body.length; i++) {
    const byte = body[i]
    if (inString) {
      if (byte === 0x5c) i++
      else if (byte === 0x22) inString = false
    } else if (byte === 0x22) inString = true
    else if (byte === 0x7b || byte === 0x5b) {
      depth++
      if (depth > MAX_DEPTH) return undefined
    } else if (byte === 0x7d || byte === 0x5d) depth--
  }
  try {
    return JSON.parse(STRICT_UTF8.decode(body))
  } catch {
    return undefined
  }
}

/**
 * The value a JSON pointer leads to; undefined if it leads nowhere. `-1` is the last entry of a list.
 *
 * @example atPointer({ error: { code: 'forbidden' } }, '/error/code') // 'forbidden'
 * @example atPointer({ data: [{ id: 'o1' }, { id: 'o2' }] }, '/data/-1/id') // 'o2'
 */
export function atPointer(root: unknown, pointer: string): unknown {
  return pointer === '' ? root : atKeys(root, keysOf(pointer))
}

/** The keys that a JSON pointer goes through. */
export function keysOf(pointer: string): string[] {
  const parts = pointer.split('/').slice(1)
  return pointer.includes('~') ? parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~')) : parts
}

/** A key as a part of a JSON pointer. */
export function escapedKey(key: string): string {
  return /[~/]/.test(key) ? key.replaceAll('~', '~0').replaceAll('/', '~1') : key
}

/** The value a dotted path leads to, as scenarios write it: `data.order.domain`. */
export function atPath(root: unknown, path: string): unknown {
  return atKeys(root, path.split('.'))
}

/** The value that keys and indexes lead to; -1 is the last item of a list. */
export function atKeys(root: unknown, keys: readonly (string | number)[]): unknown {
  let value = root
  for (const named of keys) {
    const key = named === '-1' && Array.isArray(value) ? String(value.length - 1) : String(named)
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as JsonObject)[key]
  }
  return value
}

/**
 * Every value inside another, breadth first, so that what is near the top comes first.
 *
 * @example [...places({ a: { b: 1 } })].map((place) => place.at) // ['/a', '/a/b']
 */
export function* places(root: unknown, maxDepth = 8): Generator<Place> {
  let level: { at: string; value: unknown }[] = [{ at: '', value: root }]
  let seen = 0
  for (let depth = 0; depth < maxDepth && level.length > 0; depth++) {
    const next: { at: string; value: unknown }[] = []
    for (const { at, value } of level) {
      if (typeof value !== 'object' || value === null) continue
      for (const [key, inner] of Object.entries(value)) {
        if (++seen > MAX_VALUES) return
        const place = { at: `${at}/${escapedKey(key)}`, key, value: inner }
        yield place
        next.push(place)
      }
    }
    level = next
  }
}

/** An object without the members that have no value. */
export function withoutUndefined<Value extends object>(
  value: Value,
): { [Key in keyof Value]: Exclude<Value[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as never
}

/**
 * A key without case, `_` and `-`.
 *
 * @example plain('priceCents') // 'pricecents', as plain('price_cents')
 */
export function plain(key: string): string {
  const known = plainForms.get(key)
  if (known !== undefined) return known
  const form = key.toLowerCase().replaceAll(/[_-]/g, '')
  if (key.length <= LONGEST_KEPT_KEY && plainForms.size < MOST_KEPT_KEYS) plainForms.set(key, form)
  return form
}

/** The same few keys are compared with each other for every answer. A hostile target may send any number of others. */
const plainForms = new Map<string, string>()
const MOST_KEPT_KEYS = 5_000
const LONGEST_KEPT_KEY = 64

/** The same value with the keys of each object in one fixed order. */
export function inKeyOrder(value: unknown): unknown {
  return withEntries(value, (entries) => entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The same value with other entries in each of its objects. */
export function withEntries(value: unknown, change: (entries: [string, unknown][]) => [string, unknown][]): unknown {
  if (Array.isArray(value)) return value.map((item) => withEntries(item, change))
  if (!isObject(value)) return value
  return Object.fromEntries(change(Object.entries(value)).map(([key, inner]) => [key, withEntries(inner, change)]))
}

const DIGEST_CHARACTERS = 12

/** A short word for a JSON value, the same for the same value in any order of its keys. */
export function digest(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(inKeyOrder(value)))
    .digest('hex')
    .slice(0, DIGEST_CHARACTERS)
}
