import { hash } from 'node:crypto'
import { hasUnsignedBody } from '../contract/canonical-string.ts'
import { HEADERS } from '../contract/headers.ts'
import { codeOf } from '../operator/present-request.ts'
import { type Call, headerValues } from '../sandbox/wire/call.ts'
import type { Answer, Exchange } from '../sandbox/wire/route.ts'
import { Latest } from './latest.ts'

/** Polling is a read that is repeated so often, each time sooner than this. */
const POLLING_MS = 1_000
const POLLING_READS = 3
/** So many orders are recorded by a client that has something to hear of. */
const ORDERS_WITHOUT_EVENTS = 3

/**
 * Follows what a client does over many calls: nonces, Idempotency-Keys, polling and webhooks. Retries are judged with the coverage.
 *
 * @returns gives a sentence for each mistake of the next call.
 */
export function createHabits(): (finished: Exchange) => string[] {
  const nonces = new Latest<string>()
  const keys = new Latest<{ id: string; content: string; isBinding: boolean }>()
  const reads = new Latest<{ atMs: number; fast: number }>()
  /** Whether the client learns of events by webhook, or reads their history. */
  let hearsEvents = false
  let orders = 0
  let isWarned = false

  return ({ call, answer }) => {
    const [keyId = ''] = headerValues(call, HEADERS.keyId)
    const [nonce] = headerValues(call, HEADERS.nonce)
    const [key] = headerValues(call, HEADERS.idempotencyKey)
    hearsEvents ||= call.endpoint === 'webhooks.put' || call.endpoint === 'events.list'
    // A person who mends a signature sends the same read again and again.
    const isRead = hasUnsignedBody(call.method) && answer.status !== 401
    const polling = isRead ? poll(`${keyId} ${call.method} ${call.target}`, call) : null
    if (call.endpoint === 'orders.create' && answer.status < 300) orders += 1
    return [
      nonce === undefined ? null : nonceUse(`${keyId} ${nonce}`, call, codeOf(answer) === 'replay_detected'),
      key === undefined ? null : keyUse(`${keyId} ${key}`, call, mayHaveWorked(call, answer)),
      polling,
      polling !== null || orders >= ORDERS_WITHOUT_EVENTS ? deafness() : null,
    ].filter((says) => says !== null)
  }

  /** A target that refuses it says so itself. */
  function nonceUse(nonce: string, { id }: Call, isRefused: boolean): string | null {
    const before = nonces.put(nonce, id)
    return before === undefined || isRefused
      ? null
      : `The nonce was used before, by ${before}; every attempt needs a fresh one.`
  }

  /** A key belongs to its first request, or to the first that the target may have carried out if that was a later one. */
  function keyUse(key: string, call: Call, isBinding: boolean): string | null {
    const content = `${call.method} ${call.path} ${hash('sha1', call.body, 'base64')}`
    const first = keys.get(key)
    const isOwner = first === undefined || (isBinding && !first.isBinding)
    keys.put(key, isOwner ? { id: call.id, content, isBinding } : first)
    if (first === undefined || first.content === content) return null
    return `The Idempotency-Key was used before for another request, by ${first.id}.`
  }

  /** Said once: a webhook may have been registered before the proxy was started. */
  function deafness(): string | null {
    if (hearsEvents || isWarned) return null
    isWarned = true
    return 'No webhook has been registered and no event read since the proxy started, so the client learns of what becomes of its orders by polling alone; register one.'
  }

  function poll(read: string, { receivedAtMs }: Call): string | null {
    const before = reads.put(read, { atMs: receivedAtMs, fast: 0 })
    if (before === undefined || receivedAtMs - before.atMs >= POLLING_MS) return null
    const fast = before.fast + 1
    reads.put(read, { atMs: receivedAtMs, fast })
    if (fast < POLLING_READS) return null
    return `The same read was sent ${fast + 1} times, each less than a second after the one before; poll once a second at most.`
  }
}

/** Without a whole answer, or after an error of the target, the client cannot know. */
function mayHaveWorked({ departure }: Call, { status }: Answer): boolean {
  return status < 300 || status >= 500 || departure.kind === 'lost'
}
