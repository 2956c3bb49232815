import { formatDuration } from '../../clock/duration.ts'
import { signWebhook } from '../../contract/signature.ts'
import { TRACEPARENT } from '../../contract/trace-context.ts'
import { atomically } from '../commit-queue.ts'
import type { AwaitedSource, Happening } from '../kernel/scheduled-task.ts'
import type { World } from '../kernel/world.ts'
import { recordAttempt } from './deliveries.ts'
import {
  type AttemptCause,
  type AttemptResult,
  type Delivery,
  type NewAttempt,
  type ProbeKind,
  type SignedDelivery,
  tamperedWith,
} from './delivery.ts'
import { hostForPeople, type Message, send } from './send.ts'
import { countPending, deliveryBySeq, earliestPending, endpointOf } from './store.ts'

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
  const atMs = world.clock.nowMs()
  const isSpoilt = probe !== null || world.settings.delivery.wrongSecret
  const signed = signedFor(delivery, endpoint.secret, probe ?? (isSpoilt ? 'secret' : null))
  const { traceparent } = delivery
  const message = {
    url: endpoint.url,
    ...signed,
    ...(traceparent !== null && { headers: { [TRACEPARENT]: traceparent } }),
  }
  const { deadlineMs } = world.rules.webhooks
  const sendOne = (one: Message) =>
    send(world.outbound, { ...one, deadlineMs, counts: world.gaps['delivered-by'] }, world.wall, stopped)
  const sent = () => (hook && probe === null ? hook(message, delivery, sendOne, world) : sendOne(message))
  const result = timeouts && (timeouts.get(endpoint.url) ?? 0) >= MOST_TIMEOUTS ? NOT_TRIED : await sent()
  timeouts?.set(endpoint.url, result.timedOut ? (timeouts.get(endpoint.url) ?? 0) + 1 : 0)
  const made = { cause, atMs, url: endpoint.url, signature: signed.signature, isSpoilt, probe, ...result }
  const after = stopped.aborted ? null : await recorded(world, seq, made, stopped)
  return after && { happening: happeningOf(after, made), hasFailed: made.failure !== null }
}

function signedFor({ body }: Delivery, secret: string, wrong: ProbeKind | null): SignedDelivery {
  if (wrong !== null) return tamperedWith(wrong, secret, body)
  const bytes = Buffer.from(body, 'utf8')
  return { body: bytes, signature: signWebhook(secret, bytes) }
}

/**
 * Shares the commit of the calls of this turn. A sync is not needed: if the machine dies before the disk has it, the attempt is
 * made again.
 */
function recorded(world: World, seq: number, made: NewAttempt, stopped: AbortSignal): Promise<Delivery | null> {
  return world.commits.perform({ durability: 'process-death' }, () =>
    stopped.aborted ? null : atomically(world.db, () => recordAttempt(world, seq, made)),
  )
}

function happeningOf(after: Delivery, made: NewAttempt): Happening {
  return { atMs: made.atMs, kind: 'delivery.attempt', id: after.deliveryId, summary: summaryOf(after, made) }
}

function summaryOf(delivery: Delivery, made: NewAttempt): string {
  const what = `${delivery.eventType} to ${hostForPeople(made.url)}`
  if (made.failure === null) return `${what} was delivered (${made.status})`
  if (delivery.nextAttemptAtMs === null) return `${what} failed for good: ${made.failure}`
  return `${what} failed: ${made.failure}; next attempt in ${formatDuration(delivery.nextAttemptAtMs - made.atMs)}`
}

/** Attempts as tasks that a jump awaits. */
export const pendingAttempts: AwaitedSource = {
  kind: 'delivery.attempt',
  peek(world) {
    const next = earliestPending(world.db, Number.NEGATIVE_INFINITY)
    return next ? { atMs: next.atMs, id: next.deliveryId } : null
  },
  count: (world) => countPending(world.db),
}
