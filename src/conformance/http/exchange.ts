/** A request exactly as it will be written; nothing is added but Host, Content-Length and Connection if absent. */
export interface WireRequest {
  method: string
  /** Request target, sent as it stands. */
  target: string
  /** Names and values in the order they are sent; a name may occur twice. */
  headers: readonly (readonly [name: string, value: string])[]
  body: Uint8Array
}

export interface WireResponse {
  status: number
  headers: readonly (readonly [name: string, value: string])[]
  /** The body, cut at the reader's limit. */
  body: Uint8Array
  /** How many bytes of the body are not kept, beside those that the reader refused. */
  leftOutBytes?: number
  /** From the first byte written to the last byte read, in milliseconds. */
  tookMs: number
}

/** Why no response was had. */
export type BrokenReason = 'unreachable' | 'reset' | 'timeout' | 'too-large' | 'malformed'

export type Outcome =
  | { kind: 'response'; response: WireResponse }
  | {
      kind: 'broken'
      reason: BrokenReason
      message: string
      tookMs: number
      /** The connection had been used before and was closed before it answered a byte: the target had likely given it up. */
      stale?: true
    }

/**
 * What may be the id of an exchange where a sentence names one. Copies of the world put a word in
 * front (`w2s3e4`).
 */
export const EXCHANGE_ID = /\b[a-z][a-z0-9]*e\d+\b/g

/** One request with what came back, as the run's log keeps it. */
export interface Exchange {
  /** Unique within the run: `s3e2` is the second exchange of the third scenario. */
  id: string
  /** The scenario that made it, or a word for the runner's own calls. */
  scenario: string
  /** Wall time in milliseconds when the request was sent. */
  sentAtMs: number
  request: WireRequest
  /** The canonical string that was signed; null for calls that carry no signature. */
  canonicalString: string | null
  outcome: Outcome
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
 * What the transcript of a run keeps of an answer. A target that says megabytes each time must not fill the memory: what a
 * report leaves out anyway goes at once, and what remains is copied, for a piece of a buffer holds all of it.
 */
export function keptOutcome(outcome: Outcome): Outcome {
  if (outcome.kind !== 'response') return outcome
  const { body, headers } = outcome.response
  if (body.length <= KEPT_BODY_BYTES && headers.every(([, value]) => value.length <= KEPT_HEADER_CHARACTERS)) {
    return outcome
  }
  return { kind: 'response', response: shortened(outcome.response) }
}

function shortened(response: WireResponse): WireResponse {
  const { body, headers } = response
  return {
    ...response,
    headers: headers.map(([name, value]) => [name, shortValue(value)] as const),
    body: Uint8Array.from(body.subarray(0, KEPT_BODY_BYTES)),
    leftOutBytes: Math.max(0, body.length - KEPT_BODY_BYTES),
  }
}

function shortValue(value: string): string {
  if (value.length <= KEPT_HEADER_CHARACTERS) return value
  return `${Buffer.from(value.slice(0, KEPT_HEADER_CHARACTERS)).toString()}… (${value.length - KEPT_HEADER_CHARACTERS} characters more)`
}
