import type { BodySpec, CallStep, CredentialChoice, Expectation, Step, Template } from '../../conformance/scenario.ts'
import { ENDPOINTS, type EndpointId } from '../../contract/endpoints.ts'
import { HEADERS } from '../../contract/headers.ts'
import { isScope } from '../../contract/scopes.ts'
import { domainOf, type RecordedDomain, splitTarget } from './domains.ts'
import { jsonOf, type RecordedCall } from './history.ts'
import type { Names } from './names.ts'
import { priceExpression } from './operator-step.ts'
import { shownByAcceptance, shownByRefusal } from './shown-by.ts'

/** What a call's step is written from. */
export interface CallContext {
  names: Names
  domains: ReadonlyMap<string, RecordedDomain>
  /** Expression of an idempotency key that more than one call has. */
  sharedKey(key: string): string | undefined
}

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

/** The call itself, without what is expected of it. */
export function callOf(call: RecordedCall, op: EndpointId, context: CallContext): CallStep {
  const { names } = context
  const path = pathOf(call, op)
  const query = queryOf(call)
  const key = call.headers[HEADERS.idempotencyKey.toLowerCase()]
  const shared = key === undefined ? undefined : context.sharedKey(key)
  const body = ENDPOINTS[op].method === 'GET' ? undefined : bodyOf(call, op, context)
  return {
    op,
    ...(path && { path: names.rename(path) as Record<string, Template> }),
    ...(query && { query: names.rename(query) as NonNullable<CallStep['query']> }),
    ...(body && { body }),
    ...(shared !== undefined && { idempotency_key: `\${${shared}}` }),
  }
}

function pathOf({ target }: RecordedCall, op: EndpointId): Record<string, string> | null {
  const wanted = ENDPOINTS[op].path.split('/')
  const sent = splitTarget(target)[0].split('/')
  const params = wanted.flatMap((part, i) =>
    part.startsWith('{') ? [[part.slice(1, -1), decodeURIComponent(sent[i] ?? '')]] : [],
  )
  return params.length === 0 ? null : Object.fromEntries(params)
}

/** Pairs where a name comes twice or the order counts for nothing else, an object otherwise. */
function queryOf({ target }: RecordedCall): Record<string, string> | [string, string][] | null {
  const pairs = [...new URLSearchParams(`?${splitTarget(target)[1]}`)]
  if (pairs.length === 0) return null
  const isPlain = new Set(pairs.map(([name]) => name)).size === pairs.length
  return isPlain ? Object.fromEntries(pairs) : pairs
}

/** What was sent, as a change of the operation's template; malformed bodies as they are. */
function bodyOf(call: RecordedCall, op: EndpointId, context: CallContext): BodySpec | undefined {
  // The url and the secret are those of the run's own receiver.
  if (op === 'webhooks.put' && call.status < 300) return undefined
  if (call.body === '') return { raw: '' }
  const json = jsonOf(call.body)
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return { raw: call.body }
  const body = context.names.rename(json) as Record<string, Template>
  const priced = { ...body, ...priceIn(call, json as Record<string, unknown>, body, context) }
  return call.code === 'validation_error' ? { json: priced } : changed(op, priced)
}

/** A case without a domain is another thing than one about the template's. */
function changed(op: EndpointId, body: Record<string, Template>): BodySpec {
  const isBare = op === 'brokerage.create' && body['domain'] === undefined
  return { set: flattened(body), ...(isBare && { unset: ['domain'] }) }
}

/** A price in relation to that of the domain, which will be another one, or to that of its quote. */
function priceIn(
  call: RecordedCall,
  { expected_price: price }: Record<string, unknown>,
  { quote_id: quote }: Record<string, Template>,
  { domains }: CallContext,
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
export function expectationOf(call: RecordedCall, op: EndpointId, as: CredentialChoice): Step['expect'] {
  if (call.status >= 500) return undefined
  if (call.status >= 400) return refusal(call, op, as)
  const answer = (call.answer ?? {}) as Record<string, unknown>
  if (op === 'orders.create') {
    const open = OPEN_STATUSES[String(answer['status'])]
    if (open !== undefined) return { accepted: true, roles: { 'order.status': open }, shows: 'AUTH-01' }
    return { accepted: true, roles: { 'order.status': String(answer['status']) }, shows: 'ORD-01' }
  }
  if (op === 'quotes.create') return { accepted: true, roles: { 'quote.id': { matches: '\\S' } }, shows: 'QUOTE-01' }
  if (op === 'orders.detail') return detailExpectation(String(answer['status']))
  return { accepted: true, shows: shownByAcceptance(op) }
}

/** Names that the document leaves open are the target's own. */
const OPEN_STATUSES: Readonly<Record<string, string>> = {
  MANUAL_REVIEW: '${status.held}',
  REFUNDED: '${status.refunded}',
  CANCELLED: '${status.cancelled}',
}

/** What a state that has been reached shows. */
const SHOWN_BY_STATUS: Readonly<Record<string, string>> = {
  TRANSFER_IN_PROGRESS: 'STATE-01',
  TRANSFER_COMPLETED: 'STATE-02',
  SETTLED: 'STATE-03',
  REFUNDED: 'STATE-05',
}

function detailExpectation(status: string): Expectation {
  const shows = SHOWN_BY_STATUS[status]
  return { roles: { 'order.status': OPEN_STATUSES[status] ?? status }, ...(shows !== undefined && { shows }) }
}

function refusal(call: RecordedCall, op: EndpointId, as: CredentialChoice): Expectation {
  const shows = call.code === null ? null : as === 'no_affiliate' ? 'SCOPE-09' : shownByRefusal(op, call.code)
  return { refused: call.code ?? true, ...(shows !== null && { shows }) }
}
