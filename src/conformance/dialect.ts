import type { EndpointId } from '../contract/endpoints.ts'
import { isErrorCode } from '../contract/errors.ts'
import { atPointer, isObject, places } from './json-body.ts'
import type { RoleRow } from './role-row.ts'
import { type RoleName, roleRow } from './roles.ts'
import type { DialectFile, RoleAddress } from './target.ts'

/** A value found for a role, or why none was. */
export type Found =
  | { found: true; value: unknown; at: string }
  | { found: false; why: 'absent' | 'ambiguous'; detail: string; documented: boolean }

/** Where to look: an answer's JSON (or one item of it), its headers, and the operation that gave it. */
export interface Ground {
  json: unknown
  op: EndpointId | null
  headers?: readonly (readonly [string, string])[]
}

const WRAPPERS = ['', '/data', '/result', '/response', '/payload', '/item', '/attributes'] as const

/**
 * Finds the value of a role: where the target file says, else at the plausible places, else the only one in the
 * whole answer. Several candidates are ambiguous: never a guess.
 *
 * @example findRole({}, 'order.public_id', { json: { order: { public_id: 'ord_1' } }, op: 'orders.create' })
 */
export function findRole(roles: DialectFile['roles'], name: RoleName, ground: Ground): Found {
  const row = roleRow(name)
  const address = (ground.op === null ? undefined : roles[`${ground.op}:${name}`]) ?? roles[name]
  if (address !== undefined) return atAddress(name, row, address, ground)
  if (name === 'error.code') return findErrorCode(ground)
  if (row.names.length === 0) return findContainer(name, row, ground)
  if (typeof ground.json === 'string' && row.kind === 'text' && name.endsWith('.domain'))
    return here(ground.json, '', row, null)
  return atPlausiblePlace(name, row, ground) ?? atCursorHeader(name, ground) ?? anywhere(name, row, ground)
}

function atAddress(name: RoleName, row: RoleRow, address: RoleAddress, ground: Ground): Found {
  const { at, unit } = typeof address === 'string' ? { at: address, unit: undefined } : address
  const value = at.startsWith('header:') ? headerValue(ground, at.slice(7)) : atPointer(ground.json, at)
  if (value === undefined || value === null) {
    // Somebody who knows the target has said where it stands, so that its absence is no riddle any more.
    const detail = `the target file places ${name} at ${at || 'the root'}, where nothing is`
    return { found: false, why: 'absent', detail, documented: true }
  }
  return here(value, at, row, unit ?? null)
}

/** Where services keep the cursor of a list that do not put it into the body. */
const CURSOR_HEADERS = ['x-next-cursor', 'x-next-page-token', 'x-next-page', 'x-cursor', 'x-continuation-token']

function atCursorHeader(name: RoleName, ground: Ground): Found | null {
  if (name !== 'orders.next' && name !== 'list.next') return null
  const header = CURSOR_HEADERS.find((candidate) => (headerValue(ground, candidate) ?? '') !== '')
  return header === undefined ? null : { found: true, value: headerValue(ground, header), at: `header:${header}` }
}

function headerValue(ground: Ground, name: string): string | undefined {
  return ground.headers?.find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1]
}

function atPlausiblePlace(name: RoleName, row: RoleRow, ground: Ground): Found | null {
  for (const holder of holders(row, ground.json)) {
    for (const key of row.names) {
      const found = inHolder(holder, key, row)
      if (found && fitsItem(row, found.value)) return here(found.value, found.at, row, null)
    }
  }
  if (row.kind === 'list' && Array.isArray(ground.json) && !name.includes('timeline'))
    return here(ground.json, '', row, null)
  return null
}

/** Objects an answer may keep a role in, the likeliest first. */
function* holders(row: RoleRow, json: unknown): Generator<{ at: string; value: object }> {
  for (const wrapper of WRAPPERS) {
    for (const at of [...row.of.map((noun) => `${wrapper}/${noun}`), wrapper]) {
      const value = at === '' ? json : holderAt(json, at)
      if (isObject(value)) yield { at, value }
    }
  }
}

function holderAt(json: unknown, at: string): unknown {
  let value: unknown = json
  for (const part of at.slice(1).split('/')) {
    if (!isObject(value)) return undefined
    const key = Object.keys(value).find((candidate) => plain(candidate) === plain(part))
    value = key === undefined ? undefined : value[key]
  }
  return value
}

function inHolder(
  holder: { at: string; value: object },
  name: string,
  row: RoleRow,
): { at: string; value: unknown } | null {
  for (const [key, value] of Object.entries(holder.value)) {
    if (plain(key) === plain(name) && fits(row, value))
      return { at: `${holder.at}/${key}`, value: withKey(key, value, row) }
  }
  return null
}

function anywhere(name: RoleName, row: RoleRow, ground: Ground): Found {
  const names = new Set(row.names.map(plain))
  const hits: { at: string; value: unknown }[] = []
  for (const { at, key, value } of places(ground.json)) {
    const named = names.has(plain(key)) && fits(row, value) && fitsItem(row, value)
    const onlyList = row.kind === 'list' && row.itemHas !== undefined && holdsItems(row, value)
    if (named || onlyList) hits.push({ at, value: withKey(key, value, row) })
  }
  const values = new Set(hits.map(({ value }) => JSON.stringify(value)))
  const [first] = hits
  if (first && values.size === 1) return here(first.value, first.at, row, null)
  const documented = row.documented === true
  if (hits.length > 1) {
    const detail = `${name} could be ${hits
      .slice(0, 4)
      .map(({ at }) => at)
      .join(' or ')}; name the place in a target file`
    return { found: false, why: 'ambiguous', detail, documented: false }
  }
  return { found: false, why: 'absent', detail: `there is nothing in the answer that could be ${name}`, documented }
}

/** A role without key names is the object that holds what its first noun is known by. */
function findContainer(name: RoleName, row: RoleRow, ground: Ground): Found {
  const known = name === 'order' ? 'public_id' : 'domain'
  if (isObject(ground.json) && Object.hasOwn(ground.json, known)) return here(ground.json, '', row, null)
  const hits = [...places(ground.json)].filter(({ value }) => isObject(value) && Object.hasOwn(value, known))
  const [first] = hits
  if (first && hits.length === 1) return here(first.value, first.at, row, null)
  const why = hits.length > 1 ? 'ambiguous' : 'absent'
  return { found: false, why, detail: `no single object with ${known} is in the answer`, documented: false }
}

const CODE_PLACES = [
  '/code',
  '/error/code',
  '/errors/0/code',
  '/error',
  '/error_code',
  '/errorCode',
  '/error/error_code',
  '/detail/code',
  '/data/code',
  '/error/type',
  '/type',
]

/** The documented code an answer carries, wherever it stands; else what stands at the usual place for codes. */
function findErrorCode(ground: Ground): Found {
  const usual = CODE_PLACES.map((at) => ({ at, value: atPointer(ground.json, at) })).filter(
    ({ value }) => typeof value === 'string',
  )
  const documented = usual.find(({ value }) => isErrorCode(value))
  if (documented) return { found: true, ...documented }
  const hits = [...places(ground.json)].filter(({ value }) => isErrorCode(value))
  const [first] = hits
  if (first && new Set(hits.map(({ value }) => value)).size === 1)
    return { found: true, value: first.value, at: first.at }
  if (hits.length > 1) {
    const detail = `the code could be ${hits
      .slice(0, 4)
      .map(({ at }) => at)
      .join(' or ')}`
    return { found: false, why: 'ambiguous', detail, documented: false }
  }
  const own = usual.find(({ value }) => /^[\w.-]{2,64}$/.test(String(value)))
  if (own) return { found: true, ...own }
  return { found: false, why: 'absent', detail: 'there is no code in the answer', documented: true }
}

function fits(row: RoleRow, value: unknown): boolean {
  if (value === undefined || value === null) return false
  switch (row.kind) {
    case 'text':
    case 'time':
      return typeof value === 'string' || typeof value === 'number'
    case 'number':
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

function fitsItem(row: RoleRow, value: unknown): boolean {
  return row.itemHas === undefined || !Array.isArray(value) || value.length === 0 || holdsItems(row, value)
}

function holdsItems(row: RoleRow, value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0 || row.itemHas === undefined) return false
  const wanted = row.itemHas
  return value.every(
    (item) =>
      isObject(item) && [item, ...Object.values(item)].some((inner) => isObject(inner) && Object.hasOwn(inner, wanted)),
  )
}

/** Money keeps what its key says about the unit, so that `here` can turn it into cents. */
function withKey(key: string, value: unknown, row: RoleRow): unknown {
  if (row.kind !== 'money') return value
  const inCents = /cents$|minor(units)?$/.test(plain(key))
  const amount = moneyOf(value)
  if (amount === null) return value
  return { amount: amount.amount, unit: inCents ? 'cents' : amount.unit } satisfies Money
}

export interface Money {
  amount: number
  /** Null where nothing in the answer tells. */
  unit: 'cents' | 'units' | null
}

/** Reads an amount: a number, a numeric text, or an object that holds one. */
export function moneyOf(value: unknown): Money | null {
  if (typeof value === 'number' && Number.isFinite(value))
    return { amount: value, unit: Number.isInteger(value) ? null : 'units' }
  if (typeof value === 'string' && /^-?\d{1,15}(\.\d{1,4})?$/.test(value)) {
    return { amount: Number(value), unit: value.includes('.') ? 'units' : null }
  }
  if (!isObject(value)) return null
  if (typeof value.unit !== 'undefined' && typeof value.amount === 'number' && Object.keys(value).length === 2)
    return value as unknown as Money
  for (const [key, unit] of MONEY_KEYS) {
    const inner = value[key]
    if (typeof inner === 'number' || typeof inner === 'string') {
      const money = moneyOf(inner)
      if (money) return { amount: money.amount, unit: unit ?? money.unit }
    }
  }
  return null
}

const MONEY_KEYS: readonly (readonly [string, Money['unit']])[] = [
  ['amount_cents', 'cents'],
  ['cents', 'cents'],
  ['minor', 'cents'],
  ['value_cents', 'cents'],
  ['amount', null],
  ['value', null],
]

/** `true`, `"yes"` and `"available"` are yes; null where a text is neither. */
export function flagOf(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value
  const word = String(value).toLowerCase()
  if (['yes', 'true', 'available', 'eligible', 'active'].includes(word)) return true
  if (['no', 'false', 'unavailable', 'not_available', 'ineligible', 'inactive', 'taken', 'sold'].includes(word))
    return false
  return null
}

function here(value: unknown, at: string, row: RoleRow, unit: Money['unit']): Found {
  // Where the document shows a flag it is true or false, and words for that are something else.
  if (row.kind === 'flag') return { found: true, value: row.documented ? value : (flagOf(value) ?? value), at }
  if (row.kind !== 'money') return { found: true, value, at }
  const money = moneyOf(value)
  return { found: true, value: money ? { ...money, unit: unit ?? money.unit } : value, at }
}

/** A key without case, `_` and `-`. */
function plain(key: string): string {
  return key.toLowerCase().replaceAll(/[_-]/g, '')
}
