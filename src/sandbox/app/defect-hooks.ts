import type { EndpointId } from '../../contract/endpoints.ts'
import type { DeliveryHook } from '../webhooks/attempt.ts'
import type { Call } from '../wire/call.ts'
import type { PageId, PageRoute } from '../wire/page.ts'
import type { Answer, Route } from '../wire/route.ts'
import type { OtherChecks } from './checks.ts'

/**
 * Where a defect may reach in when no rule expresses it: another authentication check, another handler, another
 * page, another answer. Empty in a valid sandbox.
 */
export interface DefectHooks {
  readonly checks?: OtherChecks
  readonly routes?: Partial<Record<EndpointId, (sound: Route) => Route>>
  readonly pages?: Partial<Record<PageId, (sound: PageRoute) => PageRoute>>
  /** Changes an answer after everything was decided and committed. */
  readonly answer?: (answer: Answer, call: Call) => Answer
  readonly delivery?: DeliveryHook
}

export const NO_DEFECT_HOOKS: DefectHooks = {}
