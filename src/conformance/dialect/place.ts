import type { EndpointId } from '../../contract/endpoints.ts'
import { type ErrorCode, isErrorCode } from '../../contract/errors.ts'
import { headerIn } from '../../contract/headers.ts'
import { isObject } from '../../contract/is-object.ts'
import { wordsIn } from '../../contract/words.ts'
import { type Found, ROLES, type RoleName, type RoleRow } from '../format/roles.ts'
import { atPointer, type JsonObject, places, plain } from '../http/json-body.ts'
import { noteWith } from '../result/target-addition.ts'
import type { DialectFile, RoleAddress } from '../target/target.ts'
import { instantIn, looksLikeATime } from './instant.ts'
import { type Money, moneyOf, withUnitOfKey } from './money.ts'

/** Where to look: an answer's JSON (or one item of it), its headers, and the operation that gave it. */
export interface Ground {
  json: unknown
  op: EndpointId | null
  headers?: readonly (readonly [string, string])[]
}

/** A value with its place. */
export interface Hit {
  at: string
  value: unknown
}

/** The members of an object by the plain forms of their keys. */
type Members = ReadonlyMap<string, readonly (readonly [key: string, value: unknown])[]>

export function membersOf(value: object): Members {
  const before = membersByObject.get(value)
  if (before) return before
  const members = new Map<string, (readonly [string, unknown])[]>()
  for (const member of Object.entries(value)) {
    const form = plain(member[0])
    const alike = members.get(form)
    if (alike) alike.push(member)
    else members.set(form, [member])
  }
  membersByObject.set(value, members)
  return members
}

/** Answers do not change, and many roles are looked for in each. */
const membersByObject = new WeakMap<object, Members>()

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

/** The line of a target file that places a role, for a person to complete. */
export function roleToTell(name: string, op: EndpointId | null): Readonly<Record<string, unknown>> {
  return { dialect: { roles: { [op === null ? name : `${op}:${name}`]: 'PLACE' } } }
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
  const others = whatElse(name, json)
  const why = `${nothing}${others === '' ? '' : `; it has ${others}`}`
  // Where another answer has shown its place, this one lacks it: a target file that named the place would make that a fault.
  return more === '' ? noteWith(why, roleToTell(name, op)) : why
}

/** The places of an answer that may hold a role, by their kind alone; empty if none does. */
export function whatElse(name: RoleName, json: unknown): string {
  const { kind } = ROLES[name]
  const hits = [...places(json)].filter((one) => mayHold(kind, one.value))
  const times = kind === 'time' ? hits.filter(({ value }) => looksLikeATime(String(value))) : []
  const all = (times.length > 0 ? times : hits).map((one) => one.at)
  const outside = all.filter((one) => !isInEntry(one))
  const at = outside.length > 0 ? outside : all
  return at.length === 0 ? '' : firstOf(at)
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

/** The key that a place ends with. */
export function lastKeyOf(at: string): string {
  return at.slice(at.lastIndexOf('/') + 1)
}

/** Where services keep the cursor of a list that do not put it into the body. */
const CURSOR_HEADERS = wordsIn(`
  x-next-cursor x-next-page-token x-next-page x-cursor x-continuation-token next-cursor next-page-token
`)

const NEXT_HEADER = /^(?:x-)?(?:[a-z]+-)?(?:next|cursor|continuation)(?:-(?:id|key|after|page|token|cursor))?$/i

/** The cursor in a header of its own, else the address of the next page in the header Link. */
export function cursorInHeaders(ground: Ground): Hit | null {
  const header = CURSOR_HEADERS.find((candidate) => (headerIn(ground.headers, candidate) ?? '') !== '')
  if (header !== undefined) return { at: `header:${header}`, value: headerIn(ground.headers, header) }
  const [alike, another] = (ground.headers ?? []).filter(([name, value]) => NEXT_HEADER.test(name) && value !== '')
  if (alike && !another) return { at: `header:${alike[0]}`, value: alike[1] }
  const next = nextLink(headerIn(ground.headers, 'link') ?? '')
  return next === null ? null : { at: 'header:Link', value: next }
}

/**
 * The address of the next page in a Link header; null if it names none.
 *
 * @example nextLink('</orders?after=o2>; rel="next"') // '/orders?after=o2'
 */
export function nextLink(header: string): string | null {
  if (header.length > MAX_LINK_CHARACTERS) return null
  for (const [, address, parameters] of header.matchAll(/<([^<>]*)>([^,<]*)/g))
    if ((parameters ?? '').split(';').some(isRelNext)) return address ?? null
  return null
}

/** Longer than any header Link that pages need: what looks for its parts must not take for ever. */
const MAX_LINK_CHARACTERS = 16 * 1024

function isRelNext(parameter: string): boolean {
  const [name = '', value = ''] = parameter.split('=', 2)
  const relations = value.trim().replaceAll('"', '').toLowerCase()
  return name.trim().toLowerCase() === 'rel' && relations.split(/\s/).includes('next')
}

const INSIDE_NEXT = ['cursor', 'token', 'href', 'url', 'id'] as const

/** A cursor that is wrapped again: `{ next: { href } }`, or a list of links by their `rel`. */
export function unwrapped(hit: Hit): Hit {
  const { at, value } = hit
  if (!isObject(value)) return hit
  const key = INSIDE_NEXT.find((name) => typeof value[name] === 'string' || typeof value[name] === 'number')
  return key === undefined ? hit : { at: `${at}/${key}`, value: value[key] }
}

/** The link called next, where links are a list; null if there is none. */
export function nextInLinkList(json: unknown): Hit | null {
  if (!isObject(json)) return null
  for (const key of ['links', '_links']) {
    const links = json[key]
    const at = Array.isArray(links) ? links.findIndex((link) => isObject(link) && link.rel === 'next') : -1
    if (Array.isArray(links) && at >= 0) return unwrapped({ at: `/${key}/${at}`, value: links[at] })
  }
  return null
}

/** Whether a cursor is the whole address of the next page. */
export function isAddress(cursor: string): boolean {
  return /^(https?:\/)?\//.test(cursor) || /^\?[^=]+=/.test(cursor)
}

/**
 * The parameters in the address of a next page.
 *
 * @example cursorPairs('/orders?limit=1&after=o2') // [['limit', '1'], ['after', 'o2']]
 */
export function cursorPairs(address: string): (readonly [string, string])[] {
  if (!URL.canParse(address, 'http://next.invalid')) return []
  return [...new URL(address, 'http://next.invalid').searchParams]
}

export const keySet = (words: string): ReadonlySet<string> => new Set(wordsIn(words).map(plain))

/** Flags by which services say that a list goes on. */
const MORE = keySet('has_more has_next has_next_page has_more_pages has_more_items more more_available is_truncated')

/** Deeper than any envelope of a list. */
export const ENVELOPE_DEPTH = 4

/**
 * The place of the flag by which an answer says that its list goes on; null if there is none. A flag inside an entry of a list
 * is about that entry.
 *
 * @example flagOfMore({ rows: [], paging: { hasMore: true } }) // '/paging/hasMore'
 */
export function flagOfMore(json: unknown): string | null {
  return flagThatSays(true, json)
}

function flagThatSays(goesOn: boolean, json: unknown): string | null {
  const flag = membersOfEnvelope(json).find(({ key, value }) => value === goesOn && MORE.has(plain(key)))
  return flag?.at ?? null
}

export const INSIDE_AN_ENTRY = /\/\d+\//

/** The members of an answer that are about all of it: what is inside an entry of a list is about that entry. */
export function membersOfEnvelope(json: unknown): (Hit & { key: string })[] {
  return [...places(json, ENVELOPE_DEPTH)].filter(({ at }) => !INSIDE_AN_ENTRY.test(at))
}

/** The beginning that the places of all members of one object have in common. */
export function holderOf(at: string): string {
  return at.slice(0, at.lastIndexOf('/') + 1)
}

/** Keys by which an answer says which page it is. */
export const PAGE = keySet('page current_page page_number page_no page_index number')

/** Keys by which it says how many rows a page has at most, and how many there are on all pages. */
export const SIZE = keySet('per_page page_size limit size items_per_page')
export const TOTAL = keySet(
  'total total_count total_items total_results total_elements total_records total_rows total_entries',
)

/** Keys by which it says how many pages there are. */
export const PAGES = keySet('pages total_pages page_count num_pages')

/** Keys by which it says how many rows come before it. */
export const OFFSET = keySet('offset skip start_index')

/**
 * The place of the number of all rows, where an answer says that there are more behind its own; null if it does not, or says which page
 * it is. Without the length of a page, it counts the rows of its only list. A page that is not full is the last one: what is called a
 * total there counts something else, or what the filter left out too.
 *
 * @example totalBeyond({ rows: [{}], offset: 0, limit: 1, total: 36 }) // '/total'
 */
export function totalBeyond(json: unknown): string | null {
  const members = membersOfEnvelope(json)
  const numbers = members.filter(({ value }) => Number.isInteger(value))
  if (numbers.some(({ key }) => PAGE.has(plain(key)))) return null
  const only = onlyRows(members)
  for (const total of numbers.filter(({ key }) => TOTAL.has(plain(key)))) {
    const beside = numbers.filter(({ at }) => holderOf(at) === holderOf(total.at))
    const [offset, size] = [OFFSET, SIZE].map((keys) => beside.find(({ key }) => keys.has(plain(key)))?.value)
    // A total alone may be an amount.
    const rows = offset !== undefined || plain(total.key) !== 'total' ? only : undefined
    const length = size ?? rows?.length
    const isFull = length !== undefined && (only === undefined || only.length >= Number(length))
    if (isFull && Number(offset ?? 0) + Number(length) < Number(total.value)) return total.at
  }
  return null
}

/** The rows of the only list that an answer has; undefined if it has none, or several. */
export function onlyRows(members: readonly Hit[]): readonly unknown[] | undefined {
  const [only, another] = members.flatMap(({ value }) => (Array.isArray(value) && value.some(isObject) ? [value] : []))
  return another === undefined ? only : undefined
}

/** Keys that are about the next page and no other. */
export const NEXT = keySet('next_cursor next_page_token next_token next_page next_page_url next')

/**
 * Whether an answer has a key for its next page, with nothing in it: a cursor beside that is the one of this page.
 *
 * @example saysThatNothingFollows({ rows: [], page: { cursor: 'o2', next_cursor: null } }) // true
 */
export function saysThatNothingFollows(json: unknown): boolean {
  const next = membersOfEnvelope(json).filter(({ key }) => NEXT.has(plain(key)))
  return next.length > 0 && next.every(({ value }) => value === null || value === '' || value === false)
}

/** Keys by which services name what leads on, however they spell it. */
const LEADS_ON = /next|cursor|continu|after|token|more|resum|bookmark|marker|scroll|position|offset/

/** Keys for the other ends of a list. */
const LEADS_ELSEWHERE = /prev|before|start|first|last|self|current/

/** Whether a key is for another end of a list; `nextStartingAfter` is not. */
function leadsElsewhere(key: string): boolean {
  return LEADS_ELSEWHERE.test(plain(key)) && !/next|after/.test(plain(key))
}

/**
 * The places of an answer that may hold the cursor of its next page: those beside the flag that its list goes on come first. What
 * is inside an entry of a list is about that entry, and `startCursor` is for another end of the list.
 *
 * @example cursorCandidates({ rows: [], paging: { hasMore: true, nextStartingAfter: 'o2' } }) // [{ at: '/paging/nextStartingAfter', value: 'o2' }]
 */
export function cursorCandidates(json: unknown): Hit[] {
  const flag = flagOfMore(json)
  const beside = flag === null ? undefined : holderOf(flag)
  const hits = membersOfEnvelope(json).filter(
    ({ key, value }) =>
      (typeof value === 'string' || typeof value === 'number') &&
      value !== '' &&
      LEADS_ON.test(plain(key)) &&
      !leadsElsewhere(key),
  )
  const isBeside = ({ at }: Hit) => holderOf(at) === beside
  return [...hits.filter(isBeside), ...hits.filter((hit) => !isBeside(hit))].map(({ at, value }) => ({ at, value }))
}

/**
 * The place of what may be the cursor of a list that the runner cannot follow, or else of what says that the list goes on; null if there
 * is none. What the call has sent does not lead on.
 *
 * @example hintOfMore({ rows: [], resume: 'bzI' }, []) // '/resume'
 */
export function hintOfMore(json: unknown, sent: readonly string[], headers: Ground['headers'] = []): string | null {
  if (saysThatNothingFollows(json) || flagThatSays(false, json) !== null) return null
  const hint = cursorCandidates(json).find(({ value }) => typeof value === 'string' && !sent.includes(value))
  return hint?.at ?? totalBeyond(json) ?? countInHeaders(json, headers)
}

/** Headers that count the rows of all pages. */
const COUNT_HEADERS = wordsIn('x-total-count total-count x-pagination-total-count x-total')

/** The header by which a list has more rows than it shows. Where there is a header Link, that one says whether more follows. */
function countInHeaders(json: unknown, headers: NonNullable<Ground['headers']>): string | null {
  if (headerIn(headers, 'link') !== undefined) return null
  const [, last, all] = /(\d+)\/(\d+)$/.exec(headerIn(headers, 'content-range') ?? '') ?? []
  if (all !== undefined) return Number(last) + 1 < Number(all) ? 'header:content-range' : null
  const rows = Array.isArray(json) ? json : onlyRows(membersOfEnvelope(json))
  const header = COUNT_HEADERS.find((name) => rows && Number(headerIn(headers, name)) > rows.length)
  return header === undefined ? null : `header:${header}`
}

/** Where the target file places a role: for this operation, else for all. */
export function toldAddress(
  roles: DialectFile['roles'],
  name: RoleName,
  op: EndpointId | null,
): RoleAddress | undefined {
  return (op === null ? undefined : roles[`${op}:${name}`]) ?? roles[name]
}

/** In the place of a cursor that is the id of the last entry. */
export const LAST_ENTRY = '/-1/'

/** Whether a place is in the last entry of a list. */
export function isInLastEntry(at: string): boolean {
  return at.includes(LAST_ENTRY)
}

/** Roles of what leads to the next page. */
export const CURSORS: ReadonlySet<RoleName> = new Set(['orders.next', 'list.next'])

export function valueAt(name: RoleName, at: string, ground: Ground): unknown {
  const value = at.startsWith('header:')
    ? headerIn(ground.headers, at.slice('header:'.length))
    : atPointer(ground.json, at)
  if (name === 'error.code') return wordOfProblem(value) ?? value
  // A cursor may be there on the last page, too, as is the last entry of a list: it leads on only where the list goes on.
  if (CURSORS.has(name) && flagThatSays(false, ground.json) !== null && flagOfMore(ground.json) === null)
    return undefined
  return at.toLowerCase() === 'header:link' && typeof value === 'string' ? nextLink(value) : value
}

/** What is at a place that an earlier answer has shown; null if nothing does that the role could be. */
export function readAt(name: RoleName, at: string, ground: Ground): Here | null {
  const row = ROLES[name]
  const value = valueAt(name, at, ground)
  return fits(row, value) ? here(row, at, value) : null
}

export function fits(row: RoleRow, value: unknown): boolean {
  if (value === undefined || value === null) return false
  switch (row.kind) {
    case 'text':
    case 'time':
      return typeof value === 'string' || typeof value === 'number'
    case 'number':
      if (isObject(value)) return row.documented !== true && countIn(value) !== null
      return typeof value === 'number' || (typeof value === 'string' && (row.documented === true || DIGITS.test(value)))
    case 'money':
      return moneyOf(value) !== null
    case 'flag':
      return flagOf(value) !== null
    case 'list':
      return Array.isArray(value) && (row.itemHas === undefined || value.length === 0 || holdsItems(row, value))
    case 'object':
      return isObject(value)
    case 'any':
      return true
  }
}

/** A number that is written as a text. */
export const DIGITS = /^\d{1,15}$/

/** Which key of `{ total: 3, value: '65.00' }` counts; null if none does. */
function countIn(value: object): 'total' | 'count' | null {
  const counts = value as { total?: unknown; count?: unknown }
  if (typeof counts.total === 'number') return 'total'
  return typeof counts.count === 'number' ? 'count' : null
}

export function holdsItems(row: RoleRow, value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0 || row.itemHas === undefined) return false
  const wanted = plain(row.itemHas)
  return value.every(
    (item) =>
      isObject(item) &&
      [item, ...Object.values(item)].some(
        (inner) => isObject(inner) && Object.keys(inner).some((key) => plain(key) === wanted),
      ),
  )
}

const YES = new Set(
  wordsIn('yes y true 1 available eligible active for_sale on_sale listed buyable purchasable in_stock').map(plain),
)
const NO = new Set(
  wordsIn(`
    no n false 0 unavailable not_available ineligible not_eligible inactive taken sold sold_out not_for_sale reserved held
    on_hold unlisted not_listed out_of_stock
  `).map(plain),
)

/** `true`, `1`, `"yes"` and `"FOR_SALE"` are yes; null if a value is neither yes nor no. */
export function flagOf(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value
  if (typeof value !== 'string' && typeof value !== 'number') return null
  const word = String(value)
    .toLowerCase()
    .replaceAll(/[\s_-]/g, '')
  if (YES.has(word)) return true
  return NO.has(word) ? false : null
}

/** A value that was found. */
type Here = Extract<Found, { found: true }>

/** What is at a place, as its role has it: a number that is inside an object, a flag, an instant, or an amount with the unit that its key shows. */
export function here(row: RoleRow, at: string, value: unknown, unit: Money['unit'] = null): Here {
  const count = row.kind === 'number' && isObject(value) ? countIn(value) : null
  if (count !== null) return { found: true, value: (value as JsonObject)[count], at: `${at}/${count}` }
  // Where the document shows a number, a text in its place is something else.
  if (row.kind === 'number' && !row.documented && typeof value === 'string')
    return { found: true, value: Number(value), at }
  // Where the document shows a flag it is true or false, and words for that are something else.
  if (row.kind === 'flag') return { found: true, value: row.documented ? value : (flagOf(value) ?? value), at }
  if (row.kind === 'time' && !row.documented) {
    return { found: true, value: instantIn(String(value)) ?? value, at }
  }
  const amount = row.kind === 'money' ? moneyOf(value) : null
  if (amount === null) return { found: true, value, at }
  const money = withUnitOfKey(lastKeyOf(at), amount)
  return { found: true, value: { ...money, unit: unit ?? money.unit }, at }
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
