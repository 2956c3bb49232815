import type { EndpointId } from '../../contract/endpoints.ts'
import type { Outcome, WireRequest } from './exchange.ts'
import { parseJson } from './json-body.ts'

/** A response with its body as JSON, where it is any. */
export interface Answer {
  op: EndpointId | null
  status: number
  headers: readonly (readonly [string, string])[]
  body: Uint8Array
  /** Undefined if the body is not JSON. */
  json: unknown
}

export function answerOf(outcome: Outcome, op: EndpointId | null): Answer | null {
  if (outcome.kind !== 'response') return null
  const { status, headers, body } = outcome.response
  return { op, status, headers, body, json: parseJson(body) }
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

/** The value of a header, the first where it came twice; names in any case. */
export function headerOf({ headers }: Pick<WireRequest, 'headers'>, name: string): string | undefined {
  const wanted = name.toLowerCase()
  return headers.find(([key]) => key.toLowerCase() === wanted)?.[1]
}

/** The status for a person, or that there was none. */
export function statusWord(answer: Answer | null): string {
  return answer === null ? 'the connection broke' : String(answer.status)
}
