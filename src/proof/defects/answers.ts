import type { ErrorCode } from '../../contract/errors.ts'
import type { Answer } from '../../sandbox/wire/answer.ts'
import type { Call } from '../../sandbox/wire/call.ts'
import type { Defect } from './defect.ts'

/** The members of a JSON object, whatever they are. */
export type Fields = Record<string, unknown>

type Tampered = Pick<Defect, 'hooks'>

/** A server whose answers are wrong after everything was decided. */
export function answering(change: (answer: Answer, call: Call) => Answer): Tampered {
  return { hooks: { answer: change } }
}

/** The same for the answers that `concerns` picks. */
export function answeringWhere(
  concerns: (answer: Answer, call: Call) => boolean,
  change: (answer: Answer, call: Call) => Answer,
): Tampered {
  return answering((answer, call) => (concerns(answer, call) ? change(answer, call) : answer))
}

/** A server that refuses the right calls in the wrong words. */
export function refusingWith(
  concerns: (answer: Answer, call: Call) => boolean,
  refusal: { status: number; code: ErrorCode; message?: string },
): Tampered {
  return answeringWhere(concerns, (answer) => ({ ...answer, status: refusal.status, body: refused(answer, refusal) }))
}

function refused(answer: Answer, { code, message }: { code: ErrorCode; message?: string }): string {
  const sound = fieldsOf(answer)
  return JSON.stringify({ ...sound, code, message: message ?? sound['message'] })
}

export function fieldsOf(answer: Answer): Fields {
  return JSON.parse(answer.body) as Fields
}

/** The code of a refusal; undefined for an answer that is none. */
export function codeOf(answer: Answer): unknown {
  return answer.status >= 400 ? fieldsOf(answer)['code'] : undefined
}

export function withFields(answer: Answer, change: (fields: Fields) => unknown): Answer {
  return { ...answer, body: JSON.stringify(change(fieldsOf(answer))) }
}

export function without(fields: Fields, ...names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))
}

/** What a server without an error handler of its own says. */
export const BARE_500 = { status: 500, code: 'internal_error', message: 'Internal Server Error' } as const
