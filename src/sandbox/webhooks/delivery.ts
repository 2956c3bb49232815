import type { EventType } from '../../contract/event-types.ts'

/** Where a partner wants its events, and the secret it verifies deliveries with. */
export interface WebhookEndpoint {
  partnerId: string
  url: string
  secret: string
  createdAtMs: number
  updatedAtMs: number
}

type DeliveryState = 'pending' | 'delivered' | 'failed' | 'dropped'

/** One event on its way to one endpoint. */
export interface Delivery {
  seq: number
  deliveryId: string
  eventSeq: number
  eventType: EventType
  /** What the event says, as the history keeps it. */
  eventData: string
  partnerId: string
  /** What every attempt sends, byte for byte (HOOK-10). */
  body: string
  /** 0 for the delivery itself, higher for extra copies. */
  copy: number
  state: DeliveryState
  attempts: number
  /** Attempts that the schedule made; those of an operator do not use it up. */
  scheduledAttempts: number
  nextAttemptAtMs: number | null
  /** What came of the last attempt, an operator's as well; null if none was made. */
  last: LastAttempt | null
  createdAtMs: number
  /** Sent with every attempt: the trace of the call that recorded the event; null if it had none. */
  traceparent: string | null
}

export type LastAttempt = Pick<DeliveryAttempt, 'number' | 'cause' | 'atMs' | 'probe' | 'status' | 'failure'>

/** Who wanted an attempt. */
export type AttemptCause = 'schedule' | 'operator'

/** What came back: a 2xx is a success, everything else names what went wrong. */
export interface AttemptResult {
  status: number | null
  failure: string | null
  /** The first characters of the answer. */
  answer: string | null
  tookMs: number
  /** Whether it failed because its time was over. */
  timedOut?: boolean
}

export interface DeliveryAttempt extends AttemptResult {
  number: number
  cause: AttemptCause
  atMs: number
  url: string
  signature: string
  /** Signed with a wrong secret on purpose, as the delivery profile said, or a probe. */
  isSpoilt: boolean
  /** What an operator altered to see whether the receiver notices; null for every other attempt. */
  probe: ProbeKind | null
}

/** An attempt that is still to be written down. */
export type NewAttempt = Omit<DeliveryAttempt, 'number'>

/** What a list of deliveries may be narrowed to. */
export interface DeliveryQuery {
  state?: DeliveryState | undefined
  partnerId?: string | undefined
  eventSeq?: number | undefined
  type?: EventType | undefined
  /** Text in the id of the delivery or in what its event says. */
  q?: string | undefined
}

/** What is wrong with a delivery that a receiver should refuse: one digit of the signature, one character, or whose secret it is. */
export const PROBE_KINDS = ['signature', 'body', 'secret'] as const

export type ProbeKind = (typeof PROBE_KINDS)[number]

/**
 * What a receiver's answer to a probe shows: that it refused, as a 4xx says; that it took it for correct; or nothing.
 *
 * @param status null where there was no answer.
 */
export function probeVerdict(status: number | null): 'refused' | 'accepted' | 'unclear' {
  if (status !== null && status >= 200 && status < 300) return 'accepted'
  return status !== null && status >= 400 && status < 500 ? 'refused' : 'unclear'
}
