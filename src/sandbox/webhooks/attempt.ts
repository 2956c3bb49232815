import http, { type ClientRequest } from 'node:http'
import type { LookupFunction } from 'node:net'
import { formatDuration, parseDuration } from '../../clock/duration.ts'
import { callAfterRunning, type WallClock } from '../../clock/wall-clock.ts'
import type { GapChoices } from '../../contract/choices.ts'
import { HEADERS } from '../../contract/headers.ts'
import { LIMITS } from '../../contract/limits.ts'
import { signWebhook } from '../../contract/signature.ts'
import { TRACEPARENT } from '../../contract/trace-context.ts'
import type { Db } from '../../storage/db.ts'
import { atomically } from '../commit-queue.ts'
import { type Happening, waitingRows } from '../kernel/scheduler.ts'
import type { Outbound, World } from '../kernel/world.ts'
import { hostOf, portOf } from './address-policy.ts'
import { deliveryBySeq } from './deliveries.ts'
import type { AttemptCause, AttemptResult, Delivery, NewAttempt, ProbeKind } from './delivery.ts'
import { endpointOf } from './endpoints.ts'

/** How a defect sends a webhook; `send` makes one correct attempt of a message. */
export type DeliveryHook = (
  correct: Message,
  delivery: Delivery,
  send: (message: Message) => Promise<AttemptResult>,
  world: World,
) => Promise<AttemptResult>

/** How often in a row each address has let an attempt time out. */
export type Timeouts = Map<string, number>

/** A jump would take five seconds for each of the attempts to a receiver that never answers. */
const MOST_TIMEOUTS = 2

const NOT_TRIED: AttemptResult = {
  status: null,
  failure: `not tried: the receiver did not answer ${MOST_TIMEOUTS} attempts in a row during this jump of the clock`,
  answer: null,
  tookMs: 0,
  timedOut: true,
}

export interface AttemptOptions {
  /** What is wrong with it on purpose; such an attempt changes nothing about the delivery. */
  probe?: ProbeKind | null
  /** Of the clock jump that makes the attempt: it counts there, and is not made if there are too many. */
  timeouts?: Timeouts | null
  hook?: DeliveryHook | null
}

/** An attempt that was made and written down. */
export interface Attempted {
  happening: Happening
  hasFailed: boolean
}

/**
 * Sends a delivery to the endpoint that its partner has registered now, and writes down what came of it. If the
 * process dies in between, the delivery is still due and is sent again: at least once (HOOK-05).
 *
 * @param stopped once aborted, nothing is written any more.
 * @returns null where there was nothing to send, or where it was stopped.
 */
export async function attempt(
  world: World,
  seq: number,
  cause: AttemptCause,
  stopped: AbortSignal,
  { probe = null, timeouts = null, hook = null }: AttemptOptions = {},
): Promise<Attempted | null> {
  const delivery = deliveryBySeq(world.db, seq)
  const endpoint = delivery && endpointOf(world.db, delivery.partnerId)
  if (!delivery || !endpoint) return null
  const { url, secret } = endpoint
  const atMs = world.clock.nowMs()
  const isSpoilt = probe !== null || world.settings.delivery.wrongSecret
  const signed = signedDelivery(delivery.body, secret, probe ?? (isSpoilt ? 'secret' : null))
  const headers = delivery.traceparent === null ? {} : { [TRACEPARENT]: delivery.traceparent }
  const { deadlineMs } = world.rules.webhooks
  const sendOne = (message: Message) =>
    send(world.outbound, { ...message, deadlineMs, counts: world.gaps['delivered-by'] }, world.wall, stopped)
  const timeoutsBefore = timeouts?.get(url) ?? 0
  let result = NOT_TRIED
  if (timeoutsBefore < MOST_TIMEOUTS) {
    const message = { url, ...signed, headers }
    result = await (hook && probe === null ? hook(message, delivery, sendOne, world) : sendOne(message))
  }
  timeouts?.set(url, result.timedOut ? timeoutsBefore + 1 : 0)
  if (stopped.aborted) return null
  const made = { cause, atMs, url, signature: signed.signature, isSpoilt, probe, ...result }
  // A sync is not needed: if the machine dies before the disk has it, the attempt is made again.
  const after = await world.commits.perform({ durability: 'process-death' }, () =>
    stopped.aborted ? null : atomically(world.db, () => recordAttempt(world, seq, made)),
  )
  if (!after) return null
  const happening = { atMs, kind: 'delivery.attempt', id: after.deliveryId, summary: summaryOf(after, made) } as const
  return { happening, hasFailed: made.failure !== null }
}

/**
 * The bytes of an attempt, and how they are signed: correctly, or with one thing wrong. The body is altered in the event's id, so
 * that a receiver cannot take it for an event that it has dealt with already.
 */
function signedDelivery(text: string, secret: string, wrong: ProbeKind | null): Pick<Message, 'body' | 'signature'> {
  const body = Buffer.from(text, 'utf8')
  // With that secret a receiver that verifies refuses everything.
  const signature = signWebhook(wrong === 'secret' ? `not-${secret}` : secret, body)
  if (wrong === 'signature') return { body, signature: withOtherEnd(signature) }
  return { body: wrong === 'body' ? Buffer.from(text.replace(EVENT_ID, withOtherEnd), 'utf8') : body, signature }
}

const EVENT_ID = /^(\{"id":"[^"]+)(?=")/

function withOtherEnd(text: string): string {
  return text.slice(0, -1) + (text.endsWith('1') ? '2' : '1')
}

/** Writes down how an attempt ended, and when the next one is due. An operator's attempt that fails changes nothing but the log. */
function recordAttempt(world: World, seq: number, attempt: NewAttempt): Delivery {
  const { db, gaps } = world
  const delivery = deliveryBySeq(db, seq) as Delivery
  const last = { ...attempt, number: delivery.attempts + 1 }
  const insertion = `INSERT INTO delivery_attempts
      (delivery_seq, number, cause, at, url, signature, spoilt, probe, status, failure, answer, took_ms)
    VALUES (@seq, @number, @cause, @atMs, @url, @signature, @spoilt, @probe, @status, @failure, @answer, @tookMs)`
  db.statement(insertion).run({ seq, ...last, spoilt: attempt.isSpoilt ? 1 : 0 })
  const next = { ...delivery, ...standingAfter(world, delivery, attempt), attempts: last.number, last }
  const change = `UPDATE deliveries
    SET state = @state, attempts = @attempts, scheduled_attempts = @scheduledAttempts, next_attempt_at = @nextAttemptAtMs
    WHERE seq = @seq`
  db.statement(change).run(next)
  const { partnerId, nextAttemptAtMs } = next
  if (nextAttemptAtMs !== null && gaps['delivery-order'] === 'yes') putOffLater(db, { partnerId, seq, nextAttemptAtMs })
  return next
}

/** A failing delivery holds up those of later events to the same partner (HOOK-09). */
function putOffLater(db: Db, until: { partnerId: string; seq: number; nextAttemptAtMs: number }): void {
  const sql = `UPDATE deliveries SET next_attempt_at = @nextAttemptAtMs
    WHERE partner_id = @partnerId AND state = 'pending' AND next_attempt_at < @nextAttemptAtMs AND seq > @seq`
  db.statement(sql).run(until)
}

function standingAfter({ gaps }: World, delivery: Delivery, attempt: NewAttempt): Partial<Delivery> {
  if (attempt.probe !== null) return {}
  const scheduledAttempts = delivery.scheduledAttempts + (attempt.cause === 'schedule' ? 1 : 0)
  if (attempt.failure === null) return { scheduledAttempts, state: 'delivered', nextAttemptAtMs: null }
  if (attempt.cause === 'operator') return {}
  const nextAttemptAtMs = retryAtMs(gaps['retry-schedule'], scheduledAttempts, attempt.atMs)
  return { scheduledAttempts, nextAttemptAtMs, state: nextAttemptAtMs === null ? 'failed' : 'pending' }
}

/**
 * When the attempt after a failed one is due, in world time; null after the last one (HOOK-07).
 *
 * @param attempts of the schedule made so far, the failed one included.
 * @param atMs instant of the failed one.
 */
function retryAtMs(schedule: GapChoices['retry-schedule'], attempts: number, atMs: number): number | null {
  const delay = schedule === 'never' ? undefined : schedule.split(' ')[attempts - 1]
  return delay === undefined ? null : atMs + (parseDuration(delay) as number)
}

function summaryOf(delivery: Delivery, made: NewAttempt): string {
  // Path and query may be private.
  const url = new URL(made.url)
  const what = `${delivery.eventType} to ${url.hostname}:${portOf(url)}`
  if (made.failure === null) return `${what} was delivered (${made.status})`
  if (delivery.nextAttemptAtMs === null) return `${what} failed for good: ${made.failure}`
  return `${what} failed: ${made.failure}; next attempt in ${formatDuration(delivery.nextAttemptAtMs - made.atMs)}`
}

/** Attempts as tasks that a jump awaits. */
export const pendingAttempts = waitingRows({
  kind: 'delivery.attempt',
  from: "FROM deliveries WHERE state = 'pending'",
  id: 'delivery_id',
  at: 'next_attempt_at',
  order: 'next_attempt_at, seq',
})

/** Everything that goes over the wire in one attempt. */
export interface Message {
  url: string
  body: Uint8Array
  signature: string
  /** POST where it is left out. */
  method?: 'GET' | 'PUT'
  /** Beside those that every attempt has, or in their place. */
  headers?: Record<string, string>
  /** In milliseconds; the document's where it is left out. */
  deadlineMs?: number
  /** Which answers count as delivered; any 2xx where it is left out. */
  counts?: GapChoices['delivered-by']
}

/** More of an answer is not read: nothing in it matters but the status. */
const ANSWER_BYTES = 64 * 1024
const HEAD_BYTES = 16 * 1024
/** What of an answer is kept for the delivery log. */
const EXCERPT_CHARACTERS = 1_000
const MOST_INTERIM_ANSWERS = 20

/** Times the deadline: so long may an attempt take at most where this process stood still. */
const LATEST = 1.5

/**
 * Makes one attempt over a connection of its own. The whole of it, from the name to the last byte of the answer, has
 * five seconds of real time (HOOK-04); redirects are not followed and nothing is unpacked. Never rejects. A receiver is not late
 * because this process stood still, unless that makes it {@link LATEST} times as long.
 *
 * @param stopped ends the attempt early; its result is then worth nothing.
 */
export async function send(
  outbound: Outbound,
  message: Message,
  wall: WallClock,
  stopped: AbortSignal,
): Promise<AttemptResult> {
  const startedMs = wall.monotonicMs()
  const stop = new AbortController()
  const deadlineMs = message.deadlineMs ?? LIMITS.webhookTimeoutMs
  const latestMs = LATEST * deadlineMs
  let timedOut = false
  const late = (): AttemptFailure => {
    timedOut = true
    return new AttemptFailure(`no whole answer in ${deadlineMs / 1_000} seconds`)
  }
  const alarm = callAfterRunning(deadlineMs, latestMs, () => stop.abort(late()))
  const onStopped = () => stop.abort(new AttemptFailure('the sandbox stopped'))
  stopped.addEventListener('abort', onStopped, { once: true })
  const answer: ReceiverAnswer = { status: null, encoding: null, chunks: [], bytes: 0 }
  let failure: string | null = null
  let outgoing: ClientRequest | null = null
  try {
    if (stopped.aborted) onStopped()
    const url = new URL(message.url)
    // For an address in the URL no name is looked up, so it is judged here.
    const refusal = outbound.policy.refusalOfUrl(url)
    if (refusal) throw new AttemptFailure(refusal)
    outgoing = requestTo(url, message, outbound)
    await Promise.race([exchange(outgoing, message.body, answer), aborted(stop.signal)])
    // After a stall, an answer may be read before the alarm rings.
    if (wall.monotonicMs() - startedMs > latestMs) throw late()
  } catch (error) {
    failure = failureOf(error)
  } finally {
    alarm.cancel()
    stopped.removeEventListener('abort', onStopped)
    outgoing?.destroy()
  }
  return {
    status: answer.status,
    failure: failure ?? failureOfStatus(answer.status, message.counts),
    answer: excerptOf(answer),
    tookMs: wall.monotonicMs() - startedMs,
    timedOut,
  }
}

/** What has come back so far; an attempt that fails half-way still has its status. */
interface ReceiverAnswer {
  status: number | null
  encoding: string | null
  chunks: Buffer[]
  bytes: number
}

function requestTo(url: URL, message: Message, outbound: Outbound): ClientRequest {
  // TLS takes some milliseconds to load, and most receivers of a sandbox speak plain HTTP.
  const isSecure = url.protocol === 'https:'
  const { request } = isSecure ? process.getBuiltinModule('node:https') : http
  return request({
    agent: false,
    ...(isSecure && { ALPNProtocols: ['http/1.1'] }),
    host: hostOf(url),
    port: portOf(url),
    method: message.method ?? 'POST',
    path: url.pathname + url.search,
    headers: {
      host: url.host,
      connection: 'close',
      'content-type': 'application/json',
      'user-agent': 'partner-sandbox',
      [HEADERS.signature.toLowerCase()]: message.signature,
      ...message.headers,
      'content-length': String(message.body.length),
    },
    maxHeaderSize: HEAD_BYTES,
    lookup: checkedLookup(outbound, portOf(url)),
  })
}

/** Resolves once the answer is whole, whatever comes behind it. */
function exchange(outgoing: ClientRequest, body: Uint8Array, answer: ReceiverAnswer): Promise<void> {
  return new Promise((resolve, reject) => {
    let interim = 0
    let whole = () => false
    const end = (failure: string) => outgoing.destroy(new AttemptFailure(failure))
    outgoing.on('error', (error) => (whole() ? resolve() : reject(error)))
    outgoing.on('information', () => {
      interim += 1
      if (interim > MOST_INTERIM_ANSWERS) end('the answer never came, only interim ones')
    })
    outgoing.on('upgrade', (_response, socket) => {
      // The connection is no longer that of the request, which would neither close it nor hear of its errors.
      socket.on('error', () => undefined).destroy()
      reject(new AttemptFailure('the answer changes to another protocol'))
    })
    outgoing.on('response', (incoming) => {
      if (outgoing.destroyed) return
      whole = () => incoming.complete
      answer.status = incoming.statusCode ?? null
      answer.encoding = incoming.headers['content-encoding'] ?? null
      incoming.on('error', reject)
      incoming.on('end', resolve)
      incoming.on('data', (chunk: Buffer) => {
        answer.chunks.push(chunk)
        answer.bytes += chunk.length
        if (answer.bytes > ANSWER_BYTES) end(`the answer is longer than ${ANSWER_BYTES} bytes`)
      })
    })
    outgoing.maxHeadersCount = 0
    outgoing.end(body)
  })
}

/** What has come of the body, whether or not it is whole; null where nothing has. */
function excerptOf({ encoding, chunks, bytes }: ReceiverAnswer): string | null {
  if (bytes === 0) return null
  if (encoding) return `(${Math.min(bytes, ANSWER_BYTES)} bytes of ${encoding})`
  return Buffer.concat(chunks).toString('utf8', 0, ANSWER_BYTES).slice(0, EXCERPT_CHARACTERS)
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason as Error)
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
}

/** Why an attempt failed, in words for a person. */
class AttemptFailure extends Error {
  override name = 'AttemptFailure'
}

const WORDS: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was reset',
  ENOTFOUND: 'the host name could not be resolved',
  EAI_AGAIN: 'the host name could not be resolved',
  ETIMEDOUT: 'the connection timed out',
  HPE_HEADER_OVERFLOW: 'the head of the answer is longer than 16384 bytes',
}

/** What Node says where a connection ended and was not reset. */
const CLOSED = /^(?:socket hang up|aborted)$/

function failureOf(error: unknown): string {
  if (error instanceof AttemptFailure) return error.message
  const { code = '', cause, message = '' } = error as Partial<NodeJS.ErrnoException>
  if (cause instanceof AttemptFailure) return cause.message
  if (CLOSED.test(message)) return 'the connection was closed before the answer was whole'
  if (Object.hasOwn(WORDS, code)) return WORDS[code] as string
  if (code.startsWith('HPE_')) return `the answer is not valid HTTP (${code})`
  if (/CERT|UNABLE_TO|TLS|SSL|EPROTO/.test(code)) return `the TLS connection failed (${code})`
  return `the attempt failed (${code || message.slice(0, 100) || 'unknown'})`
}

function failureOfStatus(status: number | null, counts: Message['counts']): string | null {
  if (status === null) return 'there was no answer'
  if (counts === 'only 200' && status > 200 && status < 300) return `answered ${status}; only 200 counts here`
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400 ? `answered ${status}; redirects are not followed` : `answered ${status}`
}

/** Resolves a name for the very connection that is made; every address it stands for must be allowed (HOOK-08). */
function checkedLookup({ policy, resolve }: Outbound, port: number): LookupFunction {
  return (name, options, done) => {
    resolve(name, (error, addresses) => {
      const [first] = addresses ?? []
      const refusal = addresses?.map(({ address }) => policy.refusal({ address, port, name })).find((said) => said)
      if (error || !first) done(error ?? new AttemptFailure('the host name stands for no address'), '', 0)
      else if (refusal) done(new AttemptFailure(refusal), '', 0)
      else if (options.all) done(null, [...addresses])
      else done(null, first.address, first.family)
    })
  }
}
