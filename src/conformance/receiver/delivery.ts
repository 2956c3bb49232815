import { HEADERS } from '../../contract/headers.ts'
import { signWebhook } from '../../contract/webhook-signature.ts'
import type { Exchange, WireRequest } from '../http/exchange.ts'
import { bodyTextOf, type Envelope } from './event-maker.ts'

/** One request to the receiver, sound or not. */
export interface Delivery {
  body: Buffer
  /** Values of the signature header, each in a line of its own; none for no header at all. */
  signatures: readonly string[]
  /** What it tells of, where a receiver may take it. */
  event?: Envelope
  /** How the name of the signature header is spelled. */
  headerName?: string
  /** `close`, as the service does, unless said otherwise. */
  connection?: 'close' | 'keep-alive'
  /** POST unless said otherwise. */
  method?: 'GET' | 'POST'
}

/** What came of a delivery. */
export interface Sent {
  delivery: Delivery
  exchange: Exchange
  /** Null where there was no whole answer. */
  status: number | null
  /** From before the connection was opened until the last byte of the answer. */
  tookMs: number
}

/** An event, signed as the service signs it (HOOK-02). */
export function soundDelivery(secret: string, event: Envelope, text: string = bodyTextOf(event)): Delivery {
  const body = Buffer.from(text, 'utf8')
  return { body, signatures: [signWebhook(secret, body)], event }
}

/**
 * The request of a delivery as the service writes it: a connection of its own, then these headers in this order.
 *
 * @param extra headers of the partner's own, for a gateway before the receiver.
 */
export function requestOf(
  { body, signatures, headerName = HEADERS.signature.toLowerCase(), connection = 'close', method = 'POST' }: Delivery,
  target: string,
  extra: readonly (readonly [string, string])[],
): WireRequest {
  return {
    method,
    target,
    headers: [
      ['connection', connection],
      ['content-type', 'application/json'],
      ['user-agent', 'partner-sandbox'],
      ...signatures.map((value) => [headerName, value] as const),
      ...extra,
    ],
    body,
  }
}

/** What an answer, or the lack of one, says of a delivery. */
export type Standing =
  /** A 2xx in time. */
  | 'taken'
  /** A 2xx, but the service had given up by then. */
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

/** @param deadlineMs how long the service waits (document: Limits). */
export function standingOf({ status, tookMs, exchange }: Sent, deadlineMs: number): Standing {
  if (status === null)
    return exchange.outcome.kind === 'broken' && exchange.outcome.reason === 'timeout' ? 'silent' : 'cut'
  if (status < 300) return tookMs > deadlineMs ? 'late' : 'taken'
  if (status < 400) return 'moved'
  if (status === 429) return 'throttled'
  return status < 500 ? 'refused' : 'crashed'
}

/** What came of it, in a few words. */
export function inWords({ status, tookMs, exchange: { outcome } }: Sent): string {
  if (status !== null) return `answered ${status} after ${Math.round(tookMs)} ms`
  return outcome.kind === 'broken' ? `${outcome.reason}: ${outcome.message}` : 'not answered'
}
