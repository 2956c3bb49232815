import type { EndpointId } from '../contract/endpoints.ts'
import type { Answer } from './http/answer.ts'
import type { Check, CheckName } from './http/authenticate/index.ts'
import type { Call } from './http/call.ts'
import type { Route } from './http/route.ts'

/**
 * Where a defect may reach in when no rule expresses it: another authentication check, another handler, another
 * answer. Empty in a sound sandbox.
 */
export interface Tampering {
  readonly checks?: Partial<Record<CheckName, Check>>
  readonly routes?: Partial<Record<EndpointId, (sound: Route) => Route>>
  /** Changes an answer after everything was decided and committed. */
  readonly answer?: (answer: Answer, call: Call) => Answer
}

export const NO_TAMPERING: Tampering = {}
