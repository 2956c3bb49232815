import { Buffer } from 'node:buffer'

/** What a page of data may have. The protocol carries an answer twice, as text and as structured content. */
const PAGE_BYTES = 3_000
/** What an answer may have, so that both forms of it together are below 8 KB. */
const ANSWER_BYTES = 3_600
const TEXT_CHARACTERS = 1_200
/** What is left of the texts of a single row that would fill a page. */
const SHORT_TEXT_CHARACTERS = 160
const SHORT_LIST_ROWS = 8

/** A part of an answer, and how to get the rest. */
export interface Page {
  readonly data: unknown
  /** Null at the end. */
  readonly cursor: string | null
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
 * @example pageOf({ orders, next_cursor: 'ord_9' }, placeOf(undefined))
 */
export function pageOf(answer: unknown, { skip, of }: PagePlace): Page {
  const { next_cursor: next, ...rest } = isRecord(answer) ? answer : { answer }
  const whole = shortened(Array.isArray(answer) ? { rows: answer } : rest, TEXT_CHARACTERS) as Record<string, unknown>
  const following = typeof next === 'string' || typeof next === 'number' ? `0@${next}` : null
  const listName = longestList(whole)
  if (listName === null || (skip === 0 && bytesOf(whole) <= PAGE_BYTES)) {
    return { data: bytesOf(whole) <= PAGE_BYTES ? whole : abridged(whole), cursor: following }
  }
  const rows = (whole[listName] as unknown[]).slice(skip)
  const around = bytesOf({ ...whole, [listName]: [] })
  const fitting = howManyFit(rows, PAGE_BYTES - around)
  const shown = fitting === 0 ? rows.slice(0, 1).map(abridged) : rows.slice(0, fitting)
  const isLast = shown.length >= rows.length
  const here = `${skip + shown.length}${of === null ? '' : `@${of}`}`
  return { data: { ...whole, [listName]: shown }, cursor: isLast ? following : here }
}

function longestList(value: Readonly<Record<string, unknown>>): string | null {
  const lists = Object.entries(value).filter(([, member]) => Array.isArray(member) && member.length > 0)
  const [longest] = lists.sort(([, one], [, other]) => bytesOf(other) - bytesOf(one))
  return longest?.[0] ?? null
}

function howManyFit(rows: readonly unknown[], bytes: number): number {
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

/** An answer whose texts are cut, the longest ones first, until it is small enough for a client. */
export function fittedAnswer<Answer>(answer: Answer): Answer {
  const lengths = [TEXT_CHARACTERS, 600, 300, SHORT_TEXT_CHARACTERS, 80]
  const fitting = lengths.find((characters) => bytesOf(shortened(answer, characters)) <= ANSWER_BYTES)
  if (bytesOf(answer) <= ANSWER_BYTES) return answer
  return shortened(answer, fitting ?? SHORT_TEXT_CHARACTERS, fitting ? undefined : SHORT_LIST_ROWS) as Answer
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
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortened(member, characters, rows)]))
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

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
