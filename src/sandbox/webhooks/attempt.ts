import { formatDuration, parseDuration } from '../../clock/duration.ts'
import type { GapChoices } from '../../contract/choices.ts'
import { signWebhook } from '../../contract/signature.ts'
import { TRACEPARENT } from '../../contract/trace-context.ts'
import { type Db, statement } from '../../storage/db.ts'
import { atomically } from '../commit-queue.ts'
import { type Happening, waitingRows } from '../kernel/scheduler.ts'
import type { World } from '../kernel/world.ts'
import { deliveryBySeq } from './deliveries.ts'
import type { AttemptCause, AttemptResult, Delivery, NewAttempt, ProbeKind } from './delivery.ts'
import { endpointOf } from './endpoints.ts'
import { hostForPeople, type Message, send } from './send.ts'

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

/**
 * Writes down how an attempt ended, and when the next one is due. An operator's attempt that fails changes nothing but the log.
 */
function recordAttempt(world: World, seq: number, attempt: NewAttempt): Delivery {
  const { db, gaps } = world
  const delivery = deliveryBySeq(db, seq) as Delivery
  const last = { ...attempt, number: delivery.attempts + 1 }
  const insertion = `INSERT INTO delivery_attempts
      (delivery_seq, number, cause, at, url, signature, spoilt, probe, status, failure, answer, took_ms)
    VALUES (@seq, @number, @cause, @atMs, @url, @signature, @spoilt, @probe, @status, @failure, @answer, @tookMs)`
  statement(db, insertion).run({ seq, ...last, spoilt: attempt.isSpoilt ? 1 : 0 })
  const next = { ...delivery, ...standingAfter(world, delivery, attempt), attempts: last.number, last }
  const change = `UPDATE deliveries
    SET state = @state, attempts = @attempts, scheduled_attempts = @scheduledAttempts, next_attempt_at = @nextAttemptAtMs
    WHERE seq = @seq`
  statement(db, change).run(next)
  const { partnerId, nextAttemptAtMs } = next
  if (nextAttemptAtMs !== null && gaps['delivery-order'] === 'yes') putOffLater(db, { partnerId, seq, nextAttemptAtMs })
  return next
}

/** A failing delivery holds up those of later events to the same partner (HOOK-09). */
function putOffLater(db: Db, until: { partnerId: string; seq: number; nextAttemptAtMs: number }): void {
  const sql = `UPDATE deliveries SET next_attempt_at = @nextAttemptAtMs
    WHERE partner_id = @partnerId AND state = 'pending' AND next_attempt_at < @nextAttemptAtMs AND seq > @seq`
  statement(db, sql).run(until)
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
  const what = `${delivery.eventType} to ${hostForPeople(made.url)}`
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
