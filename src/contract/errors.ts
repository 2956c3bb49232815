import type { GapChoices, GapId } from './choices.ts'
import type { Grounds } from './grounds.ts'

interface ErrorRow {
  /** The status of the document; null where it gives none, and `gap` names the open point. */
  readonly status: number | null
  readonly gap?: GapId
}

/** Every error code of the document (Errors), with its status. */
export const ERRORS = {
  validation_error: { status: 400 },
  invalid_signature: { status: 401 },
  missing_credentials: { status: 401 },
  forbidden: { status: 403 },
  not_found: { status: 404 },
  conflict: { status: 409 },
  price_mismatch: { status: 422 },
  quote_expired: { status: 422 },
  rate_limited: { status: 429 },
  internal_error: { status: 500 },
  invalid_timestamp: { status: null, gap: 'timestamp-status' },
  replay_detected: { status: null, gap: 'replay-status' },
  missing_signature_headers: { status: null, gap: 'missing-headers-status' },
  missing_idempotency_key: { status: null, gap: 'missing-idempotency-key-status' },
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof ERRORS

/** More exact statuses that HTTP has for the same thing (ERR-02), and the siblings of a 500. */
export const MORE_EXACT: Partial<Record<ErrorCode, readonly number[]>> = {
  validation_error: [413, 415],
  internal_error: [502, 503, 504],
}

export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[]

export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(ERRORS, value)
}

/**
 * The status a code is answered with, under a choice of the open points.
 *
 * @example statusOf('replay_detected', DEFAULT_GAPS) // 401
 */
export function statusOf(code: ErrorCode, gaps: GapChoices): number {
  const row: ErrorRow = ERRORS[code]
  return row.status ?? (gaps[row.gap as GapId] as number)
}

/**
 * A refusal of the partner API: a code of the table and one sentence for a person. Thrown by checks and rules,
 * turned into an answer by sandbox/wire/error-answer.ts alone.
 *
 * @example throw new ApiError('not_found', 'no listing is called "nowhere.test"')
 */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly code: ErrorCode
  /** Overrides the table's status where HTTP has a more exact one (413, 415; ERR-02). */
  readonly status: number | undefined
  /** Whole seconds for Retry-After (ERR-03). */
  readonly retryAfterSeconds: number | undefined
  /** What the request log keeps of why, beside the message. */
  readonly grounds: Grounds | undefined

  constructor(
    code: ErrorCode,
    message: string,
    options: { status?: number; retryAfterSeconds?: number; grounds?: Grounds } = {},
  ) {
    super(message)
    this.code = code
    this.status = options.status
    this.retryAfterSeconds = options.retryAfterSeconds
    this.grounds = options.grounds
  }
}
