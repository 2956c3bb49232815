import type { EndpointId } from '../../contract/endpoints.ts'
import type { Found } from '../format/roles.ts'
import { isObject } from '../http/json-body.ts'

/** Where to look: an answer's JSON (or one item of it), its headers, and the operation that gave it. */
export interface Ground {
  json: unknown
  op: EndpointId | null
  headers?: readonly (readonly [string, string])[]
  /** Where many roles are looked for in the same JSON, its keys are worked out once. */
  keys?: KeyIndex
}

/** A value with its place. */
export interface Hit {
  at: string
  value: unknown
}

/** The members of an object by the plain forms of their keys. */
type Members = ReadonlyMap<string, readonly (readonly [key: string, value: unknown])[]>

/** The members of objects, worked out once for each. */
export interface KeyIndex {
  of(value: object): Members
}

export function createKeyIndex(): KeyIndex {
  const known = new Map<object, Members>()
  return {
    of(value) {
      const members = known.get(value) ?? membersOf(value)
      known.set(value, members)
      return members
    },
  }
}

function membersOf(value: object): Members {
  const members = new Map<string, (readonly [string, unknown])[]>()
  for (const member of Object.entries(value)) {
    const form = plain(member[0])
    const alike = members.get(form)
    if (alike) alike.push(member)
    else members.set(form, [member])
  }
  return members
}

/** Several places that differ: the runner cannot say which of them is meant. */
export function ambiguous(name: string, hits: readonly Pick<Hit, 'at'>[]): Found {
  const places = hits.map(({ at }) => at)
  const named = places.slice(0, 4).map((at) => at || 'the root')
  const detail = `${name} could be ${named.join(' or ')}; name the place in a target file`
  return { found: false, why: 'ambiguous', detail, documented: false, places }
}

/** Nothing that could be meant. */
export function absent(name: string, json: unknown, documented: boolean): Found {
  // A month by its name is both its beginning and its end.
  const isPeriod = name.startsWith('statement.period_') && isObject(json) && typeof json.period === 'string'
  const detail = isPeriod
    ? 'the statement has one value for its period: write "/period" for both statement.period_start and statement.period_end under dialect.roles'
    : `there is nothing in the answer that could be ${name}`
  return { found: false, why: 'absent', detail, documented }
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

/** The key that a place ends with. */
export function lastKeyOf(at: string): string {
  return at.slice(at.lastIndexOf('/') + 1)
}
