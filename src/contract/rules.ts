import { CASE_STEPS, type CaseStep, type CaseStepName } from './case-states.ts'
import { ENDPOINT_IDS, type EndpointId } from './endpoint-ids.ts'
import { ENDPOINTS } from './endpoints.ts'
import type { EnvironmentWord } from './ids.ts'
import { LIMITS } from './limits.ts'
import { ORDER_STEPS, type OrderState, type OrderStep, type OrderStepName } from './order-states.ts'
import type { OrderPaymentModel } from './payment-models.ts'
import type { Scope } from './scopes.ts'

/**
 * What the document fixes and the sandbox reads where it decides: limits, sets of states and models, scopes, tables of
 * steps. A defect (src/proof/defects) is a sandbox with another value for one of them, or with hooks. What the document
 * leaves open is in choices.ts.
 */
export interface Rules {
  /** The environment word of secrets; that of key ids is always `sandbox` here (CRED-01). */
  readonly credentials: { readonly secretWord: EnvironmentWord }
  readonly timestamp: { readonly pastSeconds: number; readonly futureSeconds: number }
  /** Any one of the listed scopes opens the endpoint. */
  readonly scopes: Readonly<Record<EndpointId, readonly Scope[]>>
  /** Whether a credential must be linked to an affiliate account. */
  readonly affiliate: Readonly<Record<EndpointId, boolean>>
  readonly search: { readonly results: number }
  readonly quotes: { readonly seconds: number }
  /** States in which a partner may ask for its order to be refunded, and models of the orders it may ask for. */
  readonly refunds: { readonly from: readonly OrderState[]; readonly models: readonly OrderPaymentModel[] }
  readonly steps: Readonly<Record<OrderStepName, OrderStep>>
  readonly brokerage: { readonly steps: Readonly<Record<CaseStepName, CaseStep>> }
  /** How long the hosted page may be opened. */
  readonly checkout: { readonly seconds: number }
  /** How long a delivery may take, in milliseconds of real time. */
  readonly webhooks: { readonly deadlineMs: number }
}

export const RULES: Rules = {
  credentials: { secretWord: 'sandbox' },
  timestamp: { pastSeconds: LIMITS.timestampSkewSeconds, futureSeconds: LIMITS.timestampSkewSeconds },
  scopes: fromEndpoints((id) => ENDPOINTS[id].scopes),
  affiliate: fromEndpoints((id) => 'affiliate' in ENDPOINTS[id]),
  search: { results: LIMITS.searchResults },
  quotes: { seconds: LIMITS.quoteSeconds },
  refunds: { from: ['EXTERNALLY_PAID', 'MANUAL_REVIEW', 'TRANSFER_IN_PROGRESS'], models: ['partner_collected'] },
  steps: ORDER_STEPS,
  brokerage: { steps: CASE_STEPS },
  checkout: { seconds: LIMITS.checkoutSeconds },
  webhooks: { deadlineMs: LIMITS.webhookTimeoutMs },
}

function fromEndpoints<Value>(ruleOf: (id: EndpointId) => Value): Record<EndpointId, Value> {
  return Object.fromEntries(ENDPOINT_IDS.map((id) => [id, ruleOf(id)])) as Record<EndpointId, Value>
}
