import { hash } from 'node:crypto'
import type { WallClock } from '../../clock/wall-clock.ts'
import type { ErrorCode } from '../../contract/errors.ts'
import { HEADERS } from '../../contract/headers.ts'
import { type Call, headerValues } from '../wire/call.ts'
import type { Answer } from '../wire/route.ts'

/** A refusal, or an answer that never arrived: what a client may have to try again. */
export type Setback = ErrorCode | 'lost_reply'

/** One attempt of an operation, as far as a retry is judged by it. */
interface Attempt {
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
function judgeRetry(before: Attempt & { setback: Setback }, next: Attempt): Verdict {
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

/** How a retry was judged: which setback it followed, and what was wrong with it, if anything. */
interface JudgedRetry {
  readonly after: Setback
  readonly wrong: string | null
}

/** How a call ended, just now. */
interface Outcome {
  readonly setback: Setback | null
  readonly tookMs: number
  readonly wall: WallClock
}

/** More operations that went wrong are not remembered; the oldest go first. */
const MOST_OPEN = 1_000
/** What is repeated later than that is a new attempt, not a retry. */
const RETRY_WINDOW_MS = 10 * 60_000
const REPEAT_WINDOW_MS = 60_000

/** An attempt that has to be made again. */
type Failed = Attempt & { readonly setback: Setback }

interface Open {
  readonly attempt: Failed
  readonly owner: string
  readonly keys: readonly string[]
}

/**
 * Remembers setbacks until the same operation is tried again. That is what the same credential asks of the same endpoint: under the
 * same Idempotency-Key, or with the same target and body. A call costs no work while its credential has no setback open.
 */
export class Retries {
  readonly #open = new Map<string, Open>()
  /** How many setbacks each owner has open. */
  readonly #owners = new Map<string, number>()

  /** @returns how the call was judged as a retry; null if it is not a retry, or cannot be judged. */
  follow(call: Call, answer: Answer, outcome: Outcome): JudgedRetry | null {
    if (outcome.setback === null && this.#owners.size === 0) return null
    const owner = ownerOf(call)
    if (outcome.setback === null && !this.#owners.has(owner)) return null
    const attempt = attemptOf(call, answer, outcome)
    const keys = keysOf(owner, attempt)
    const before = keys.map((key) => this.#open.get(key)).find((found) => found !== undefined)
    // What was sent before the refusal had left is neither a retry of it nor a setback of its own.
    if (before && attempt.receivedMonotonicMs < before.attempt.answeredMonotonicMs) return null
    if (before) this.#close(before)
    const { setback } = outcome
    if (setback !== null) this.#remember({ attempt: { ...attempt, setback }, owner, keys })
    return before ? judge(before.attempt, attempt) : null
  }

  forget(): void {
    this.#open.clear()
    this.#owners.clear()
  }

  #close({ owner, keys }: Open): void {
    for (const key of keys) this.#open.delete(key)
    const left = (this.#owners.get(owner) ?? 1) - 1
    if (left > 0) this.#owners.set(owner, left)
    else this.#owners.delete(owner)
  }

  #remember(entry: Open): void {
    for (const key of entry.keys) {
      const earlier = this.#open.get(key)
      if (earlier) this.#close(earlier)
    }
    for (const key of entry.keys) this.#open.set(key, entry)
    this.#owners.set(entry.owner, (this.#owners.get(entry.owner) ?? 0) + 1)
    while (this.#open.size > MOST_OPEN * 2) {
      const [oldest] = this.#open.values()
      this.#close(oldest as Open)
    }
  }
}

function judge(before: Failed, next: Attempt): JudgedRetry | null {
  const pauseMs = next.receivedAtMs - before.answeredAtMs
  if (pauseMs > (isRetryable(before.setback) ? RETRY_WINDOW_MS : REPEAT_WINDOW_MS)) return null
  const verdict = judgeRetry(before, next)
  return verdict && { after: before.setback, wrong: verdict.wrong }
}

/** Who asks for what: the credential, also one that could not be found, and the endpoint. */
function ownerOf(call: Call): string {
  const credential = call.credential?.keyId ?? headerValues(call, HEADERS.keyId)[0] ?? ''
  return `${credential} ${call.endpoint ?? call.path}`
}

function keysOf(owner: string, { idempotencyKey, content }: Attempt): string[] {
  const byContent = `${owner}\ncontent ${content}`
  return idempotencyKey === null ? [byContent] : [`${owner}\nkey ${idempotencyKey}`, byContent]
}

function attemptOf(call: Call, answer: Answer, { setback, tookMs, wall }: Outcome): Attempt {
  const answeredMonotonicMs = wall.monotonicMs()
  const retryAfter = answer.headers[HEADERS.retryAfter]
  return {
    nonce: headerValues(call, HEADERS.nonce)[0] ?? '',
    timestamp: headerValues(call, HEADERS.timestamp)[0] ?? '',
    idempotencyKey: call.method === 'GET' ? null : (headerValues(call, HEADERS.idempotencyKey)[0] ?? null),
    content: contentOf(call),
    isRead: call.method === 'GET',
    receivedAtMs: call.receivedAtMs,
    answeredAtMs: call.receivedAtMs + tookMs,
    receivedMonotonicMs: answeredMonotonicMs - tookMs,
    answeredMonotonicMs,
    setback,
    retryAfterMs: retryAfter === undefined ? null : Number(retryAfter) * 1_000,
  }
}

function contentOf({ method, target, body }: Call): string {
  return `${method} ${target} ${body.length === 0 ? '' : hash('sha1', body, 'base64')}`
}
