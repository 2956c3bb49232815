import { ApiError } from '../../contract/errors.ts'

/** The refusal of a step that a state does not allow, with those that it does (STATE-07, BRK-06). */
export function refusedStep(name: string, state: string, allowed: readonly string[]): ApiError {
  const advice = allowed.length > 0 ? `it allows ${allowed.join(', ')}` : 'it allows no step any more'
  return new ApiError('conflict', `${name} is not possible in state ${state}; ${advice}`)
}
