import { ApiError } from '../../contract/errors.ts'

/** A stretch of world time. */
export interface DateWindow {
  /** Inclusive. */
  fromMs?: number | undefined
  /** Exclusive. */
  toMs?: number | undefined
}

/** Which page of a list is wanted. */
export interface Paging {
  /** Id of the last row of the page before. */
  cursor?: string | undefined
  limit: number
}

/** A page of a list, newest first. */
export interface Page<Row> {
  rows: Row[]
  hasMore: boolean
}

export function unknownCursor(): ApiError {
  return new ApiError('validation_error', 'cursor is not one that this list gave out')
}

/** A page, of rows that were read with one more than the limit. */
export function pageOf<Row>(found: readonly Row[], limit: number): Page<Row> {
  return { rows: found.slice(0, limit), hasMore: found.length > limit }
}

/**
 * A page of rows, newest first: those of one partner, or of all where `partnerId` is null. The cursor is a row's id and rows are
 * never renumbered, so what is added meanwhile shifts nothing.
 *
 * @param find the row that a cursor names, of any partner.
 * @throws ApiError validation_error for a cursor that is none of these rows.
 */
export function readPage<Row>(
  { cursor, limit, partnerId = null }: Paging & { partnerId?: string | null },
  find: (id: string) => { seq: number; partnerId?: string } | null,
  read: (page: { beforeSeq: number; limit: number }) => readonly Row[],
): Page<Row> {
  const last = cursor === undefined ? { seq: Number.MAX_SAFE_INTEGER, partnerId } : find(cursor)
  if (!last || (partnerId !== null && last.partnerId !== partnerId)) throw unknownCursor()
  return pageOf(read({ beforeSeq: last.seq, limit: limit + 1 }), limit)
}
