import { CASE_STATES } from './case-states.ts'
import type { GapChoices } from './choices.ts'
import { ENDPOINTS, type Endpoint, type EndpointId } from './endpoints.ts'
import type { OrderState } from './order-states.ts'

/** Our names of parameters, each with the one that is chosen; those that are the same are left out. */
export type Renaming = ReadonlyMap<string, string>

/** Whether the document names this query parameter of an endpoint. */
export function isDocumentedParameter(endpoint: EndpointId, name: string): boolean {
  const { documentedQuery }: Endpoint = ENDPOINTS[endpoint]
  return documentedQuery.includes(name)
}

/**
 * How an endpoint calls its query parameters (ORD-14).
 *
 * @example parameterNames('orders.list', { ...DEFAULT_GAPS, 'cursor-parameter': 'page_token' }).get('cursor') // 'page_token'
 */
export function parameterNames(endpoint: EndpointId, gaps: GapChoices): Renaming {
  const [from = 'from', to = 'to'] = gaps['window-parameters'].split(', ')
  return changes([
    ...(isDocumentedParameter(endpoint, 'from') ? [] : [['from', from] as const, ['to', to] as const]),
    ...(isDocumentedParameter(endpoint, 'limit')
      ? []
      : [['cursor', gaps['cursor-parameter']] as const, ['limit', gaps['limit-parameter']] as const]),
    ...(endpoint === 'orders.list' ? [['domain', gaps['domain-parameter']] as const] : []),
  ])
}

/** How an endpoint calls the outermost fields of its answer (ORD-14). */
export function answerNames(endpoint: EndpointId, gaps: GapChoices): Renaming {
  // Where the document names the parameters of pages, it names this field as well.
  return changes(isDocumentedParameter(endpoint, 'limit') ? [] : [['next_cursor', gaps['next-cursor-field']]])
}

/** The states of orders and cases that have another name on the wire (ORD-15, BRK-06). */
export function stateNames(gaps: GapChoices): ReadonlyMap<string, string> {
  return changes([
    ['MANUAL_REVIEW' satisfies OrderState, gaps['held-status']],
    ['REFUNDED' satisfies OrderState, gaps['refunded-status']],
    ['CANCELLED' satisfies OrderState, gaps['cancelled-status']],
    ...caseStates(gaps),
  ])
}

/**
 * How a state is called on the wire.
 *
 * @example stateName('CANCELLED', { ...DEFAULT_GAPS, 'cancelled-status': 'CANCELED' }) // 'CANCELED'
 */
export function stateName(state: OrderState, gaps: GapChoices): string {
  return stateNames(gaps).get(state) ?? state
}

function caseStates(gaps: GapChoices): (readonly [ours: string, chosen: string])[] {
  const chosen = gaps['case-states'].split(', ')
  return CASE_STATES.map((state, i) => [state, chosen[i] ?? state])
}

/** The same value, with each status of an order under its name on the wire; dates and the like stay whole. */
export function inStates(value: unknown, states: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => inStates(item, states))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, inner]) => [
    name,
    name === 'status' && typeof inner === 'string' ? (states.get(inner) ?? inner) : inStates(inner, states),
  ])
  return Object.fromEntries(entries)
}

function changes(pairs: readonly (readonly [ours: string, chosen: string])[]): Renaming {
  return new Map(pairs.filter(([ours, chosen]) => ours !== chosen))
}
