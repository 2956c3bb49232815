import { parseInstant } from '../../clock/instant.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { WindowFilter } from '../../contract/rules.ts'
import { integer, optional, text } from '../../contract/schema.ts'
import type { DateWindow, Page, Paging } from '../kernel/paging.ts'

const instant = optional(text({ format: 'instant', maxLength: 40 }))

/** The two ends of a date range, as parameters: a date or a date-time each. */
export const windowQuery = { from: instant, to: instant }

/** The parameters of a list that is read page by page. */
export const pagingQuery = {
  cursor: optional(text({ maxLength: 64 })),
  limit: optional(integer({ minimum: LIMITS.listPage.min, maximum: LIMITS.listPage.max })),
}

/**
 * The stretch of time that a query asks for.
 *
 * @param obeyed the filters that have an effect in this world; both in a sound one.
 */
export function windowOf(
  query: { from?: string; to?: string },
  obeyed: readonly string[] = ['from', 'to'] satisfies WindowFilter[],
): DateWindow {
  return {
    ...(query.from !== undefined && obeyed.includes('from') && { fromMs: parseInstant(query.from) as number }),
    ...(query.to !== undefined && obeyed.includes('to') && { toMs: parseInstant(query.to) as number }),
  }
}

export function pagingOf(query: { cursor?: string; limit?: number }): Paging {
  return { cursor: query.cursor, limit: query.limit ?? LIMITS.listPage.default }
}

/** The cursor of the next page; null at the end. */
export function nextCursor<Row>({ rows, hasMore }: Page<Row>, idOf: (row: Row) => string): string | null {
  const last = rows.at(-1)
  return hasMore && last !== undefined ? idOf(last) : null
}
