import type { BodySpec, CallStep, CredentialChoice, Expectation, Step, Template } from '../../conformance/scenario.ts'
import { ENDPOINTS, type EndpointId } from '../../contract/endpoints.ts'
import { isScope } from '../../contract/scopes.ts'
import { type Draft, nextId } from './draft.ts'
import { type Fault, faultOf } from './fault-of.ts'
import { jsonOf, keyOf, type Recorded, type RecordedAct, type RecordedCall, splitTarget } from './history.ts'
import { domainOf, priceExpression } from './names.ts'
import { OPEN_STATUSES, SHOWN_BY_ACCEPTANCE, SHOWN_BY_STATUS, shownByRefusal } from './tables.ts'

/** Who calls, as scenarios say it; null for a credential that no target file has. */
export function callerOf(credential: string | null): CredentialChoice | null {
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

/** Whether a fault makes calls fail inside, and so is said by the calls that it met. */
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
    one?.kind === 'call' && hasFailed(one) && one.bodyIsText && callerOf(one.credential) !== null
  if (!failsAgain(happened[index]) || failsAgain(happened[index - 1])) return 0
  const end = happened.findIndex((one, i) => i > index && !failsAgain(one))
  return (end === -1 ? happened.length : end) - index
}

/** ERR-04: the code, and nothing of the cause. */
const FAILED: Expectation = {
  status: 500,
  roles: { 'error.code': 'internal_error' },
  hides_cause: true,
  shows: 'ERR-04',
}

/** The step of a call, or why there can be none. */
export function stepOf(
  draft: Draft,
  call: RecordedCall,
  earlier: readonly Recorded[],
): (Step & { id: string }) | string {
  const op = call.endpoint
  if (op === null) return 'no operation of the document'
  if (call.mishap === 'drop') return 'its answer was lost on purpose, which no scenario asks for'
  if (call.mishap === 'garbage') return 'its answer was spoilt on purpose, which no scenario asks for'
  if (call.mishap === 'refuse' && !hasFailed(call))
    return `refused with ${call.status} on purpose, which no scenario asks for`
  if (call.status >= 500 && !hasFailed(call)) return `answered ${call.status}, which no scenario asks for`
  if (!call.bodyIsText) return 'its body is no text'
  const as = callerOf(call.credential)
  if (as === null) return `the credential ${call.credential} is not one of the usual cast`
  const isAuthentication = call.refusedBy !== null && !['rate-limit', 'scope'].includes(call.refusedBy)
  const fault = isAuthentication ? faultOf(call, earlier, draft.ids) : null
  if (isAuthentication && fault === null) return `refused with ${call.code} for a reason that no fault stands for`
  const caller = as === 'main' ? {} : { as }
  return { id: nextId(draft, op), ...caller, ...whatAndWhy(draft, { call, op, as, fault, earlier }) }
}

interface Situation {
  call: RecordedCall
  op: EndpointId
  as: CredentialChoice
  fault: Fault | null
  earlier: readonly Recorded[]
}

function whatAndWhy(draft: Draft, { call, op, as, fault, earlier }: Situation): Step {
  const made = callOf(call, op, draft)
  if (hasFailed(call)) return { call: made, expect: FAILED }
  if (fault) {
    const expect: Expectation = { refused: call.code ?? true, shows: fault.shows }
    return 'resend' in fault.step ? { ...fault.step, expect } : { call: made, ...fault.step, expect }
  }
  const first = firstWithKey(call, earlier)
  const firstId = first && draft.ids.get(first.requestId)
  if (first && firstId !== undefined) return repeated(call, made, first, firstId)
  const expect = expectationOf(call, op, as)
  return { call: made, ...(expect !== undefined && { expect }) }
}

/** The order that was recorded under the key that this call has, too. */
function firstWithKey(call: RecordedCall, earlier: readonly Recorded[]): RecordedCall | undefined {
  const key = keyOf(call)
  if (key === undefined || call.endpoint !== 'orders.create') return undefined
  const calls = earlier.filter((one) => one.kind === 'call')
  return calls.find((one) => one.endpoint === call.endpoint && keyOf(one) === key && one.status < 300)
}

/** The same bytes bring the stored answer back; other ones are a conflict. */
function repeated(call: RecordedCall, made: CallStep, first: RecordedCall, firstId: string): Step {
  const isSame = call.body === first.body
  if (isSame && call.status < 300) {
    return {
      call: { ...made, body: { bytes_of: firstId } },
      expect: { same_as: { step: firstId, by: 'body' }, shows: 'IDEM-02' },
    }
  }
  const shows = !isSame && call.code === 'conflict' && { shows: 'IDEM-03' }
  return { call: made, expect: { refused: call.code ?? true, ...shows } }
}

/** The call itself, without what is expected of it. */
function callOf(call: RecordedCall, op: EndpointId, draft: Draft): CallStep {
  const path = pathOf(call, op)
  const query = queryOf(call)
  const variable = draft.keys.get(keyOf(call) ?? '')
  const body = ENDPOINTS[op].method === 'GET' ? undefined : bodyOf(call, op, draft)
  return {
    op,
    ...(path && { path: draft.names.rename(path) as Record<string, Template> }),
    ...(query && { query: draft.names.rename(query) as NonNullable<CallStep['query']> }),
    ...(body && { body }),
    ...(variable !== undefined && { idempotency_key: `\${${variable}}` }),
  }
}

function pathOf({ target }: RecordedCall, op: EndpointId): Record<string, string> | null {
  const sent = splitTarget(target)[0].split('/')
  const params = ENDPOINTS[op].path
    .split('/')
    .flatMap((part, i) => (part.startsWith('{') ? [[part.slice(1, -1), decodeURIComponent(sent[i] ?? '')]] : []))
  return params.length === 0 ? null : Object.fromEntries(params)
}

/** Pairs if a name comes twice, an object otherwise. */
function queryOf({ target }: RecordedCall): Record<string, string> | [string, string][] | null {
  const pairs = [...new URLSearchParams(`?${splitTarget(target)[1]}`)]
  if (pairs.length === 0) return null
  const isPlain = new Set(pairs.map(([name]) => name)).size === pairs.length
  return isPlain ? Object.fromEntries(pairs) : pairs
}

/** What was sent, as a change of the operation's template; malformed bodies as they are. */
function bodyOf(call: RecordedCall, op: EndpointId, draft: Draft): BodySpec | undefined {
  // The url and the secret are those of the run's own receiver.
  if (op === 'webhooks.put' && call.status < 300) return undefined
  const json = jsonOf(call.body)
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return { raw: call.body }
  const body = draft.names.rename(json) as Record<string, Template>
  const priced = { ...body, ...priceIn(call, json as Record<string, unknown>, body, draft) }
  // To change a template the runner would first try it by a call of its own, which would fail in place of this one.
  if (call.code === 'validation_error' || hasFailed(call)) return { json: priced }
  // A case without a domain is another thing than one about the template's.
  const isBare = op === 'brokerage.create' && body['domain'] === undefined
  return { set: flattened(priced), ...(isBare && { unset: ['domain'] }) }
}

/** A price in relation to that of the domain, which will be another one, or to that of its quote. */
function priceIn(
  call: RecordedCall,
  { expected_price: price }: Record<string, unknown>,
  { quote_id: quote }: Record<string, Template>,
  { domains }: Draft,
): Record<string, Template> {
  const domain = domains.get(domainOf(call) ?? '')
  if (typeof price !== 'number' || !domain) return {}
  const quoted = /^\$\{(\w+)\.quote\.id\}$/.exec(String(quote))?.[1]
  const isQuoted = quoted !== undefined && call.status < 300
  return { expected_price: isQuoted ? `\${${quoted}.quote.price}` : priceExpression(domain, price) }
}

/** `{ buyer: { email } }` as `{ "buyer.email" }`, which is how a template is changed. */
function flattened(body: Record<string, Template>, prefix = ''): Record<string, Template> {
  return Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.entries(flattened(value, `${prefix}${name}.`))
        : [[prefix + name, value]],
    ),
  )
}

/** What the answer has to be like, from what it was like. */
function expectationOf(call: RecordedCall, op: EndpointId, as: CredentialChoice): Step['expect'] {
  if (call.status >= 400) {
    const shows = call.code === null ? null : as === 'no_affiliate' ? 'SCOPE-09' : shownByRefusal(op, call.code)
    return { refused: call.code ?? true, ...(shows !== null && { shows }) }
  }
  const status = String(call.answer['status'])
  const open = OPEN_STATUSES[status]
  if (op === 'orders.create')
    return {
      accepted: true,
      roles: { 'order.status': open ?? status },
      shows: open === undefined ? 'ORD-01' : 'AUTH-01',
    }
  if (op === 'quotes.create') return { accepted: true, roles: { 'quote.id': { matches: '\\S' } }, shows: 'QUOTE-01' }
  if (op !== 'orders.detail') return { accepted: true, shows: SHOWN_BY_ACCEPTANCE[op] ?? 'AUTH-01' }
  const shows = SHOWN_BY_STATUS[status]
  return { roles: { 'order.status': open ?? status }, ...(shows !== undefined && { shows }) }
}
