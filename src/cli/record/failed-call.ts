import type { CallStep, Expectation, Template } from '../../conformance/scenario.ts'
import { callerOf } from './call-step.ts'
import type { Recorded, RecordedAct } from './history.ts'

/** Whether a call failed inside on purpose: what a scenario asks for by `fail_next`. */
export function hasFailed(happened: Recorded | undefined): boolean {
  return (
    happened?.kind === 'call' &&
    happened.mishap === 'refuse' &&
    happened.status === 500 &&
    happened.code === 'internal_error'
  )
}

/** Whether a fault makes calls fail inside, and so is said by the calls that it met. */
export function makesFail({ operation, body }: RecordedAct): boolean {
  if (operation !== 'POST /faults') return false
  const { status, code } = (body['effect'] ?? {}) as { status?: unknown; code?: unknown }
  return (status === 500 || (status === undefined && code === 'internal_error')) && code !== 'rate_limited'
}

/** A call that a scenario leaves out must not be counted: another one would fail in its place. */
function failsAgain(happened: Recorded | undefined): boolean {
  return (
    happened?.kind === 'call' && hasFailed(happened) && happened.bodyIsText && callerOf(happened.credential) !== null
  )
}

/**
 * How many calls fail in a row from this one on; 0 where this one is not the first of them. The failing calls are what is
 * counted, not what the operator asked for: what is left over would fail the scenario's next calls.
 */
export function failuresFrom(history: readonly Recorded[], index: number): number {
  if (!failsAgain(history[index]) || failsAgain(history[index - 1])) return 0
  const end = history.findIndex((happened, i) => i > index && !failsAgain(happened))
  return (end === -1 ? history.length : end) - index
}

/** ERR-04: the code, and nothing of the cause. */
export const FAILED: Expectation = {
  status: 500,
  roles: { 'error.code': 'internal_error' },
  hides_cause: true,
  shows: 'ERR-04',
}

/**
 * A call that is to be the next one: its body is written out, because for a change of a template the runner would first try
 * that out by a call of its own.
 */
export function preparedCall({ body, ...call }: CallStep): CallStep {
  if (!body) return call
  return { ...call, body: body.set ? { json: nested(body.set) } : body }
}

/** `{ "buyer.email" }` as `{ buyer: { email } }`. */
function nested(flat: Record<string, Template>): Record<string, Template> {
  const whole: Record<string, Template> = {}
  for (const [path, value] of Object.entries(flat)) {
    const parts = path.split('.')
    const last = parts.pop() as string
    let at = whole
    for (const part of parts) {
      at[part] ??= {}
      at = at[part] as Record<string, Template>
    }
    at[last] = value
  }
  return whole
}
