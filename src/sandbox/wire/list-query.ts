import { parseInstant } from '../../clock/instant.ts'
import type { IdKind } from '../../contract/ids.ts'
import { LIMITS } from '../../contract/limits.ts'
import { id, integer, list, nullable, object, optional, type Schema, text } from '../../contract/schema.ts'
import type { DateWindow, Page, Paging } from '../kernel/paging.ts'
import { ok, type Reply } from './route.ts'

const instant = optional(text({ format: 'instant', maxLength: 40 }))

/** The two ends of a date range, as parameters: a date or a date-time each. */
export const windowQuery = { from: instant, to: instant }

export const pagingQuery = {
  cursor: optional(text({ maxLength: 64 })),
  limit: optional(integer({ minimum: LIMITS.listPage.min, maximum: LIMITS.listPage.max })),
}

export function windowOf({ from, to }: { from?: string; to?: string }): DateWindow {
  return {
    ...(from !== undefined && { fromMs: parseInstant(from) as number }),
    ...(to !== undefined && { toMs: parseInstant(to) as number }),
  }
}

export function pagingOf(query: { cursor?: string; limit?: number }): Paging {
  return { cursor: query.cursor, limit: query.limit ?? LIMITS.listPage.default }
}

export function nextCursor<Row>({ rows, hasMore }: Page<Row>, idOf: (row: Row) => string): string | null {
  const last = rows.at(-1)
  return hasMore && last !== undefined ? idOf(last) : null
}

/** The answer of a list of things of a kind: rows, what it says beside them, and where the next page starts. */
export function listAnswer(
  name: string,
  row: Schema<unknown>,
  cursor: IdKind,
  beside: Record<string, Schema<unknown>> = {},
): Schema<unknown> {
  return object({ [name]: list(row), ...beside, next_cursor: nullable(id(cursor)) })
}

/** The reply that fits {@link listAnswer}. */
export function listReply<Row>(
  name: string,
  page: Page<Row>,
  { present, idOf, beside }: { present(row: Row): object; idOf(row: Row): string; beside?: object },
): Reply {
  return ok({ [name]: page.rows.map(present), ...beside, next_cursor: nextCursor(page, idOf) })
}
