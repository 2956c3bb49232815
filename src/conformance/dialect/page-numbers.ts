import { wordsIn } from '../../contract/words.ts'
import { plain } from '../http/json-body.ts'
import { type Ground, holderOf, membersOfEnvelope, onlyRows, PAGE, PAGES, SIZE, TOTAL } from './place.ts'

/** What an answer says of its pages, in its body or in headers. */
type Said = Pick<Ground, 'json' | 'headers'>

/** What a service may call the parameter that takes the number of a page. */
export const PAGE_NAMES = wordsIn('page page_number page[number] pageNumber page_no p')

/** Keys by which it says, beside that, the number of the last one. */
const LAST = new Set(wordsIn('last_page').map(plain))

/**
 * The number of the page behind this one, of a list whose pages have numbers; null at its end, and where an answer does not say which
 * of how many pages it is.
 *
 * @param first what the first page says, since services count from 0 or from 1.
 * @example nextPageNumber({ json: { page: 1, total_pages: 2 } }, { json: { page: 1, total_pages: 2 } }) // 2
 */
export function nextPageNumber(first: Said, said: Said): number | null {
  const from = pageNumber(first)
  const now = pageNumber(said)
  if (from === null || now === null || from.page > 1) return null
  const last = now.last ?? from.page + (now.count ?? 0) - 1
  return now.page < last ? now.page + 1 : null
}

/**
 * Which page an answer is, beside how many there are or which is the last; null if it does not say so. How many rows there are, and how
 * many are on a page, says how many pages there are.
 *
 * @example pageNumber({ json: { rows: [], page: 1, per_page: 10, total: 36 } }) // { page: 1, count: 4 }
 */
export function pageNumber({ json, headers = [] }: Said): { page: number; count?: number; last?: number } | null {
  const said = Object.fromEntries(headers.flatMap(([name, value]) => memberOf(name, value)))
  return numberIn(membersOfEnvelope(json)) ?? numberIn(membersOfEnvelope({ rows: rowsIn(json), ...said }))
}

/** `X-Total-Pages: 4` as the member of an envelope that it stands for. */
function memberOf(header: string, value: string): [key: string, value: number][] {
  const [, key] = /^(?:x-(?:pagination-)?|pagination-)(.+)$/i.exec(header) ?? []
  return key !== undefined && /^\d{1,9}$/.test(value) ? [[key, Number(value)]] : []
}

function rowsIn(json: unknown): unknown {
  return Array.isArray(json) ? json : onlyRows(membersOfEnvelope(json))
}

function numberIn(members: ReturnType<typeof membersOfEnvelope>): ReturnType<typeof pageNumber> {
  const numbers = members.filter(({ value }) => Number.isInteger(value))
  const rows = onlyRows(members)
  for (const { at, key, value } of numbers) {
    if (!PAGE.has(plain(key))) continue
    const beside = numbers.filter((other) => holderOf(other.at) === holderOf(at))
    const [count, last, total, size] = [PAGES, LAST, TOTAL, SIZE].map((keys) =>
      beside.find((other) => keys.has(plain(other.key))),
    )
    if (count) return { page: Number(value), count: Number(count.value) }
    if (last) return { page: Number(value), last: Number(last.value) }
    const [page, length] = [Number(value), Number(size?.value)]
    // A page that is not full is the last one, whatever the total counts.
    if (total && length > 0)
      return rows && rows.length < length
        ? { page, last: page }
        : { page, count: Math.ceil(Number(total.value) / length) }
  }
  return null
}
