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

/**
 * Where a page starts. The cursor is a row's id and rows are never renumbered, so what is added meanwhile shifts nothing.
 *
 * @param seqOf the sequence number of the caller's own row with this id; null for an unknown and for another partner's.
 * @throws ApiError validation_error for a cursor that the list did not give out.
 */
export function startOf(cursor: string | undefined, seqOf: (id: string) => number | null): number {
  if (cursor === undefined) return Number.MAX_SAFE_INTEGER
  const seq = seqOf(cursor)
  if (seq === null) throw unknownCursor()
  return seq
}

export function unknownCursor(): ApiError {
  return new ApiError('validation_error', 'cursor is not one that this list gave out')
}

/** A page, of rows that were read with one more than the limit. */
export function pageOf<Row>(found: readonly Row[], limit: number): Page<Row> {
  return { rows: found.slice(0, limit), hasMore: found.length > limit }
}

/**
 * A page of rows, newest first: those of one partner, or of all where `partnerId` is null.
 *
 * @param find the row that a cursor names, of any partner.
 * @throws ApiError validation_error for a cursor that is none of these rows.
 */
export function readPage<Row>(
  { cursor, limit, partnerId = null }: Paging & { partnerId?: string | null },
  find: (id: string) => { seq: number; partnerId?: string } | null,
  read: (page: { beforeSeq: number; limit: number }) => readonly Row[],
): Page<Row> {
  const beforeSeq = startOf(cursor, (id) => {
    const last = find(id)
    return last && (partnerId === null || last.partnerId === partnerId) ? last.seq : null
  })
  return pageOf(read({ beforeSeq, limit: limit + 1 }), limit)
}
