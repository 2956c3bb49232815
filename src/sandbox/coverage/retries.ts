import { hash } from 'node:crypto'
import type { ErrorCode } from '../../contract/errors.ts'
import { HEADERS } from '../../contract/headers.ts'
import { headerValues } from '../wire/call.ts'
import type { Exchange } from '../wire/route.ts'

/** A refusal, or an answer that never arrived: what a client may have to try again. */
export type Setback = ErrorCode | 'lost_reply'

/** One attempt of an operation, as far as a retry is judged by it. */
interface OperationAttempt {
  /** Who asks for what: the key id and the endpoint. */
  readonly owner: string
  readonly nonce: string
  readonly timestamp: string
  /** Null if it carried none. */
  readonly idempotencyKey: string | null
  /** Digest of target and body. */
  readonly content: string
  readonly isRead: boolean
  /** Both by a clock that never goes back, and fine enough to say what came first. */
  readonly receivedMs: number
  readonly answeredMs: number
  /** What it came to; null if it was accepted. */
  readonly setback: Setback | null
  readonly retryAfterMs: number
}

/** An attempt that has to be made again. */
type Failed = OperationAttempt & { readonly setback: Setback }

/** How a retry was judged: which setback it followed, and what was wrong with it, if anything. */
export interface JudgedRetry {
  readonly after: Setback
  readonly wrong: string | null
}

/** A timer may fire a moment early. */
const TIMER_SLACK_MS = 25
/** What is repeated later than that is a new attempt, not a retry. */
const RETRY_WINDOW_MS = 10 * 60_000
const REPEAT_WINDOW_MS = 60_000
/** So many setbacks wait for a retry; then the oldest is forgotten. */
const MOST_OPEN = 1_000

/** After these the same operation is meant to be tried again, and this finds what is wrong; any other refusal is final. */
const FAULTS = {
  rate_limited: waitFault,
  internal_error: sameWriteFault,
  lost_reply: sameWriteFault,
  // The first of the two calls may have taken effect.
  replay_detected: sameWriteFault,
  invalid_timestamp: timestampFault,
} as const satisfies Partial<Record<Setback, (before: OperationAttempt, next: OperationAttempt) => string | null>>

type Retryable = keyof typeof FAULTS

export const RETRYABLE = Object.keys(FAULTS) as Retryable[]

export function isRetryable(setback: Setback): setback is Retryable {
  return Object.hasOwn(FAULTS, setback)
}

/**
 * Remembers setbacks until the same operation is tried again, and judges that retry (document: Errors, Replay protection). The
 * same operation is what the same key asks of the same endpoint: under the same Idempotency-Key, or with the same target and body.
 */
export class Retries {
  /** The setbacks that wait for a retry, the oldest first. */
  open: readonly Failed[] = []

  /**
   * @param setback what the call came to.
   * @param nowMs by a clock that never goes back.
   * @returns how the call was judged as a retry; null if it is not a retry, or cannot be judged.
   */
  follow(finished: Exchange, setback: Setback | null, nowMs: number): JudgedRetry | null {
    const owner = ownerOf(finished)
    // Nothing of a usual call is digested.
    if (setback === null && !this.open.some((open) => open.owner === owner)) return null
    const attempt = attemptOf(finished, { owner, setback, nowMs })
    const before =
      this.open.find(
        (open) =>
          open.owner === owner && open.idempotencyKey !== null && open.idempotencyKey === attempt.idempotencyKey,
      ) ?? this.open.find((open) => open.owner === owner && open.content === attempt.content)
    // What was sent before the refusal had left is neither a retry of it nor a setback of its own.
    if (before && attempt.receivedMs < before.answeredMs) return null
    this.open = this.open.filter((open) => open !== before)
    if (setback !== null) this.open = [...this.open, { ...attempt, setback }].slice(-MOST_OPEN)
    return before ? judgeRetry(before, attempt) : null
  }
}

function ownerOf({ call }: Exchange): string {
  const keyId = call.credential?.keyId ?? headerValues(call, HEADERS.keyId)[0] ?? ''
  return `${keyId} ${call.endpoint ?? call.path}`
}

function attemptOf(
  { call, answer, tookMs }: Exchange,
  { owner, setback, nowMs }: { owner: string; setback: Setback | null; nowMs: number },
): OperationAttempt {
  const isRead = call.method === 'GET'
  const digest = call.body.length === 0 ? '' : hash('sha1', call.body, 'base64')
  return {
    owner,
    nonce: headerValues(call, HEADERS.nonce)[0] ?? '',
    timestamp: headerValues(call, HEADERS.timestamp)[0] ?? '',
    idempotencyKey: isRead ? null : (headerValues(call, HEADERS.idempotencyKey)[0] ?? null),
    content: `${call.method} ${call.target} ${digest}`,
    isRead,
    receivedMs: nowMs - tookMs,
    answeredMs: nowMs,
    setback,
    // Another server may write a date there, which says nothing of seconds.
    retryAfterMs: (Number(answer.headers[HEADERS.retryAfter]) || 0) * 1_000,
  }
}

function judgeRetry(before: Failed, next: OperationAttempt): JudgedRetry | null {
  const { setback } = before
  const pauseMs = next.receivedMs - before.answeredMs
  if (!isRetryable(setback)) return pauseMs > REPEAT_WINDOW_MS ? null : judgeRepeat(before, next)
  if (pauseMs > RETRY_WINDOW_MS) return null
  const isNonceReused = next.nonce !== '' && next.nonce === before.nonce
  return { after: setback, wrong: isNonceReused ? 'the nonce was reused' : FAULTS[setback](before, next) }
}

/**
 * A client must not retry a final refusal unchanged. A retry that worked is not wrong: then something
 * had changed. And a read that found nothing may be sent again on behalf of another user.
 */
function judgeRepeat(before: Failed, next: OperationAttempt): JudgedRetry | null {
  const after = before.setback
  if (after === 'not_found' && before.isRead) return null
  if (next.setback === null) return { after, wrong: null }
  const isSame = next.content === before.content && next.idempotencyKey === before.idempotencyKey
  return isSame && next.setback === after
    ? { after, wrong: 'the same call was retried unchanged and refused again' }
    : null
}

function waitFault(before: OperationAttempt, next: OperationAttempt): string | null {
  const waitedMs = next.receivedMs - before.answeredMs
  if (waitedMs + TIMER_SLACK_MS >= before.retryAfterMs) return null
  return `it came after ${Math.round(waitedMs)} ms, but Retry-After said ${before.retryAfterMs / 1_000} s`
}

/** Only the same key with the same bytes keeps what may have been done already from being done twice. */
function sameWriteFault(before: OperationAttempt, next: OperationAttempt): string | null {
  if (before.idempotencyKey === null) return null
  if (next.idempotencyKey === null) return 'the Idempotency-Key was missing'
  if (next.idempotencyKey !== before.idempotencyKey) return 'the Idempotency-Key was different'
  return next.content === before.content ? null : 'the body was different under the same Idempotency-Key'
}

function timestampFault(before: OperationAttempt, next: OperationAttempt): string | null {
  if (next.timestamp === before.timestamp) return 'the timestamp was not updated'
  return next.setback === 'invalid_timestamp' ? 'the timestamp was wrong again' : null
}
