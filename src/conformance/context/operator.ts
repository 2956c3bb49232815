import { parseDuration } from '../../clock/duration.ts'
import { wellFormed } from '../../contract/canonical-string.ts'
import { fillIn, referencesIn } from '../format/expressions.ts'
import type { OperatorAction, OperatorArguments } from '../format/operator-actions.ts'
import type { Template } from '../format/scenario.ts'
import { answerOf, isAccepted } from '../http/answer.ts'
import { isObject } from '../http/json-body.ts'
import type { OperatorRequest, Target } from '../target/target.ts'
import { type Client, type Run, senderTo } from './run-context.ts'
import { record } from './send-call.ts'

/** What came of an operator's action. */
export type OperatorOutcome = { done: true; exchange: string } | { done: false; why: string; exchange: string | null }

/** Whether the target file says how to do this. */
export function canOperate(target: Target, action: OperatorAction): boolean {
  if (target.mode !== 'operator' || target.operator === null) return false
  return target.operator.url !== null || target.operator.actions[action] !== undefined
}

/**
 * Reads the argument of an action: a duration, an order's id, or an object.
 *
 * @example argumentsOf('advance_clock', '10m30s') // { duration: '10m30s', seconds: 630 }
 */
export function argumentsOf(action: OperatorAction, argument: unknown): OperatorArguments {
  if (action === 'advance_clock' || action === 'skew_clock') {
    return { duration: String(argument), seconds: (parseDuration(String(argument)) ?? 0) / 1_000 }
  }
  if (action === 'set_price' || action === 'close_deal') {
    const { domain, case_id: caseId, price } = (isObject(argument) ? argument : {}) as Record<string, unknown>
    return {
      ...(domain === undefined ? {} : { domain: String(domain) }),
      ...(caseId === undefined ? {} : { case_id: String(caseId) }),
      price_cents: Number(price),
      price_units: Number(price) / 100,
    }
  }
  if (action === 'rate_limit') {
    const { requests, per_seconds: perSeconds } = (isObject(argument) ? argument : {}) as Record<string, unknown>
    return { requests: Number(requests), per_seconds: Number(perSeconds) }
  }
  if (action === 'fail_next') return { count: Number(argument) }
  if (action === 'close_no_deal') return { case_id: String(argument) }
  if (action === 'pay_checkout') return sessionOf(argument)
  if (action === 'payout') return {}
  return { public_id: String(argument) }
}

/** A session by its id, by its address, or by both: what a target goes by differs. */
function sessionOf(argument: unknown): OperatorArguments {
  const { session_id: id, url } = (isObject(argument) ? argument : { session_id: argument }) as Record<string, unknown>
  return {
    ...(id === undefined ? {} : { session_id: String(id) }),
    ...(url === undefined ? {} : { checkout_url: String(url) }),
  }
}

/** Has the operator do something. Never throws for what the operator's side answers. */
export async function operate(
  client: Client,
  action: OperatorAction,
  values: OperatorArguments,
): Promise<OperatorOutcome> {
  const { operator } = client.run.target
  const own = operator?.actions[action]
  const unknown = own && unfilled(own, values)
  if (unknown)
    return { done: false, why: `${action} needs a value for ${unknown}, and the run has none`, exchange: null }
  const request = own ? filled(own, values) : operator?.url ? sandboxRequest(client.run.target, action, values) : null
  if (!request)
    return {
      done: false,
      why: `no request is configured for ${action}; add it to operator in the target file`,
      exchange: null,
    }
  const { exchange, accepted, said } = await ask(client, request)
  return accepted ? { done: true, exchange } : { done: false, why: `the operator answered ${said}`, exchange }
}

/** The world that was named as a running sandbox shows it; null if that cannot be had. */
export async function readWorld(client: Client): Promise<unknown> {
  const { target } = client.run
  if (!target.operator?.url) return null
  const { accepted, json } = await ask(client, atSandbox(target, 'GET', '', undefined))
  return accepted ? json : null
}

/** What a running sandbox says of the world that was named; null if no sandbox was. */
export async function findWorld(client: Client): Promise<{ status: number | null; said: string } | null> {
  const { target } = client.run
  if (!target.operator?.url) return null
  const { status, said } = await ask(client, atSandbox(target, 'GET', '', undefined))
  return { status, said }
}

/** Lists a new domain at a running sandbox of ours; false if that cannot be done. */
export async function createDomainAtSandbox(client: Client, domain: Record<string, unknown>): Promise<boolean> {
  const { target } = client.run
  if (target.mode === 'read' || !target.operator?.url) return false
  const { accepted } = await ask(client, atSandbox(target, 'POST', '/domains', { ...domain, listed: true }))
  return accepted
}

/** Lists many at once, which takes one call; false if that cannot be done, and then none is. */
export async function createDomainsAtSandbox(client: Client, domains: readonly NewDomain[]): Promise<boolean> {
  const { target } = client.run
  if (target.mode === 'read' || !target.operator?.url) return false
  const lines = domains.map(({ domain, priceCents }) => `${domain},${priceCents},true`)
  const text = ['domain,price_cents,listed', ...lines].join('\n')
  const { accepted } = await ask(client, atSandbox(target, 'POST', '/domains', undefined), { type: 'text/csv', text })
  return accepted
}

export interface NewDomain {
  domain: string
  priceCents: number
}

/** The first value that a request of the target file asks for and that has no value yet, such as the id of a session. */
function unfilled({ url, headers, json = null }: OperatorRequest, values: OperatorArguments): string | undefined {
  const names = referencesIn([url, headers, json] as Template).map(([name]) => String(name))
  return names.find((name) => values[name] === undefined)
}

function filled(request: OperatorRequest, values: OperatorArguments): OperatorRequest {
  const fill = (template: unknown): unknown => fillIn(template as Template, ([name]) => values[String(name)])
  return {
    method: request.method,
    url: String(fill(request.url)),
    headers: fill(request.headers) as Record<string, string>,
    ...(request.json === undefined ? {} : { json: fill(request.json) }),
  }
}

const ORDER_VERBS: Partial<Record<OperatorAction, string>> = {
  hold: 'hold',
  clear: 'clear',
  start_transfer: 'start-transfer',
  complete_transfer: 'complete-transfer',
  refund: 'refund',
  cancel: 'cancel',
}

/** The sandbox's own operator API. */
function sandboxRequest(target: Target, action: OperatorAction, values: OperatorArguments): OperatorRequest {
  const id = (name: string): string => encodeURIComponent(wellFormed(String(values[name])))
  const verb = ORDER_VERBS[action]
  if (verb !== undefined) return atSandbox(target, 'POST', `/orders/${id('public_id')}/${verb}`, {})
  switch (action) {
    case 'advance_clock':
      return atSandbox(target, 'POST', '/clock/advance', { by: values.duration })
    case 'skew_clock':
      return atSandbox(target, 'PUT', '/clock', { auth_skew_seconds: values.seconds })
    case 'rate_limit':
      return atSandbox(target, 'PUT', '/rate-limit', { requests: values.requests, seconds: values.per_seconds })
    case 'fail_next':
      return atSandbox(target, 'POST', '/faults', { effect: { status: 500 }, times: values.count })
    case 'settle':
      return atSandbox(target, 'POST', '/settlement-runs', {})
    case 'payout':
      return atSandbox(target, 'POST', '/payout-runs', {})
    case 'set_price':
      return atSandbox(target, 'PATCH', `/domains/${id('domain')}`, { price_cents: values.price_cents })
    case 'close_deal':
      return atSandbox(target, 'POST', `/brokerage/${id('case_id')}/close-deal`, { price_cents: values.price_cents })
    case 'close_no_deal':
      return atSandbox(target, 'POST', `/brokerage/${id('case_id')}/close-no-deal`, {})
    case 'pay_checkout':
      return atSandbox(target, 'POST', `/checkout-sessions/${id('session_id')}/pay`, {})
    default:
      throw new RangeError(`no request is known for ${action}`)
  }
}

/** A request to the operator API of a running sandbox, about the world that was named. */
export function atSandbox(target: Target, method: string, path: string, json: unknown): OperatorRequest {
  const { operator } = target
  const headers: Record<string, string> = operator?.token ? { authorization: `Bearer ${operator.token}` } : {}
  return {
    method,
    url: `${operator?.url}/v1/worlds/${encodeURIComponent(operator?.world ?? 'default')}${path}`,
    headers,
    json,
  }
}

/** An operator's action may run all scheduled tasks on the way. */
const OPERATOR_TIMEOUT_MS = 60_000

/** What goes with a request to the operator's side. */
interface Content {
  type: string
  text: string
}

function contentOf({ json }: OperatorRequest): Content | null {
  return json === undefined ? null : { type: 'application/json', text: JSON.stringify(json) }
}

async function ask(
  client: Client,
  request: OperatorRequest,
  content: Content | null = contentOf(request),
): Promise<{ exchange: string; accepted: boolean; status: number | null; said: string; json: unknown }> {
  const { run } = client
  await run.budget.request(run.signal)
  const sentAtMs = run.wall.nowMs()
  const { wire, outcome } = await sendToOperator(run, request, content)
  const kept = record(client, { sentAtMs, request: wire, canonicalString: null, outcome })
  const answer = answerOf(outcome, null)
  const said = answer ? `${answer.status}` : outcome.kind === 'broken' ? `nothing (${outcome.reason})` : 'nothing'
  return { exchange: kept.id, accepted: isAccepted(answer), status: answer?.status ?? null, said, json: answer?.json }
}

/**
 * Sends a request to the operator's side, without counting or keeping it. Only a sandbox of ours is known not to close a connection
 * that has just been used.
 */
export async function sendToOperator(run: Run, request: OperatorRequest, content = contentOf(request)) {
  const url = new URL(request.url)
  const body = content ? Buffer.from(content.text) : new Uint8Array()
  const headers: (readonly [string, string])[] = [['accept', 'application/json'], ...Object.entries(request.headers)]
  if (content) headers.push(['content-type', content.type])
  const wire = { method: request.method, target: url.pathname + url.search, headers, body }
  const fresh = run.target.operator?.url == null || new URL(run.target.operator.url).origin !== url.origin
  const outcome = await senderTo(run, url.origin).send(wire, { timeoutMs: OPERATOR_TIMEOUT_MS, fresh })
  return { wire, outcome }
}
