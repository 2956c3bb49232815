import type { EndpointId } from '../../contract/endpoints.ts'
import { type Found, type RoleName, type RoleRow, roleRow } from '../format/roles.ts'
import { isObject, places } from '../http/json-body.ts'
import { noteWith } from '../result/target-addition.ts'

/** Where to look: an answer's JSON (or one item of it), its headers, and the operation that gave it. */
export interface Ground {
  json: unknown
  op: EndpointId | null
  headers?: readonly (readonly [string, string])[]
  /** Where many roles are looked for in the same JSON, its keys are worked out once. */
  keys?: { of(value: object): Members }
}

/** A value with its place. */
export interface Hit {
  at: string
  value: unknown
}

/** The members of an object by the plain forms of their keys. */
type Members = ReadonlyMap<string, readonly (readonly [key: string, value: unknown])[]>

/** The members of objects, worked out once for each. */
export function createKeyIndex(): NonNullable<Ground['keys']> {
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
export function ambiguous(name: string, hits: readonly Pick<Hit, 'at'>[], op: EndpointId | null): Found {
  const places = hits.map(({ at }) => at)
  const named = places.slice(0, MOST_NAMED).map((at) => at || 'the root')
  const detail = noteWith(`${name} could be ${named.join(' or ')}`, roleToTell(name, op))
  return { found: false, why: 'ambiguous', detail, documented: false, places }
}

const MOST_NAMED = 6

/** Whether a place is in one entry of a list, and so that of no other entry. */
export function isInEntry(at: string): boolean {
  return /\/\d+(\/|$)/.test(at)
}

/** The line of a target file that places a role. */
export function roleToTell(name: string, op: EndpointId | null, at = 'PLACE'): Readonly<Record<string, unknown>> {
  return { dialect: { roles: { [op === null ? name : `${op}:${name}`]: at } } }
}

/** Nothing that could be meant. */
export function absent(name: RoleName, ground: Ground, documented: boolean, more = ''): Found {
  return {
    found: false,
    why: 'absent',
    // Most of what is not found is never reported.
    get detail() {
      return whyAbsent(name, ground, documented, more)
    },
    documented,
  }
}

function whyAbsent(name: RoleName, { json, op }: Ground, documented: boolean, more: string): string {
  // A month by its name is both its beginning and its end.
  if (name.startsWith('statement.period_') && isObject(json) && typeof json.period === 'string') {
    const roles = { 'statement.period_start': '/period', 'statement.period_end': '/period' }
    return noteWith('the statement has one value for its period', { dialect: { roles } })
  }
  const nothing = `there is nothing in the answer that could be ${name}${more}`
  if (documented) return nothing
  const at = [...places(json)].flatMap((one) => (mayHold(roleRow(name).kind, one.value) ? [one.at] : []))
  const others = at.length === 0 ? '' : `; it has ${firstOf(at)}`
  return noteWith(`${nothing}${others}`, roleToTell(name, op))
}

function firstOf(at: readonly string[]): string {
  const rest = at.length - MOST_NAMED
  return `${at.slice(0, MOST_NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

function mayHold(kind: RoleRow['kind'], value: unknown): boolean {
  if (kind === 'list') return Array.isArray(value)
  if (kind === 'object') return isObject(value)
  if (kind === 'flag') return typeof value === 'boolean' || typeof value === 'string'
  const isNumber = typeof value === 'number' || (typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value))
  if (kind === 'number' || kind === 'money') return isNumber
  return typeof value === 'string' || typeof value === 'number'
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
