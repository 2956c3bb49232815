import type { EndpointId } from '../../contract/endpoints.ts'
import { type ErrorCode, isErrorCode } from '../../contract/errors.ts'
import { headerIn } from '../../contract/headers.ts'
import { type Found, type RoleName, type RoleRow, roleRow } from '../format/roles.ts'
import { atPointer, isObject } from '../http/json-body.ts'
import type { DialectFile, RoleAddress } from '../target/target.ts'
import { nextLink } from './cursor-place.ts'
import { type Money, moneyOf, withUnitOfKey } from './money.ts'
import { type Ground, type Hit, isInEntry, lastKeyOf, plain } from './place.ts'

/** Where the target file places a role: for this operation, else for all. */
export function toldAddress(
  roles: DialectFile['roles'],
  name: RoleName,
  op: EndpointId | null,
): RoleAddress | undefined {
  return (op === null ? undefined : roles[`${op}:${name}`]) ?? roles[name]
}

/** The value at the place that the target file names. */
export function atAddress(name: RoleName, address: RoleAddress, ground: Ground): Found {
  const { at, unit } = typeof address === 'string' ? { at: address, unit: undefined } : address
  const value = valueAt(name, at, ground)
  if (value === undefined || value === null) {
    // The target file says where it is, so its absence is certain; unless a list of currencies has fewer entries at times.
    const detail = `the target file places ${name} at ${at || 'the root'}, but the answer has nothing there`
    return { found: false, why: 'absent', detail, documented: roleRow(name).kind !== 'money' || !isInEntry(at) }
  }
  const row = roleRow(name)
  return here(withKey(lastKeyOf(at), value, row), at, row, unit ?? null)
}

function valueAt(name: RoleName, at: string, ground: Ground): unknown {
  const value = at.startsWith('header:')
    ? headerIn(ground.headers, at.slice('header:'.length))
    : atPointer(ground.json, at)
  if (name === 'error.code') return wordOfProblem(value) ?? value
  return at.toLowerCase() === 'header:link' && typeof value === 'string' ? nextLink(value) : value
}

/** What is at a place that an earlier answer has shown; null if nothing does that the role could be. */
export function readAt(name: RoleName, at: string, ground: Ground): Extract<Found, { found: true }> | null {
  const row = roleRow(name)
  const value = valueAt(name, at, ground)
  return fits(row, value) && fitsItem(row, value) ? here(withKey(lastKeyOf(at), value, row), at, row, null) : null
}

export function fits(row: RoleRow, value: unknown): boolean {
  if (value === undefined || value === null) return false
  switch (row.kind) {
    case 'text':
    case 'time':
      return typeof value === 'string' || typeof value === 'number'
    case 'number':
      if (isObject(value)) return row.documented !== true && countIn(value) !== null
      return typeof value === 'number' || (typeof value === 'string' && row.documented === true)
    case 'money':
      return moneyOf(value) !== null
    case 'flag':
      return typeof value === 'boolean' || (typeof value === 'string' && flagOf(value) !== null)
    case 'list':
      return Array.isArray(value)
    case 'object':
      return isObject(value)
    case 'any':
      return true
  }
}

/** Which key of `{ total: 3, value: '65.00' }` counts; null if none does. */
function countIn(value: object): 'total' | 'count' | null {
  const counts = value as { total?: unknown; count?: unknown }
  if (typeof counts.total === 'number') return 'total'
  return typeof counts.count === 'number' ? 'count' : null
}

/** A number inside another object, where it really is. */
export function counted(hit: Hit, row: RoleRow): Hit {
  if (row.kind !== 'number' || !isObject(hit.value)) return hit
  const key = countIn(hit.value)
  return key === null ? hit : { at: `${hit.at}/${key}`, value: hit.value[key] }
}

export function fitsItem(row: RoleRow, value: unknown): boolean {
  return row.itemHas === undefined || !Array.isArray(value) || value.length === 0 || holdsItems(row, value)
}

export function holdsItems(row: RoleRow, value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0 || row.itemHas === undefined) return false
  const wanted = row.itemHas
  return value.every(
    (item) =>
      isObject(item) && [item, ...Object.values(item)].some((inner) => isObject(inner) && hasKey(inner, wanted)),
  )
}

function hasKey(value: object, wanted: string): boolean {
  return Object.keys(value).some((key) => plain(key) === plain(wanted))
}

/** Money keeps what its key says about the unit, so that `here` can turn it into cents. */
export function withKey(key: string, value: unknown, row: RoleRow): unknown {
  const amount = row.kind === 'money' ? moneyOf(value) : null
  return amount === null ? value : withUnitOfKey(key, amount)
}

/** `true`, `"yes"` and `"available"` are yes; null if a text is neither. */
export function flagOf(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value
  const word = String(value).toLowerCase()
  if (['yes', 'true', 'available', 'eligible', 'active'].includes(word)) return true
  if (['no', 'false', 'unavailable', 'not_available', 'ineligible', 'inactive', 'taken', 'sold'].includes(word))
    return false
  return null
}

export function here(value: unknown, at: string, row: RoleRow, unit: Money['unit']): Extract<Found, { found: true }> {
  // Where the document shows a flag it is true or false, and words for that are something else.
  if (row.kind === 'flag') return { found: true, value: row.documented ? value : (flagOf(value) ?? value), at }
  if (row.kind === 'time' && !row.documented) return { found: true, value: instantOf(value), at }
  if (row.kind !== 'money') return { found: true, value, at }
  const money = moneyOf(value)
  return { found: true, value: money ? { ...money, unit: unit ?? money.unit } : value, at }
}

const SECONDS = /^\d{10}(\.\d+)?$/
const MILLISECONDS = /^\d{13}$/

/** A Unix time as the instant it is, so that times compare however they are written; any other value stays. */
function instantOf(value: unknown): unknown {
  const text = String(value)
  if (SECONDS.test(text)) return new Date(Number(text) * 1_000).toISOString()
  return MILLISECONDS.test(text) ? new Date(Number(text)).toISOString() : value
}

/**
 * The documented code that a problem type (RFC 9457) ends with; null if it is not one.
 *
 * @example wordOfProblem('https://x.test/problems/not-found') // 'not_found'
 */
export function wordOfProblem(type: unknown): ErrorCode | null {
  if (typeof type !== 'string' || !/[:/]/.test(type)) return null
  const word = /([A-Za-z_-]+)\/?$/.exec(type)?.[1]?.toLowerCase().replaceAll('-', '_')
  return isErrorCode(word) ? word : null
}
