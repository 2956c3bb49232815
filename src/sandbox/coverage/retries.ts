import { hash } from 'node:crypto'
import type { WallClock } from '../../clock/wall-clock.ts'
import { HEADERS } from '../../contract/headers.ts'
import type { Answer } from '../wire/answer.ts'
import { type Call, headerValues } from '../wire/call.ts'
import { type Attempt, isRetryable, judgeRetry, type Setback } from './judge-retry.ts'

/** How a retry was judged: which setback it followed, and what was wrong with it, if anything. */
export interface JudgedRetry {
  readonly after: Setback
  readonly wrong: string | null
}

/** How a call ended, just now. */
export interface Outcome {
  readonly setback: Setback | null
  readonly tookMs: number
  readonly wall: WallClock
}

/** Remembers setbacks until the same operation is tried again. */
export interface Retries {
  /** @returns how the call was judged as a retry; null where it is none, or where nothing can be said of it. */
  follow(call: Call, answer: Answer, outcome: Outcome): JudgedRetry | null
  forget(): void
}

/** More operations that went wrong are not remembered; the oldest go first. */
const MOST_OPEN = 1_000
/** What is repeated later than that is no retry any more but a new attempt. */
const RETRY_WINDOW_MS = 10 * 60_000
const REPEAT_WINDOW_MS = 60_000

interface Open {
  readonly attempt: Attempt
  readonly keys: readonly string[]
}

/**
 * The same operation is what the same credential asks of the same endpoint: under the same Idempotency-Key, or with the same
 * target and body. Nothing is worked out for a call while its credential has no setback open.
 */
export function createRetries(): Retries {
  const open = new Map<string, Open>()
  const owners = new Map<string, number>()

  function close({ attempt: _attempt, keys }: Open, owner: string): void {
    for (const key of keys) open.delete(key)
    const left = (owners.get(owner) ?? 1) - 1
    if (left > 0) owners.set(owner, left)
    else owners.delete(owner)
  }

  function remember(owner: string, attempt: Attempt, keys: readonly string[]): void {
    for (const key of keys) {
      const earlier = open.get(key)
      if (earlier) close(earlier, owner)
    }
    const entry = { attempt, keys }
    for (const key of keys) open.set(key, entry)
    owners.set(owner, (owners.get(owner) ?? 0) + 1)
    while (open.size > MOST_OPEN * 2) {
      const [oldestKey, oldest] = open.entries().next().value as [string, Open]
      close(oldest, ownerIn(oldestKey))
    }
  }

  return {
    follow(call, answer, outcome) {
      const owner = ownerOf(call)
      if (outcome.setback === null && !owners.has(owner)) return null
      const attempt = attemptOf(call, answer, outcome)
      const keys = keysOf(owner, attempt)
      const before = owners.has(owner)
        ? keys.map((key) => open.get(key)).find((found) => found !== undefined)
        : undefined
      const judged = before ? judge(before.attempt, attempt) : null
      if (before && judged !== 'at the same time') close(before, owner)
      if (outcome.setback !== null && judged !== 'at the same time') remember(owner, attempt, keys)
      return judged === 'at the same time' ? null : judged
    },
    forget() {
      open.clear()
      owners.clear()
    },
  }
}

function judge(before: Attempt, next: Attempt): JudgedRetry | 'at the same time' | null {
  if (next.receivedMonotonicMs < before.answeredMonotonicMs) return 'at the same time'
  const pauseMs = next.receivedAtMs - before.answeredAtMs
  const after = before.setback as Setback
  if (pauseMs > (isRetryable(after) ? RETRY_WINDOW_MS : REPEAT_WINDOW_MS)) return null
  const verdict = judgeRetry(before, next)
  return verdict && { after, wrong: verdict.wrong }
}

const SEPARATOR = '\n'

/** Who asks for what: the credential, also one that could not be found, and the endpoint. */
function ownerOf(call: Call): string {
  const credential = call.credential?.keyId ?? headerValues(call, HEADERS.keyId)[0] ?? ''
  return `${credential} ${call.endpoint ?? call.path}`
}

function keysOf(owner: string, { idempotencyKey, content }: Attempt): string[] {
  const byContent = `${owner}${SEPARATOR}content ${content}`
  return idempotencyKey === null ? [byContent] : [`${owner}${SEPARATOR}key ${idempotencyKey}`, byContent]
}

function ownerIn(key: string): string {
  return key.slice(0, key.indexOf(SEPARATOR))
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
