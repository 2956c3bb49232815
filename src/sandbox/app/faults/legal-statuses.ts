import { GAPS, type GapId } from '../../../contract/choices.ts'
import { ERROR_CODES, ERRORS, type ErrorCode } from '../../../contract/errors.ts'

/** More exact statuses that HTTP has for the same thing (ERR-02), and the siblings of a 500. */
const MORE_EXACT: Partial<Record<ErrorCode, readonly number[]>> = {
  validation_error: [413, 415],
  internal_error: [502, 503, 504],
}

/**
 * Every status that a code may be answered with: the document's, or where it gives none the values of its open point.
 */
export function legalStatuses(code: ErrorCode): readonly number[] {
  const row: { status: number | null; gap?: GapId } = ERRORS[code]
  const usual = row.status === null ? (GAPS[row.gap as GapId].values as readonly number[]) : [row.status]
  return [...usual, ...(MORE_EXACT[code] ?? [])]
}

/** The codes whose status the document gives, or HTTP, as this one. */
export function codesWith(status: number): ErrorCode[] {
  return ERROR_CODES.filter((code) => ERRORS[code].status === status || MORE_EXACT[code]?.includes(status))
}
