import type { Outcome, WireResponse } from './exchange.ts'

/** As much of a body as a report may need: the piece it shows, and what tells that a secret is cut off there. */
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
