import type { EndpointId } from '../../contract/endpoints.ts'
import { withoutUndefined } from './json-body.ts'

/** A request exactly as it will be written; nothing is added but Host, Content-Length and Connection if absent. */
export interface WireRequest {
  method: string
  /** Request target, sent as it stands. */
  target: string
  /** Names and values in the order they are sent; a name may occur twice. */
  headers: readonly (readonly [name: string, value: string])[]
  body: Uint8Array
}

/** A whole response. */
export interface Answer {
  /** The operation that was called; null for none of the API. */
  op: EndpointId | null
  status: number
  headers: readonly (readonly [name: string, value: string])[]
  /** Cut at the reader's limit. */
  body: Uint8Array
  /** The body as JSON; undefined if it is none. */
  json: unknown
  /** How many bytes of the body are not kept, beside those that the reader refused. */
  leftOutBytes?: number
}

/** What came back: either an answer, or how the connection broke. */
export interface Reply {
  answer: Answer | null
  /** Why no answer came. */
  broken: {
    reason: 'unreachable' | 'reset' | 'timeout' | 'too-large' | 'malformed'
    message: string
    /** The connection had been used before and was closed before it answered a byte: the target had likely given it up. */
    stale?: true
  } | null
  /** From the first byte written to the last byte read, in milliseconds. */
  tookMs: number
}

/** What may be the id of an exchange. Copies of the world put a word in front (`w2s3e4`). */
const EXCHANGE_ID = /\b[a-z][a-z0-9]*e\d+\b/g

/**
 * The ids of exchanges that a sentence may name.
 *
 * @example exchangesIn('a valid call was accepted in ce2') // ['ce2']
 */
export function exchangesIn(sentence = ''): readonly string[] {
  return sentence.match(EXCHANGE_ID) ?? []
}

/** One request with what came back. */
export interface Exchange extends Reply {
  /** Unique within the run: `s3e2` is the second exchange of the third scenario. */
  id: string
  /** The scenario that made it, or a word for the runner's own calls. */
  scenario: string
  /** Wall time in milliseconds when the request was sent. */
  sentAtMs: number
  request: WireRequest
  /** The canonical string that was signed; null for calls that carry no signature. */
  canonicalString: string | null
  /** The origin, if it is not the API: pages and operators have addresses of their own. */
  origin?: string
  /** A delivery: the target asked, and we answered. */
  speaker?: 'target'
  /** What is special about it, so that no ordinary client sends it. */
  oddity?: string
}

/** As much of a body as a report may need: the piece it shows, and what shows that a secret is cut off there. */
const KEPT_BODY_BYTES = 20 * 1024

/** As much of one header. */
const KEPT_HEADER_CHARACTERS = 4 * 1024

/**
 * What the log of a run keeps of an exchange. A target that says megabytes each time must not fill the memory: what a report
 * leaves out anyway goes at once, and what remains is copied, for a piece of a buffer holds all of it.
 */
export function keptExchange(exchange: Exchange): Exchange {
  const { id, scenario, sentAtMs, request, canonicalString, answer, broken, tookMs, origin, speaker, oddity } = exchange
  const isShort =
    answer === null ||
    (answer.body.length <= KEPT_BODY_BYTES &&
      answer.headers.every(([, { length }]) => length <= KEPT_HEADER_CHARACTERS))
  return {
    id,
    scenario,
    sentAtMs,
    request,
    canonicalString,
    broken,
    tookMs,
    answer: answer && { ...(isShort ? answer : shortened(answer)), json: undefined },
    ...withoutUndefined({ origin, speaker, oddity }),
  }
}

function shortened(answer: Answer): Answer {
  const { body, headers } = answer
  return {
    ...answer,
    headers: headers.map(([name, value]) => [name, shortValue(value)] as const),
    body: Uint8Array.from(body.subarray(0, KEPT_BODY_BYTES)),
    leftOutBytes: Math.max(0, body.length - KEPT_BODY_BYTES),
  }
}

function shortValue(value: string): string {
  if (value.length <= KEPT_HEADER_CHARACTERS) return value
  return `${Buffer.from(value.slice(0, KEPT_HEADER_CHARACTERS)).toString()}… (${value.length - KEPT_HEADER_CHARACTERS} characters more)`
}

declare const CLASS: unique symbol

/** An answer whose class of status is known; an answer that is not of it is still an answer to the compiler. */
type Of<Class extends string> = Answer & { readonly [CLASS]: Class }

/** Any 2xx: the document gives no status of success. */
export function isAccepted(answer: Answer | null): answer is Of<'accepted'> {
  return answer !== null && answer.status >= 200 && answer.status < 300
}

export function isRefused(answer: Answer | null): answer is Of<'refused'> {
  return answer !== null && answer.status >= 400 && answer.status < 500
}

export function isServerError(answer: Answer | null): answer is Of<'server-error'> {
  return answer !== null && answer.status >= 500
}

/** The status for a person, or that there was none. */
export function statusWord(answer: Answer | null): string {
  return answer === null ? 'the connection broke' : String(answer.status)
}
