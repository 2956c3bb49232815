import { headerIn } from '../../contract/headers.ts'
import { wordsIn } from '../../contract/words.ts'
import { isObject, places } from '../http/json-body.ts'
import { type Ground, type Hit, plain } from './place.ts'

/** Where services keep the cursor of a list that do not put it into the body. */
const CURSOR_HEADERS = wordsIn(`
  x-next-cursor x-next-page-token x-next-page x-cursor x-continuation-token next-cursor next-page-token
`)

/** The cursor in a header of its own, else the address of the next page in the header Link. */
export function cursorInHeaders(ground: Ground): Hit | null {
  const header = CURSOR_HEADERS.find((candidate) => (headerIn(ground.headers, candidate) ?? '') !== '')
  if (header !== undefined) return { at: `header:${header}`, value: headerIn(ground.headers, header) }
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

/** Flags by which services say that a list goes on. */
const MORE = wordsIn('has_more has_next has_next_page has_more_pages has_more_items more more_available is_truncated')

/** Deeper than any envelope of a list. */
const ENVELOPE_DEPTH = 4

/**
 * The place of the flag by which an answer says that its list goes on; null if there is none. A flag inside an entry of a list
 * is about that entry.
 *
 * @example flagOfMore({ rows: [], paging: { hasMore: true } }) // '/paging/hasMore'
 */
export function flagOfMore(json: unknown): string | null {
  const flags = MORE.map(plain)
  for (const { at, key, value } of places(json, ENVELOPE_DEPTH))
    if (value === true && flags.includes(plain(key)) && !INSIDE_AN_ENTRY.test(at)) return at
  return null
}

const INSIDE_AN_ENTRY = /\/\d+\//

/** Keys by which services name what leads on, however they spell it. */
const LEADS_ON = /next|cursor|continu|after|token|more/

/**
 * The places of an answer that may hold the cursor of its next page: those beside the flag that its list goes on come first. What
 * is inside an entry of a list is about that entry.
 *
 * @example cursorCandidates({ rows: [], paging: { hasMore: true, nextStartingAfter: 'o2' } }) // [{ at: '/paging/nextStartingAfter', value: 'o2' }]
 */
export function cursorCandidates(json: unknown): Hit[] {
  const flag = flagOfMore(json)
  const beside = flag?.slice(0, flag.lastIndexOf('/') + 1)
  const hits = [...places(json, ENVELOPE_DEPTH)].filter(
    ({ at, key, value }) =>
      (typeof value === 'string' || typeof value === 'number') &&
      value !== '' &&
      LEADS_ON.test(plain(key)) &&
      !INSIDE_AN_ENTRY.test(at),
  )
  const isBeside = ({ at }: Hit) => beside !== undefined && at.slice(0, at.lastIndexOf('/') + 1) === beside
  return [...hits.filter(isBeside), ...hits.filter((hit) => !isBeside(hit))].map(({ at, value }) => ({ at, value }))
}
