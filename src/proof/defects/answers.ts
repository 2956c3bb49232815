import type { EndpointId } from '../../contract/endpoints.ts'
import type { ErrorCode } from '../../contract/errors.ts'
import { normalizeDomain } from '../../sandbox/kernel/domain-name.ts'
import type { Call } from '../../sandbox/wire/call.ts'
import type { Answer } from '../../sandbox/wire/route.ts'
import type { Tampered } from './defect.ts'

// Servers that are wrong at the last moment: the answer is right, and then changes on its way out.

/** The members of any JSON object. */
export type Fields = Record<string, unknown>

/** Which answers a mistake concerns. */
type Picks = (answer: Answer, call: Call) => boolean

/** A server whose answers are wrong after everything was decided. */
export function answering(change: (answer: Answer, call: Call) => Answer): Tampered {
  return { hooks: { answer: change } }
}

/** The same for the answers that `concerns` picks. */
export function answeringWhere(concerns: Picks, change: (answer: Answer, call: Call) => Answer): Tampered {
  return answering((answer, call) => (concerns(answer, call) ? change(answer, call) : answer))
}

/** A server that does more once a call is answered. */
export function actingWhere(concerns: Picks, act: (call: Call) => void): Tampered {
  return answeringWhere(concerns, (answer, call) => {
    act(call)
    return answer
  })
}

/** A server whose answers have other fields. */
export function refilling(concerns: Picks, change: (fields: Fields, call: Call) => Fields): Tampered {
  return answeringWhere(concerns, (answer, call) => ({
    ...answer,
    body: JSON.stringify(change(fieldsOf(answer), call)),
  }))
}

/** A server that refuses the right calls with the wrong code or text. */
export function refusingWith(concerns: Picks, status: number, code: ErrorCode, message?: string): Tampered {
  return answeringWhere(concerns, (answer) => {
    const correct = fieldsOf(answer)
    return { ...answer, status, body: JSON.stringify({ ...correct, code, message: message ?? correct['message'] }) }
  })
}

/** A server that refuses by the right code with another status. */
export function refusingAs(code: ErrorCode, status: number): Tampered {
  return answeringWhere(
    (answer) => codeOf(answer) === code,
    (answer) => ({ ...answer, status }),
  )
}

/** Whether a call has passed authentication and has an endpoint. */
export function isServed(call: Call): boolean {
  return call.endpoint !== null && call.credential !== null && call.refusedBy === null
}

/** A server without an error handler of its own, where some call makes it fail. */
export function crashing(concerns: Picks): Tampered {
  return refusingWith(concerns, 500, 'internal_error', 'Internal Server Error')
}

/** Picks the refusals of an endpoint that have a code. */
export function refusalsOf(endpoint: EndpointId, code: ErrorCode): Picks {
  return (answer, call) => call.endpoint === endpoint && codeOf(answer) === code
}

export function fieldsOf(answer: Answer): Fields {
  return JSON.parse(answer.body) as Fields
}

/** The code of a refusal; undefined for any other answer. */
export function codeOf(answer: Answer): unknown {
  return answer.status >= 400 ? fieldsOf(answer)['code'] : undefined
}

/** A refusal as it goes over the wire. */
export function refusal(status: number, code: ErrorCode, message: string): Answer {
  return { status, headers: {}, body: JSON.stringify({ code, message }) }
}

export function without(fields: Fields, ...names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))
}

/** The order that an event is about, in the history or in a delivery; undefined if it is about something else. */
export function orderIn(event: Fields): Fields | undefined {
  return (event['data'] as { order?: Fields } | undefined)?.order
}

/** An amount among the fields. */
export function cents(fields: Fields, name: string): number {
  return Number(fields[name])
}

export const HOUR_MS = 3_600_000

/** An instant of an answer, moved. */
export function later(at: unknown, byMs: number): string {
  return new Date(Date.parse(String(at)) + byMs).toISOString()
}

/** The members of a JSON body; none of another one. */
export function readable(body: Uint8Array): Fields {
  try {
    return { ...(JSON.parse(Buffer.from(body).toString('utf8')) as Fields) }
  } catch {
    return {}
  }
}

/** The domain that a body or a query names, in its one spelling; empty if it is none. */
export function domainIn({ domain }: Fields): string {
  return normalizeDomain(String(domain)) ?? ''
}

/** The sum of an amount of all rows. */
export function sumOf(rows: readonly Fields[], name: string): number {
  return rows.reduce((sum, row) => sum + cents(row, name), 0)
}
