import type { RoleRow } from '../format/role-row.ts'
import { type RoleName, roleRow } from '../format/roles.ts'
import { atPointer, escapedKey, isObject, places } from '../http/json-body.ts'
import type { DialectFile, RoleAddress } from '../target/target.ts'
import { cursorInHeaders, nextInLinkList, nextLink, unwrapped } from './cursor-place.ts'
import { findErrorCode, wordOfProblem } from './error-code.ts'
import { type Money, moneyOf, sameMoney, withUnitOfKey } from './money-of.ts'
import { absent, ambiguous, type Found, type Ground, type Hit, headerIn, plain } from './place.ts'

export type { Money } from './money-of.ts'
export type { Found, Ground } from './place.ts'

/** What answers are wrapped in. Keys are compared without case, `_` and `-`, so that `_embedded` is among them. */
const WRAPPERS = [
  '',
  '/data',
  '/result',
  '/response',
  '/payload',
  '/item',
  '/attributes',
  '/body',
  '/content',
  '/resource',
  '/node',
  '/embedded',
  '/data/data',
  '/data/item',
  '/data/attributes',
  '/data/result',
  '/result/data',
  '/response/data',
  '/response/result',
  '/payload/data',
] as const

/**
 * Finds the value of a role: where the target file says, else at the plausible places, else the only one in the
 * whole answer. Several candidates are ambiguous: never a guess.
 *
 * @example findRole({}, 'order.public_id', { json: { order: { public_id: 'ord_1' } }, op: 'orders.detail' })
 */
export function findRole(roles: DialectFile['roles'], name: RoleName, ground: Ground): Found {
  const row = roleRow(name)
  const address = (ground.op === null ? undefined : roles[`${ground.op}:${name}`]) ?? roles[name]
  if (address !== undefined) return atAddress(name, row, address, ground)
  if (name === 'error.code') return findErrorCode(ground)
  if (row.names.length === 0) return findContainer(name, row, ground)
  if (typeof ground.json === 'string' && row.kind === 'text' && name.endsWith('.domain'))
    return here(ground.json, '', row, null)
  return (
    byShape(name, row, ground) ??
    atPlausiblePlace(name, row, ground) ??
    atCursorPlace(name, ground) ??
    inSteps(name, row, ground) ??
    anywhere(name, row, ground)
  )
}

/** Of values that give themselves away, the key does not matter: the one under a known name, else the only one there is. */
function byShape(name: RoleName, row: RoleRow, ground: Ground): Found | null {
  const { shape } = row
  if (!shape) return null
  const hits = [...places(ground.json)].filter(({ value }) => typeof value === 'string' && shape.test(value))
  const named = hits.find(({ key }) => row.names.some((known) => plain(known) === plain(key)))
  const hit = named ?? hits[0]
  if (!hit) return null
  if (named || new Set(hits.map(({ value }) => value)).size === 1) return { found: true, value: hit.value, at: hit.at }
  return ambiguous(
    name,
    hits.map(({ at }) => at),
  )
}

function atAddress(name: RoleName, row: RoleRow, address: RoleAddress, ground: Ground): Found {
  const { at, unit } = typeof address === 'string' ? { at: address, unit: undefined } : address
  const value = valueAt(name, at, ground)
  if (value === undefined || value === null) {
    // Somebody who knows the target has said where it stands, so that its absence is no riddle any more.
    const detail = `the target file places ${name} at ${at || 'the root'}, where nothing is`
    return { found: false, why: 'absent', detail, documented: true }
  }
  return here(value, at, row, unit ?? null)
}

function valueAt(name: RoleName, at: string, ground: Ground): unknown {
  const value = at.startsWith('header:') ? headerIn(ground, at.slice('header:'.length)) : atPointer(ground.json, at)
  if (name === 'error.code') return wordOfProblem(value) ?? value
  return at.toLowerCase() === 'header:link' && typeof value === 'string' ? nextLink(value) : value
}

function isCursor(name: RoleName): boolean {
  return name === 'orders.next' || name === 'list.next'
}

function atCursorPlace(name: RoleName, ground: Ground): Found | null {
  if (!isCursor(name)) return null
  const hit = nextInLinkList(ground.json) ?? cursorInHeaders(ground)
  return hit === null ? null : { found: true, ...hit }
}

function atPlausiblePlace(name: RoleName, row: RoleRow, ground: Ground): Found | null {
  for (const holder of holders(row, ground.json)) {
    const hits = row.names.flatMap((key) => inHolder(holder, key, row))
    const [first] = hits
    if (!first) continue
    const rivals = rivalsOf(row, hits)
    if (rivals.length > 1)
      return ambiguous(
        name,
        rivals.map(({ at }) => at),
      )
    const { value, at } = isCursor(name) ? unwrapped(first) : first
    return here(value, at, row, null)
  }
  if (row.kind === 'list' && Array.isArray(ground.json) && !name.includes('timeline'))
    return here(ground.json, '', row, null)
  return null
}

/** What else in the same object means the role as well as the first does, and says something else. */
function rivalsOf(row: RoleRow, hits: readonly Hit[]): readonly Hit[] {
  const [first] = hits
  const equal = row.rivals?.map(plain)
  const isRival = ({ at }: Hit) => equal?.includes(plain(at.slice(at.lastIndexOf('/') + 1)))
  if (!first || !equal || !isRival(first)) return []
  return [first, ...hits.slice(1).filter((hit) => isRival(hit) && !saysTheSame(first.value, hit.value))]
}

function saysTheSame(a: unknown, b: unknown): boolean {
  const [one, other] = [moneyOf(a), moneyOf(b)]
  return one && other ? sameMoney(one, other) : JSON.stringify(a) === JSON.stringify(b)
}

/** Objects an answer may keep a role in, the likeliest first. */
function* holders(row: RoleRow, json: unknown): Generator<{ at: string; value: object }> {
  for (const wrapper of WRAPPERS) {
    for (const at of [...row.of.map((noun) => `${wrapper}/${noun}`), wrapper]) {
      const holder = holderAt(json, at)
      if (!holder || !isObject(holder.value)) continue
      const { attributes, type } = holder.value
      // JSON:API keeps what a thing is beside its attributes; there `type` is a word of the envelope.
      if (isObject(attributes) && typeof type === 'string') yield { at: `${holder.at}/attributes`, value: attributes }
      yield { at: holder.at, value: holder.value }
    }
  }
}

/** What stands at a path whose keys may be written otherwise, and where it really stands. */
function holderAt(json: unknown, path: string): Hit | null {
  let hit: Hit = { at: '', value: json }
  for (const part of path.split('/').slice(1)) {
    const { at, value } = hit
    if (!isObject(value)) return null
    const key = Object.keys(value).find((candidate) => plain(candidate) === plain(part))
    if (key === undefined) return null
    hit = { at: `${at}/${escapedKey(key)}`, value: value[key] }
  }
  return hit
}

function inHolder(holder: { at: string; value: object }, name: string, row: RoleRow): Hit[] {
  return Object.entries(holder.value)
    .filter(([key, value]) => plain(key) === plain(name) && fits(row, value) && fitsItem(row, value))
    .slice(0, 1)
    .map(([key, value]) => counted({ at: `${holder.at}/${escapedKey(key)}`, value: withKey(key, value, row) }, row))
}

function anywhere(name: RoleName, row: RoleRow, ground: Ground): Found {
  const names = new Set(row.names.map(plain))
  const hits: { at: string; value: unknown }[] = []
  for (const { at, key, value } of places(ground.json)) {
    const named = names.has(plain(key)) && fits(row, value) && fitsItem(row, value)
    const onlyList = row.kind === 'list' && row.itemHas !== undefined && holdsItems(row, value)
    if (named || onlyList) hits.push(counted({ at, value: withKey(key, value, row) }, row))
  }
  const values = new Set(hits.map(({ value }) => JSON.stringify(value)))
  const [first] = hits
  if (first && values.size === 1) return here(first.value, first.at, row, null)
  const documented = row.documented === true
  if (hits.length > 1)
    return ambiguous(
      name,
      hits.map(({ at }) => at),
    )
  return absent(name, ground.json, documented)
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

function fits(row: RoleRow, value: unknown): boolean {
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

/** Which key of `{ total: 3, value: '65.00' }` counts; null where none does. */
function countIn(value: object): 'total' | 'count' | null {
  const counts = value as { total?: unknown; count?: unknown }
  if (typeof counts.total === 'number') return 'total'
  return typeof counts.count === 'number' ? 'count' : null
}

/** A number that is wrapped once more, where it really stands. */
function counted(hit: Hit, row: RoleRow): Hit {
  if (row.kind !== 'number' || !isObject(hit.value)) return hit
  const key = countIn(hit.value)
  return key === null ? hit : { at: `${hit.at}/${key}`, value: hit.value[key] }
}

/** A step of a funnel that is a list: the number beside the word for it. */
function inSteps(name: RoleName, row: RoleRow, ground: Ground): Found | null {
  if (!name.startsWith('funnel.') || row.kind !== 'number') return null
  const words = row.names.map(singular)
  const hits = [...places(ground.json)].flatMap(({ at, value }) => {
    if (!isObject(value) || !Object.values(value).some((word) => words.includes(singular(word)))) return []
    const numbers = Object.entries(value).filter(([, number]) => typeof number === 'number')
    const [only] = numbers
    return only && numbers.length === 1 ? [{ at: `${at}/${escapedKey(only[0])}`, value: only[1] }] : []
  })
  const [first] = hits
  return first && hits.length === 1 ? { found: true, ...first } : null
}

function singular(word: unknown): string {
  return typeof word === 'string' ? plain(word).replace(/s$/, '') : ''
}

function fitsItem(row: RoleRow, value: unknown): boolean {
  return row.itemHas === undefined || !Array.isArray(value) || value.length === 0 || holdsItems(row, value)
}

function holdsItems(row: RoleRow, value: unknown): boolean {
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
function withKey(key: string, value: unknown, row: RoleRow): unknown {
  const amount = row.kind === 'money' ? moneyOf(value) : null
  return amount === null ? value : withUnitOfKey(key, amount)
}

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
