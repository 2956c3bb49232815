import type { Expectation } from '../../conformance/scenario.ts'
import type { Recorded, RecordedAct, RecordedCall } from './history.ts'

/** Whether a call failed inside on purpose: what a scenario asks for by `fail_next`. */
export function hasFailed(happened: Recorded | undefined): happened is RecordedCall {
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

/**
 * How many calls fail in a row from this one on; 0 where this one is not the first of them. The failing calls are what is
 * counted, not what the operator asked for: what is left over would fail the scenario's next calls.
 */
export function failuresFrom(history: readonly Recorded[], index: number): number {
  if (!hasFailed(history[index]) || hasFailed(history[index - 1])) return 0
  const end = history.findIndex((happened, i) => i > index && !hasFailed(happened))
  return (end === -1 ? history.length : end) - index
}

/** ERR-04: the code, and nothing of the cause. */
export const FAILED: Expectation = {
  status: 500,
  roles: { 'error.code': 'internal_error' },
  hides_cause: true,
  shows: 'ERR-04',
}
