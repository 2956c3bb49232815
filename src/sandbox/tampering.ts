import type { EndpointId } from '../contract/endpoints.ts'
import type { Answer } from './http/answer.ts'
import type { Check, CheckName } from './http/authenticate/index.ts'
import type { Call } from './http/call.ts'
import type { Page, PageId } from './http/page.ts'
import type { Route } from './http/route.ts'
import type { AttemptResult, Delivery } from './webhooks/deliveries.ts'
import type { Message } from './webhooks/send.ts'
import type { World } from './world.ts'

/**
 * Where a defect may reach in when no rule expresses it: another authentication check, another handler, another
 * page, another answer. Empty in a sound sandbox.
 */
export interface Tampering {
  readonly checks?: Partial<Record<CheckName, Check>>
  readonly routes?: Partial<Record<EndpointId, (sound: Route) => Route>>
  readonly pages?: Partial<Record<PageId, (sound: Page) => Page>>
  /** Changes an answer after everything was decided and committed. */
  readonly answer?: (answer: Answer, call: Call) => Answer
  /** Sends a webhook in another way; `send` makes one sound attempt of a message. */
  readonly delivery?: (
    sound: Message,
    delivery: Delivery,
    send: (message: Message) => Promise<AttemptResult>,
    world: World,
  ) => Promise<AttemptResult>
}

export const NO_TAMPERING: Tampering = {}
