import type { CredentialChoice, Expectation } from '../../conformance/format/scenario.ts'
import { ENDPOINTS, type Endpoint, type EndpointId } from '../../contract/endpoints.ts'
import type { ErrorCode } from '../../contract/errors.ts'
import type { RecordedCall } from './history.ts'

/** Requirements that an accepted call shows by being accepted, if its endpoint is judged by one; else it shows AUTH-01. */
const SHOWN_BY_ACCEPTANCE = ['INV-06', 'INV-07', 'INV-08', 'QUOTE-01']

/** Requirements that a refusal with this code shows, if its endpoint is judged by one; else the refusal is a premise. */
const SHOWN_BY_REFUSAL: Readonly<Partial<Record<ErrorCode, readonly string[]>>> = {
  forbidden: ['SCOPE-01', 'SCOPE-02', 'SCOPE-03', 'SCOPE-04', 'SCOPE-05', 'SCOPE-06', 'SCOPE-07'],
  missing_idempotency_key: ['IDEM-01'],
  not_found: ['INV-06', 'INV-08', 'ORD-05', 'ORD-10', 'CHK-06', 'BRK-04'],
  price_mismatch: ['ORD-03'],
  quote_expired: ['QUOTE-03'],
  validation_error: ['INV-11', 'ORD-04', 'LINK-01', 'BRK-03'],
}

/** The requirement that a reached state of an order shows. */
const SHOWN_BY_STATUS: Readonly<Record<string, string>> = {
  TRANSFER_IN_PROGRESS: 'STATE-01',
  TRANSFER_COMPLETED: 'STATE-02',
  SETTLED: 'STATE-03',
  REFUNDED: 'STATE-05',
}

/** States whose names the document leaves open: scenarios use the target's own. */
const OPEN_STATUSES: Readonly<Record<string, string>> = {
  MANUAL_REVIEW: '${status.held}',
  REFUNDED: '${status.refunded}',
  CANCELLED: '${status.cancelled}',
}

/** What the answer has to be like, from what it was like. */
export function expectationOf(call: RecordedCall, op: EndpointId, as: CredentialChoice): Expectation {
  const { requirements, creates, subject, method }: Endpoint = ENDPOINTS[op]
  const among = (shown: readonly string[] = []) => requirements.find((id) => shown.includes(id))
  const status = String(call.answered['status'])
  const open = OPEN_STATUSES[status]
  const roles = { 'order.status': open ?? status }
  if (call.status >= 400) {
    const shows = as === 'no_affiliate' ? 'SCOPE-09' : among(SHOWN_BY_REFUSAL[call.code as ErrorCode])
    return { refused: call.code ?? true, ...(call.code !== null && shows !== undefined && { shows }) }
  }
  if (creates?.kind === 'order') return { accepted: true, roles, shows: open === undefined ? 'ORD-01' : 'AUTH-01' }
  if (subject?.kind === 'order' && method === 'GET') {
    const shows = SHOWN_BY_STATUS[status]
    return { roles, ...(shows !== undefined && { shows }) }
  }
  const quoted = creates?.kind === 'quote' && { roles: { 'quote.id': { matches: '\\S' } } }
  return { accepted: true, ...quoted, shows: among(SHOWN_BY_ACCEPTANCE) ?? 'AUTH-01' }
}
