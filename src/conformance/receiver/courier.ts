import { HEADERS } from '../../contract/headers.ts'
import { signWebhook } from '../../contract/signature.ts'
import type { Caller } from '../context/run.ts'
import { record } from '../context/send-call.ts'
import { headerOf, type Reply, type WireRequest } from '../http/exchange.ts'
import { type ConcurrencyLimit, retryAfterMs } from '../http/throttle.ts'
import type { Observation } from '../result/result.ts'
import { bodyTextOf, type Envelope, type EventChange, type EventMaker, toldOf } from '../signing/event-maker.ts'

/** One request to the receiver, valid or not. */
export interface Delivery {
  body: Buffer
  /** Values of the signature header, each in a line of its own; none for no header at all. */
  signatures: readonly string[]
  /** What it is about, if a receiver may take it. */
  event?: Envelope
  /** How the name of the signature header is spelled. */
  headerName?: string
  /** `close`, as the service does, unless said otherwise. */
  connection?: 'close' | 'keep-alive'
  /** POST unless said otherwise. */
  method?: 'GET' | 'POST'
}

/** What came of a delivery: all that was answered, of which the exchange may keep a part, and from before the connection on. */
export interface Sent extends Reply {
  delivery: Delivery
  /** Id of the exchange that the run keeps. */
  exchange: string
  /** Null if there was no whole answer. */
  status: number | null
}

/** How a valid delivery is to be, where it matters. */
export interface ValidWish extends EventChange, Pick<Delivery, 'headerName' | 'connection'> {
  /** `order.recorded` if absent. */
  type?: string
  /** How the event is written down; as the service does if absent. */
  write?: (event: Envelope) => string
}

/** One that every receiver takes. */
export type ValidDelivery = Delivery & { event: Envelope }

/** A webhook receiver of a partner's own, and what a run knows of it. */
export interface PartnerReceiver {
  readonly secret: string
  /** Path with query. */
  readonly target: string
  /** Headers of the partner's own, for a gateway before the receiver. */
  readonly headers: readonly (readonly [string, string])[]
  /** How long the service waits for an answer (document: Limits). */
  readonly deadlineMs: number
  readonly makeEvent: EventMaker
  /** The partner's own count of events once it stands still, and has reached what is hoped for if it ever does. */
  countEvents(hoped: number): Promise<number | { why: string }>
  /** How many deliveries may be under way. */
  readonly limit: ConcurrencyLimit
  /** All that it was sent; grows while the run goes. */
  readonly sent: Sent[]
}

/** What the steps of a scenario work with. */
export interface Courier extends PartnerReceiver {
  /** Of a new event, signed as the service signs it (HOOK-02). */
  valid(wish?: ValidWish): ValidDelivery
  /** Sends it and waits for what comes; never rejects for anything the receiver does. */
  deliver(delivery: Delivery): Promise<Sent>
  observe(gap: string, value: string): void
}

/** The request of a delivery as the service writes it: a connection of its own, then these headers in this order. */
export function requestOf(
  { body, signatures, headerName = HEADERS.signature.toLowerCase(), connection = 'close', method = 'POST' }: Delivery,
  { target, headers }: PartnerReceiver,
): WireRequest {
  return {
    method,
    target,
    headers: [
      ['connection', connection],
      ['content-type', 'application/json'],
      ['user-agent', 'partner-sandbox'],
      ...signatures.map((value) => [headerName, value] as const),
      ...headers,
    ],
    body,
  }
}

/** What an answer, or the lack of one, says of a delivery. */
export type Standing =
  /** A 2xx in time. */
  | 'taken'
  /** A 2xx, but after the deadline of the service. */
  | 'late'
  /** A 4xx. */
  | 'refused'
  /** A 3xx. */
  | 'moved'
  /** A 429 or 503 that does not end: too many calls, which says nothing of this one. */
  | 'throttled'
  /** A 5xx. */
  | 'crashed'
  /** Nothing, as long as we waited. */
  | 'silent'
  /** A connection that broke, or an answer that is none. */
  | 'cut'

export function standingOf({ status, tookMs, broken }: Sent, { deadlineMs }: PartnerReceiver): Standing {
  if (status === null) return broken?.reason === 'timeout' ? 'silent' : 'cut'
  if (status < 300) return tookMs > deadlineMs ? 'late' : 'taken'
  if (status < 400) return 'moved'
  if (status === 429) return 'throttled'
  return status < 500 ? 'refused' : 'crashed'
}

/** What came of it, in a few words. */
export function inWords({ status, tookMs, broken }: Sent): string {
  if (status !== null) return `answered ${status} after ${Math.round(tookMs)} ms`
  return broken ? `${broken.reason}: ${broken.message}` : 'not answered'
}

/** Sends deliveries to the receiver in the name of one scenario, and keeps what it observes of open points. */
export function courierOf(caller: Caller, receiver: PartnerReceiver, observations: Observation[]): Courier {
  return {
    ...receiver,
    valid({ type = 'order.recorded', write = bodyTextOf, headerName, connection, ...change } = {}) {
      const event = receiver.makeEvent(type, change)
      const body = Buffer.from(write(event), 'utf8')
      const signatures = [signWebhook(receiver.secret, body)]
      return { body, signatures, event, ...(headerName && { headerName }), ...(connection && { connection }) }
    },
    deliver: (delivery) => deliverPatiently(caller, receiver, delivery),
    observe(gap, value) {
      observations.push({ gap, value, scenario: caller.id })
    },
  }
}

/** A gateway before the receiver may count calls: a delivery that it refuses is sent again after the pause it asks for. */
const MOST_TRIES = 8
const LONGEST_WAIT_MS = 30_000

async function deliverPatiently(caller: Caller, receiver: PartnerReceiver, delivery: Delivery) {
  let waitedMs = 0
  for (let tries = 1; ; tries++) {
    const sent = await receiver.limit.within(() => deliverOnce(caller, receiver, delivery))
    if (sent.status !== 429 || tries === MOST_TRIES) return sent
    const waitMs = waitOf(sent, caller.run.wall.nowMs())
    waitedMs += waitMs
    if (waitedMs > LONGEST_WAIT_MS) return sent
    await caller.run.pause(waitMs)
  }
}

function waitOf({ answer }: Sent, nowMs: number): number {
  return retryAfterMs(answer ? headerOf(answer, 'retry-after') : undefined, nowMs)
}

async function deliverOnce(caller: Caller, receiver: PartnerReceiver, delivery: Delivery): Promise<Sent> {
  const { run } = caller
  // The scenario then counts as interrupted.
  if (run.signal?.aborted) throw new Error('the run was stopped')
  await run.budget.request(run.signal)
  const request = requestOf(delivery, receiver)
  const sentAtMs = run.wall.nowMs()
  const startedMs = run.wall.monotonicMs()
  const reply = await run.sender.send(request, run.signal ? { signal: run.signal } : {})
  // The service's deadline counts from before the connection, so reports have that figure and no other.
  const tookMs = run.wall.monotonicMs() - startedMs
  const { id } = record(caller, {
    ...{ sentAtMs, request, canonicalString: null, ...reply, tookMs, origin: run.target.url },
    ...(isSigned(receiver, delivery) ? {} : { oddity: 'a delivery that is signed wrongly on purpose' }),
  })
  const status = reply.answer?.status ?? null
  const sent: Sent = { delivery, exchange: id, ...reply, status, tookMs }
  receiver.sent.push(sent)
  if (status !== null && status < 300 && delivery.event) noteTold(caller, delivery.event)
  return sent
}

function isSigned({ secret }: PartnerReceiver, { body, signatures: [signature, ...more] }: Delivery): boolean {
  return more.length === 0 && signature === signWebhook(secret, body)
}

function noteTold({ run: { created } }: Caller, event: Envelope): void {
  for (const thing of toldOf(event)) {
    if (!created.some(({ kind, id }) => kind === thing.kind && id === thing.id)) created.push(thing)
  }
}
