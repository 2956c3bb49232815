import type { Expectation } from '../../conformance/format/expectations/expectation.ts'
import { wrongField } from '../../conformance/format/lint-fields.ts'
import { asksToBeFilledIn, FILL_IN, textsIn } from '../../conformance/format/lint-scenario.ts'
import type { CallStep, CredentialChoice, Step } from '../../conformance/format/scenario.ts'
import { literal, type Template } from '../../conformance/format/values.ts'
import { ENDPOINTS, type Endpoint, type EndpointId } from '../../contract/endpoints.ts'
import type { ErrorCode } from '../../contract/errors.ts'
import { isObject } from '../../contract/is-object.ts'
import { isScope } from '../../contract/scopes.ts'
import { type Draft, domainOf } from './draft.ts'
import { faultOf } from './fault-of.ts'
import { bodyOf, headerOf, pathOf, queryOf, type Recorded, type RecordedAct, type RecordedCall } from './history.ts'

/** Who calls, as scenarios say it; null for a credential that no target file has. */
export function callerOf({ credential }: RecordedCall): CredentialChoice | null {
  if (credential === null || credential === 'main') return 'main'
  if (credential === 'other-partner') return 'other_partner'
  if (credential === 'no-affiliate') return 'no_affiliate'
  if (credential === 'not-merchant') return 'not_merchant'
  if (credential === 'no-scope') return { only: 'none' }
  const scope = credential.replace(/^only-/, '')
  return isScope(scope) ? { only: scope } : null
}

/** Whether a call failed inside on purpose: what a scenario asks for by `fail_next`. */
export function hasFailed(one: Recorded | undefined): boolean {
  return one?.kind === 'call' && one.mishap === 'refuse' && one.status === 500 && one.code === 'internal_error'
}

/** Whether a fault makes calls fail inside, so that the failed calls show it. */
export function makesFail({ operation, body }: RecordedAct): boolean {
  if (operation !== 'POST /faults') return false
  const { status, code } = (body['effect'] ?? {}) as { status?: unknown; code?: unknown }
  return (status === 500 || (status === undefined && code === 'internal_error')) && code !== 'rate_limited'
}

/**
 * How many calls fail in a row from this one on; 0 if this one is not the first of them. The failing calls are what is
 * counted, not what the operator asked for: what is left over would fail the scenario's next calls.
 */
export function failuresFrom(happened: readonly Recorded[], index: number): number {
  // A call that a scenario leaves out must not be counted: another one would fail in its place.
  const failsAgain = (one: Recorded | undefined) =>
    one?.kind === 'call' && hasFailed(one) && isText(one) && callerOf(one) !== null
  if (!failsAgain(happened[index]) || failsAgain(happened[index - 1])) return 0
  const end = happened.findIndex((one, i) => i > index && !failsAgain(one))
  return (end === -1 ? happened.length : end) - index
}

/** ERR-04: the code, without the cause. */
const FAILED: Expectation = {
  status: 500,
  roles: { 'error.code': 'internal_error' },
  judge: 'hides_cause',
  shows: 'ERR-04',
}

/** The step of a call, or why there can be none. */
export function stepOf(draft: Draft, call: RecordedCall): (Step & { id: string }) | string {
  const op = call.endpoint
  if (op === null) return isDelivery(call) ? 'a delivery of a webhook, not a call' : 'no operation of the document'
  const spoilt = howSpoilt(call)
  if (spoilt !== null) return spoilt
  if (!isText(call)) return 'its body is not text'
  const as = callerOf(call)
  if (as === null) return `a scenario cannot call with the credential ${call.credential}`
  // How long a key may be is open: another target may accept it.
  if (call.code === 'validation_error' && /idempotency-key/i.test(call.answer.body))
    return 'refused for its Idempotency-Key, which a scenario cannot repeat'
  const isAuthentication = call.refusedBy !== null && !['rate-limit', 'scope'].includes(call.refusedBy)
  const step = isAuthentication ? refusedStep(draft, call, op) : answeredStep(draft, call, op, as)
  if (step === null) return `refused with ${call.code} for a reason that a scenario cannot repeat`
  if ([...textsIn(step)].some(({ text }) => asksToBeFilledIn(text)))
    return `a text in it begins with ${FILL_IN}, which in a scenario marks what is still to be filled in`
  return { id: draft.nextId(op), ...(as !== 'main' && { as }), ...step }
}

/** What a fault did that a scenario cannot repeat. */
function howSpoilt(call: RecordedCall): string | null {
  if (call.mishap === 'drop') return 'its answer was lost by a fault, which a scenario cannot repeat'
  if (call.mishap === 'garbage') return 'its answer was corrupted by a fault, which a scenario cannot repeat'
  if (hasFailed(call)) return null
  if (call.mishap === 'refuse') return `refused with ${call.status} by a fault, which a scenario cannot repeat`
  return call.status >= 500 ? `answered ${call.status}, which a scenario cannot repeat` : null
}

/** Whether it came from the target, on its way through a proxy. */
function isDelivery({ request_id }: RecordedCall): boolean {
  return request_id.startsWith('hook_')
}

function isText({ request }: RecordedCall): boolean {
  return request.body_encoding === 'utf-8'
}

function refusedStep(draft: Draft, call: RecordedCall, op: EndpointId): Step | null {
  const fault = faultOf(draft, call)
  if (fault === null) return null
  const expect: Expectation = { refused: call.code ?? true, shows: fault.shows }
  if (!('fault' in fault.step)) return { ...fault.step, expect }
  const made = callOf(draft, call, op)
  // A text is sent as it stands.
  if (fault.isPretty && made.body?.raw !== undefined) return null
  const body = fault.isPretty && { body: { ...made.body, format: 'pretty' as const } }
  return { call: { ...made, ...body }, ...fault.step, expect }
}

function answeredStep(draft: Draft, call: RecordedCall, op: EndpointId, as: CredentialChoice): Step {
  const made = callOf(draft, call, op)
  if (hasFailed(call)) return { call: made, expect: FAILED }
  const expect = expectationOf(call, op, as)
  // Without this fault the runner would add a key, and the order would be accepted.
  if (call.code === 'missing_idempotency_key') return { call: made, fault: { idempotency_key: 'drop' }, expect }
  const type = call.headers['content-type']
  if (call.code === 'validation_error' && made.body && type !== undefined && !isJsonType(type)) {
    return { call: made, fault: { content_type: { raw: literal(type) } }, expect: { refused: true, shows: 'ERR-02' } }
  }
  return repeatedStep(draft, call, made) ?? { call: made, expect }
}

function isJsonType(type: string): boolean {
  return /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type)
}

/** A call with a key under which one was accepted before: the same bytes bring the stored answer back; other ones are a conflict. */
function repeatedStep(draft: Draft, call: RecordedCall, made: CallStep): Step | null {
  const key = headerOf(call, 'idempotencyKey')
  const row: Endpoint | null = call.endpoint && ENDPOINTS[call.endpoint]
  if (key === undefined || row?.idempotencyKey !== 'required') return null
  const first = draft
    .callsBefore(call)
    .find((one) => one.endpoint === call.endpoint && headerOf(one, 'idempotencyKey') === key && one.status < 300)
  const step = first && draft.ids.get(first.request_id)
  if (!first || step === undefined) return null
  const isSame = call.request.body === first.request.body
  if (isSame && call.status < 300) {
    const expect: Expectation = { same_as: { step, by: 'body' }, shows: 'IDEM-02' }
    return { call: { ...made, body: { bytes_of: step } }, expect }
  }
  const shows = !isSame && call.code === 'conflict' && { shows: 'IDEM-03' }
  return { call: made, expect: { refused: call.code ?? true, ...shows } }
}

/** The call itself, without what is expected of it. */
function callOf(draft: Draft, call: RecordedCall, op: EndpointId): CallStep {
  const path = draft.names.renameMembers(pathOf(call, op))
  const pairs = [...queryOf(call)]
  const isPlain = new Set(pairs.map(([name]) => name)).size === pairs.length
  const query = isPlain
    ? draft.names.renameMembers(Object.fromEntries(pairs))
    : pairs.map((pair): [Template, Template] => [draft.names.rename(pair[0]), draft.names.rename(pair[1])])
  const body = ENDPOINTS[op].method === 'GET' ? undefined : bodySpecOf(draft, call, op)
  const variable = draft.keys.get(headerOf(call, 'idempotencyKey') ?? '')
  return {
    op,
    ...(Object.keys(path).length > 0 && { path }),
    ...(pairs.length > 0 && { query }),
    ...(body && { body }),
    ...(variable !== undefined && { idempotency_key: `\${${variable}}` }),
  }
}

/** What was sent, as a change of the operation's template; malformed bodies as they are. */
function bodySpecOf(draft: Draft, call: RecordedCall, op: EndpointId): CallStep['body'] | undefined {
  const { creates }: Endpoint = ENDPOINTS[op]
  // The url and the secret are those of the run's own receiver.
  if (creates?.kind === 'webhook' && call.status < 300) return undefined
  const sent = bodyOf(call)
  // A body may name half of a surrogate pair by its escape, and a file cannot hold it.
  if (sent === null || /\\ud[89a-f]/.test(JSON.stringify(sent))) return { raw: literal(call.request.body) }
  const body = draft.names.renameMembers(sent)
  const priced = { ...body, ...priceIn(draft, call, sent['expected_price'], body['quote_id']) }
  // To change a template the runner would first try it by a call of its own, which would fail in place of this one.
  if (call.code === 'validation_error' || hasFailed(call)) return { json: priced }
  // A lenient target takes what would be a slip in a change of the template, and names that would be places in it.
  const fields = Object.keys(flattened(priced))
  if (Object.keys(priced).some((name) => name.includes('.')) || fields.some((field) => wrongField(op, field) !== null))
    return { json: priced }
  // A case without a domain is another thing than one about the template's.
  const isBare = creates?.kind === 'case' && body['domain'] === undefined
  return { set: flattened(priced), ...(isBare && { unset: ['domain'] }) }
}

/** A price in relation to that of the domain, which will be another one, or to that of its quote. */
function priceIn(
  draft: Draft,
  call: RecordedCall,
  price: unknown,
  quote: Template | undefined,
): Record<string, Template> {
  if (typeof price !== 'number') return {}
  const quoted = /^\$\{(\w+)\.quote\.id\}$/.exec(String(quote))?.[1]
  const isQuoted = quoted !== undefined && call.status < 300
  return { expected_price: isQuoted ? `\${${quoted}.quote.price}` : draft.priceOf(domainOf(call), price) }
}

/** `{ buyer: { email } }` as `{ "buyer.email" }`, which is how a template is changed. */
function flattened(body: Record<string, Template>, prefix = ''): Record<string, Template> {
  return Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) =>
      isObject(value)
        ? Object.entries(flattened(value as Record<string, Template>, `${prefix}${name}.`))
        : [[prefix + name, value]],
    ),
  )
}

/** Requirements that an accepted call shows by being accepted, if its endpoint is judged by one; else it shows AUTH-01. */
const SHOWN_BY_ACCEPTANCE = ['INV-06', 'INV-07', 'INV-08', 'QUOTE-01']

/** Requirements that a refusal with this code shows, if its endpoint is judged by one; else the refusal is a premise. */
const SHOWN_BY_REFUSAL: ReadonlyMap<string | null, readonly string[]> = new Map<ErrorCode, readonly string[]>([
  ['forbidden', ['SCOPE-01', 'SCOPE-02', 'SCOPE-03', 'SCOPE-04', 'SCOPE-05', 'SCOPE-06', 'SCOPE-07']],
  ['missing_idempotency_key', ['IDEM-01']],
  ['not_found', ['INV-06', 'INV-08', 'ORD-05', 'ORD-10', 'CHK-06', 'BRK-04']],
  ['price_mismatch', ['ORD-03']],
  ['quote_expired', ['QUOTE-03']],
  ['validation_error', ['INV-11', 'ORD-04', 'LINK-01', 'BRK-03']],
])

/** The requirement that a reached state of an order shows. */
const SHOWN_BY_STATUS: ReadonlyMap<string, string> = new Map([
  ['TRANSFER_IN_PROGRESS', 'STATE-01'],
  ['TRANSFER_COMPLETED', 'STATE-02'],
  ['SETTLED', 'STATE-03'],
  ['REFUNDED', 'STATE-05'],
])

/** States whose names the document leaves open: scenarios use the target's own. */
const OPEN_STATUSES: ReadonlyMap<string, string> = new Map([
  ['MANUAL_REVIEW', '${status.held}'],
  ['REFUNDED', '${status.refunded}'],
  ['CANCELLED', '${status.cancelled}'],
])

/** What the answer has to be like, from what it was like. */
function expectationOf(call: RecordedCall, op: EndpointId, as: CredentialChoice): Expectation {
  const { requirements, creates, subject, method }: Endpoint = ENDPOINTS[op]
  const among = (shown: readonly string[] = []) => requirements.find((id) => shown.includes(id))
  const status = String(call.answered['status'])
  const open = OPEN_STATUSES.get(status)
  const roles = { 'order.status': open ?? status }
  if (call.status >= 400) {
    const shows = as === 'no_affiliate' ? 'SCOPE-09' : among(SHOWN_BY_REFUSAL.get(call.code))
    return { refused: call.code ?? true, ...(call.code !== null && shows !== undefined && { shows }) }
  }
  if (creates?.kind === 'order') return { accepted: true, roles, shows: open === undefined ? 'ORD-01' : 'AUTH-01' }
  if (subject?.kind === 'order' && method === 'GET') {
    const shows = SHOWN_BY_STATUS.get(status)
    return { roles, ...(shows !== undefined && { shows }) }
  }
  const quoted = creates?.kind === 'quote' && { roles: { 'quote.id': { matches: '\\S' } } }
  return { accepted: true, ...quoted, shows: among(SHOWN_BY_ACCEPTANCE) ?? 'AUTH-01' }
}
