import { Buffer } from 'node:buffer'
import { isObject } from '../contract/is-object.ts'

/** What a page of data may have: about what an agent reads at once, and far more than the lists of most worlds and runs. */
const PAGE_BYTES = 18_000
/** What an answer may have in the two forms that the protocol carries, as text and as structured content. */
const BOTH_FORMS_BYTES = 45_000
const TEXT_CHARACTERS = 1_200
/** What is left of the texts of a single row that would fill a page. */
const SHORT_TEXT_CHARACTERS = 160
const SHORT_LIST_ROWS = 8

/** A part of an answer, and how to get the rest. */
export interface Page {
  readonly data: unknown
  /** Null at the end. */
  readonly cursor: string | null
  /** Which part it is, and how to get the next; null where it is all. */
  readonly page: string | null
}

/** Where a page begins: so many rows of the answer were shown, and which page of the operator API that is. */
interface PagePlace {
  readonly skip: number
  readonly of: string | null
}

/**
 * @param cursor of the page before.
 * @throws RangeError for a text that is not a cursor.
 * @example placeOf('12@ord_1') // { skip: 12, of: 'ord_1' }
 */
export function placeOf(cursor: string | undefined): PagePlace {
  if (cursor === undefined) return { skip: 0, of: null }
  const [, skip, of] = /^(\d{1,9})(?:@(.+))?$/s.exec(cursor) ?? []
  if (skip === undefined) throw new RangeError('cursor: not one that an answer has given')
  return { skip: Number(skip), of: of ?? null }
}

/**
 * As much of an answer as fits a page. Long texts are cut; of the longest list the rows from the place on are shown, as many as fit.
 *
 * @example pageOf({ orders, next_cursor: 'ord_9' })
 */
export function pageOf(answer: unknown, { skip, of }: PagePlace = { skip: 0, of: null }): Page {
  const { next_cursor: next, ...rest } = isObject(answer) ? answer : { answer }
  const whole = shortened(Array.isArray(answer) ? { rows: answer } : rest, TEXT_CHARACTERS) as Record<string, unknown>
  const following = typeof next === 'string' || typeof next === 'number' ? `0@${next}` : null
  const listName = longestList(whole)
  if (listName === null || (skip === 0 && bytesOf(whole) <= PAGE_BYTES)) {
    const page = following === null ? null : HOW_ON
    return { data: bytesOf(whole) <= PAGE_BYTES ? whole : abridged(whole), cursor: following, page }
  }
  const all = whole[listName] as unknown[]
  const rows = all.slice(skip)
  const around = bytesOf({ ...whole, [listName]: [] })
  const fitting = howManyFit(rows, PAGE_BYTES - around)
  const shown = fitting === 0 ? rows.slice(0, 1).map(abridged) : rows.slice(0, fitting)
  const isLast = shown.length >= rows.length
  const here = `${skip + shown.length}${of === null ? '' : `@${of}`}`
  const cursor = isLast ? following : here
  const part = of === null && following === null ? '' : ' in this part'
  const which = `${listName} ${skip + 1} to ${skip + shown.length} of ${all.length}${part}`
  return { data: { ...whole, [listName]: shown }, cursor, page: cursor === null ? which : `${which}; ${HOW_ON}` }
}

const HOW_ON = 'there are more: call again with the same arguments and this cursor'

function longestList(value: Readonly<Record<string, unknown>>): string | null {
  const lists = Object.entries(value).filter(([, member]) => Array.isArray(member) && member.length > 0)
  const [longest] = lists.sort(([, one], [, other]) => bytesOf(other) - bytesOf(one))
  return longest?.[0] ?? null
}

/** How many rows from the first one fit a page, or so many bytes. */
export function howManyFit(rows: readonly unknown[], bytes = PAGE_BYTES): number {
  let used = 0
  const first = rows.findIndex((row) => {
    used += bytesOf(row) + 1
    return used > bytes
  })
  return first === -1 ? rows.length : first
}

/** An answer of which no page can be asked for again: its lists are cut if it does not fit a page. */
export function onePage(answer: unknown): unknown {
  const whole = shortened(answer, TEXT_CHARACTERS)
  return bytesOf(whole) <= PAGE_BYTES ? whole : abridged(answer)
}

/** How far texts and lists are cut, one after the other. */
const CUTS: readonly [characters: number, rows?: number][] = [
  [TEXT_CHARACTERS],
  [600],
  [300],
  [SHORT_TEXT_CHARACTERS],
  [80, SHORT_LIST_ROWS],
  [80, 4],
  [80, 1],
]

/** An answer whose texts are cut, the longest ones first, until both forms of it are small enough for a client. */
export function fittedAnswer<Answer>(answer: Answer): Answer {
  let fitted: unknown = answer
  for (const [characters, rows] of CUTS) {
    if (bytesOfBothForms(fitted) <= BOTH_FORMS_BYTES) break
    fitted = shortened(answer, characters, rows)
  }
  return fitted as Answer
}

/** As structured content, and as a text that is a member of JSON. */
function bytesOfBothForms(answer: unknown): number {
  const text = JSON.stringify(answer)
  return Buffer.byteLength(text) + bytesOf(text)
}

/** A value that fits a page at any price: its texts and inner lists are cut short. */
function abridged(value: unknown): unknown {
  return shortened(value, SHORT_TEXT_CHARACTERS, SHORT_LIST_ROWS)
}

function shortened(value: unknown, characters: number, rows = Number.POSITIVE_INFINITY): unknown {
  if (typeof value === 'string') return shortText(value, characters)
  if (Array.isArray(value)) {
    const shown = value.slice(0, rows).map((item) => shortened(item, characters, rows))
    return value.length > rows ? [...shown, `… (${value.length - rows} more)`] : shown
  }
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, shortenedMember(name, member, characters, rows)]),
  )
}

/** Half a cursor leads nowhere, and half a command is another one. */
function shortenedMember(name: string, member: unknown, characters: number, rows?: number): unknown {
  if (name === 'cursor') return member
  if (name === 'curl') return typeof member === 'string' && member.length > characters ? null : member
  return shortened(member, characters, rows)
}

/** @example shortText('a'.repeat(2000), 10) // 'aaaaaaaaaa… (1990 more characters)' */
export function shortText(text: string, characters = TEXT_CHARACTERS): string {
  return text.length <= characters
    ? text
    : `${text.slice(0, characters)}… (${text.length - characters} more characters)`
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '')
}
