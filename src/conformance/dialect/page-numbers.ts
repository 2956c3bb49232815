import { wordsIn } from '../../contract/words.ts'
import { places, plain } from '../http/json-body.ts'
import { ENVELOPE_DEPTH, INSIDE_AN_ENTRY } from './place.ts'

/** What a service may call the parameter that takes the number of a page. */
export const PAGE_NAMES = wordsIn('page page_number page[number] pageNumber page_no p')

/** Keys by which an answer says which page it is. */
const PAGE = new Set(wordsIn('page current_page page_number page_no page_index number').map(plain))

/** Keys by which it says, beside that, how many pages there are. */
const PAGES = new Set(wordsIn('pages total_pages page_count last_page num_pages').map(plain))

/**
 * The number of the page behind this one, of a list whose pages are numbered and that has no other sign of its next page; null at its
 * end, and where no answer says which of how many pages it is.
 *
 * @param first what the first page says, since services count from 0 or from 1.
 * @example nextPageNumber({ rows: [], page: 1, total_pages: 2 }, { rows: [], page: 1, total_pages: 2 }) // 2
 */
export function nextPageNumber(first: unknown, json: unknown): number | null {
  const [from, now] = [pageIn(first), pageIn(json)]
  if (from === null || now === null || from.page > 1) return null
  return now.page - from.page + 1 < now.pages ? now.page + 1 : null
}

/** Which page of how many an answer is. */
function pageIn(json: unknown): { page: number; pages: number } | null {
  const numbers = [...places(json, ENVELOPE_DEPTH)].filter(
    ({ at, value }) => Number.isInteger(value) && !INSIDE_AN_ENTRY.test(at),
  )
  const parent = (at: string) => at.slice(0, at.lastIndexOf('/'))
  for (const { at, key, value } of numbers) {
    if (!PAGE.has(plain(key))) continue
    const pages = numbers.find((other) => PAGES.has(plain(other.key)) && parent(other.at) === parent(at))
    if (pages) return { page: Number(value), pages: Number(pages.value) }
  }
  return null
}
