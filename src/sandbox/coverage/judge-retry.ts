import type { ErrorCode } from '../../contract/errors.ts'

/** A refusal, or an answer that never arrived: what a client may have to try again. */
export type Setback = ErrorCode | 'lost_reply'

/** One attempt of an operation, as far as a retry is judged by it. */
export interface Attempt {
  readonly nonce: string
  readonly timestamp: string
  /** Null where it carried none. */
  readonly idempotencyKey: string | null
  /** Digest of target and body. */
  readonly content: string
  readonly isRead: boolean
  /** Wall time of its arrival. */
  readonly receivedAtMs: number
  /** Wall time of its answer. */
  readonly answeredAtMs: number
  /** By a clock that never goes back, and finely enough to say what came first. */
  readonly receivedMonotonicMs: number
  readonly answeredMonotonicMs: number
  /** What it came to; null where it was accepted. */
  readonly setback: Setback | null
  /** What Retry-After said. */
  readonly retryAfterMs: number | null
}

/** What was wrong with a retry, if anything. Null if it cannot be judged. */
type Verdict = { readonly wrong: string | null } | null

/** A timer may fire a moment early, and both ends round. */
const TIMER_SLACK_MS = 25

type FindFault = (before: Attempt, next: Attempt) => string | null

/** After these the same operation is meant to be tried again; any other refusal is final as it stands. */
const FAULTS = {
  rate_limited: waitFault,
  internal_error: sameWriteFault,
  lost_reply: sameWriteFault,
  // The first of the two calls may have taken effect.
  replay_detected: sameWriteFault,
  invalid_timestamp: timestampFault,
} as const satisfies Partial<Record<Setback, FindFault>>

type Retryable = keyof typeof FAULTS

export const RETRYABLE = Object.keys(FAULTS) as Retryable[]

export function isRetryable(setback: Setback): setback is Retryable {
  return Object.hasOwn(FAULTS, setback)
}

/**
 * Whether the next attempt of an operation was right after how the one before ended (document: Errors, Replay protection).
 *
 * @param before an attempt with a setback.
 * @example judgeRetry({ ...sent, setback: 'rate_limited', retryAfterMs: 1_000 }, next) // { wrong: 'came 12 ms after …' }
 */
export function judgeRetry(before: Attempt & { setback: Setback }, next: Attempt): Verdict {
  if (!isRetryable(before.setback)) return judgeRepeat(before, next)
  return { wrong: nonceFault(before, next) ?? FAULTS[before.setback](before, next) }
}

function nonceFault(before: Attempt, next: Attempt): string | null {
  return next.nonce !== '' && next.nonce === before.nonce ? 'the nonce was reused' : null
}

function waitFault(before: Attempt, next: Attempt): string | null {
  const waitedMs = next.receivedAtMs - before.answeredAtMs
  const wantedMs = before.retryAfterMs ?? 0
  if (waitedMs + TIMER_SLACK_MS >= wantedMs) return null
  return `it came after ${Math.round(waitedMs)} ms, but Retry-After said ${wantedMs / 1_000} s`
}

/** Only the same key with the same bytes keeps what may have been done already from being done twice. */
function sameWriteFault(before: Attempt, next: Attempt): string | null {
  if (before.idempotencyKey === null) return null
  if (next.idempotencyKey === null) return 'the Idempotency-Key was missing'
  if (next.idempotencyKey !== before.idempotencyKey) return 'the Idempotency-Key was different'
  return next.content === before.content ? null : 'the body was different under the same Idempotency-Key'
}

function timestampFault(before: Attempt, next: Attempt): string | null {
  if (next.timestamp === before.timestamp) return 'the timestamp was not updated'
  return next.setback === 'invalid_timestamp' ? 'the timestamp was wrong again' : null
}

/**
 * A client must not retry a final refusal unchanged. A retry that worked is not wrong: then something
 * had changed. And a read that found nothing may be asked again on behalf of another user.
 */
function judgeRepeat(before: Attempt, next: Attempt): Verdict {
  const isSame = next.content === before.content && next.idempotencyKey === before.idempotencyKey
  if (before.setback === 'not_found' && before.isRead) return null
  if (isSame && next.setback === before.setback)
    return { wrong: 'the same call was retried unchanged and refused again' }
  return next.setback === null ? { wrong: null } : null
}
