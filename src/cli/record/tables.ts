import type { Step } from '../../conformance/scenario.ts'
import type { MistakeId } from '../../contract/diagnosis/mistakes.ts'
import { ENDPOINTS, type EndpointId } from '../../contract/endpoints.ts'
import type { EventType } from '../../contract/event-types.ts'
import type { Scope } from '../../contract/scopes.ts'

/** Where the id that a call was given stands in its answer, and by which role a later step finds it. */
export const GIVEN: Partial<Record<EndpointId, readonly [field: string, role: string][]>> = {
  'quotes.create': [['quote_id', 'quote.id']],
  'orders.create': [['public_id', 'order.public_id']],
  'checkout.create': [
    ['checkout_url', 'checkout.url'],
    ['session_id', 'checkout.id'],
  ],
  'brokerage.create': [['case_id', 'case.id']],
  'links.create': [['link_id', 'link.id']],
  'orders.list': [['next_cursor', 'orders.next']],
  'events.list': [['next_cursor', 'events.next']],
}

/** The requirement that an accepted call shows by being accepted; every other call shows AUTH-01. */
export const SHOWN_BY_ACCEPTANCE: Partial<Record<EndpointId, string>> = {
  'domains.detail': 'INV-06',
  availability: 'INV-07',
  pricing: 'INV-08',
}

const SHOWN_BY_REFUSAL: Readonly<Record<string, string>> = {
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

const SHOWN_BY_SCOPE: Readonly<Record<Scope, string>> = {
  search: 'SCOPE-01',
  buy: 'SCOPE-02',
  embed: 'SCOPE-03',
  broker: 'SCOPE-04',
  refer: 'SCOPE-05',
  report: 'SCOPE-06',
  webhook: 'SCOPE-07',
}

/** The requirement that a refusal shows. Null if the document names no such refusal: then it is a premise. */
export function shownByRefusal(op: EndpointId, code: string): string | null {
  const { scopes } = ENDPOINTS[op]
  if (code === 'forbidden' && scopes.length === 1) return SHOWN_BY_SCOPE[scopes[0]]
  return SHOWN_BY_REFUSAL[`${op} ${code}`] ?? null
}

/** The requirement that an event in the history shows. */
export const SHOWN_BY_EVENT: Readonly<Partial<Record<EventType, string>>> = {
  'order.recorded': 'ORD-02',
  'order.transfer_started': 'STATE-01',
  'order.transfer_completed': 'STATE-02',
  'order.settled': 'STATE-03',
  'order.manual_review_cleared': 'STATE-04',
  'order.refunded': 'STATE-05',
  'brokerage.case_completed': 'BRK-05',
}

/** The requirement that a reached state of an order shows. */
export const SHOWN_BY_STATUS: Readonly<Record<string, string>> = {
  TRANSFER_IN_PROGRESS: 'STATE-01',
  TRANSFER_COMPLETED: 'STATE-02',
  SETTLED: 'STATE-03',
  REFUNDED: 'STATE-05',
}

/** States whose names the document leaves open: scenarios use the target's own. */
export const OPEN_STATUSES: Readonly<Record<string, string>> = {
  MANUAL_REVIEW: '${status.held}',
  REFUNDED: '${status.refunded}',
  CANCELLED: '${status.cancelled}',
}

/** Single mistakes that have a word in scenarios (docs/scenario-format.md, Faults). */
export const SIGNATURE_FAULTS: Partial<Record<MistakeId, readonly [fault: Step['fault'] & object, shows: string]>> = {
  'prefix-missing': [{ signature: 'no_prefix' }, 'AUTH-07'],
  'digest-upper-case': [{ signature: 'upper_case' }, 'AUTH-14'],
  'digest-base64': [{ signature: 'base64' }, 'AUTH-14'],
  'digest-cut': [{ signature: 'truncate' }, 'AUTH-14'],
  'digest-too-long': [{ signature: 'lengthen' }, 'AUTH-14'],
  'key-id-as-secret': [{ signature: { key: 'key_id' } }, 'AUTH-05'],
  'secret-of-another': [{ signature: { key: 'other_partner' } }, 'AUTH-16'],
  'method-lower-case': [{ canonical: 'verb_lower' }, 'CANON-11'],
  'path-without-root': [{ canonical: 'path_without_root' }, 'AUTH-08'],
  'query-unsorted': [{ canonical: 'query_unsorted' }, 'CANON-03'],
  'query-sorted-by-key-only': [{ canonical: 'query_sorted_by_key_only' }, 'CANON-04'],
  'query-sorted-after-encoding': [{ canonical: 'query_sorted_after_encoding' }, 'CANON-13'],
  'query-raw': [{ canonical: 'query_raw' }, 'CANON-07'],
  'query-plus': [{ canonical: 'plus_for_space' }, 'CANON-07'],
  'query-five-bare': [{ canonical: 'extra_unencoded' }, 'CANON-06'],
  'query-blank-dropped': [{ canonical: 'blank_dropped' }, 'CANON-05'],
  'query-empty': [{ canonical: 'query_empty' }, 'AUTH-10'],
  'body-hashed-empty': [{ canonical: 'body_empty' }, 'AUTH-06'],
  'body-hash-upper-case': [{ canonical: 'body_hash_upper' }, 'CANON-09'],
  'body-hash-base64': [{ canonical: 'body_hash_base64' }, 'CANON-09'],
  'lines-crlf': [{ canonical: 'crlf' }, 'AUTH-13'],
  'newline-at-end': [{ canonical: 'trailing_newline' }, 'AUTH-13'],
  'query-line-missing': [{ canonical: 'missing_query_line' }, 'AUTH-13'],
  'lines-swapped': [{ canonical: 'lines_swapped' }, 'CANON-01'],
}
