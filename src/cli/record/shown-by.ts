import { ENDPOINTS, type EndpointId } from '../../contract/endpoints.ts'
import type { EventType } from '../../contract/event-types.ts'
import type { Scope } from '../../contract/scopes.ts'

/** Which requirement an accepted call of an operation shows by being accepted; all show AUTH-01. */
const BY_ACCEPTANCE: Partial<Record<EndpointId, string>> = {
  'domains.detail': 'INV-06',
  availability: 'INV-07',
  pricing: 'INV-08',
}

/** Which requirement a refusal shows, by operation and code. */
const BY_REFUSAL: Readonly<Record<string, string>> = {
  'domains.detail not_found': 'INV-06',
  'pricing not_found': 'INV-08',
  'availability validation_error': 'INV-11',
  'pricing validation_error': 'INV-11',
  'orders.create validation_error': 'ORD-04',
  'orders.create not_found': 'ORD-05',
  'orders.create price_mismatch': 'ORD-03',
  'orders.create quote_expired': 'QUOTE-03',
  'orders.create missing_idempotency_key': 'IDEM-01',
  'orders.detail not_found': 'ORD-10',
  'checkout.create not_found': 'CHK-06',
  'links.create validation_error': 'LINK-01',
  'brokerage.create validation_error': 'BRK-03',
  'brokerage.detail not_found': 'BRK-04',
}

const BY_SCOPE: Readonly<Record<Scope, string>> = {
  search: 'SCOPE-01',
  buy: 'SCOPE-02',
  embed: 'SCOPE-03',
  broker: 'SCOPE-04',
  refer: 'SCOPE-05',
  report: 'SCOPE-06',
  webhook: 'SCOPE-07',
}

/** Which requirement an event in the history shows. */
export const BY_EVENT: Readonly<Partial<Record<EventType, string>>> = {
  'order.recorded': 'ORD-02',
  'order.transfer_started': 'STATE-01',
  'order.transfer_completed': 'STATE-02',
  'order.settled': 'STATE-03',
  'order.manual_review_cleared': 'STATE-04',
  'order.refunded': 'STATE-05',
  'brokerage.case_completed': 'BRK-05',
}

export function shownByAcceptance(op: EndpointId): string {
  return BY_ACCEPTANCE[op] ?? 'AUTH-01'
}

/** Null where the document names no such refusal: then it is a premise. */
export function shownByRefusal(op: EndpointId, code: string): string | null {
  const { scopes } = ENDPOINTS[op]
  if (code === 'forbidden' && scopes.length === 1) return BY_SCOPE[scopes[0]]
  return BY_REFUSAL[`${op} ${code}`] ?? null
}
