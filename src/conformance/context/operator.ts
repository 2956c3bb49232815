import { parseDuration } from '../../clock/duration.ts'
import { wellFormed } from '../../contract/canonical-string.ts'
import { isObject } from '../../contract/is-object.ts'
import { OPERATOR_ACTIONS, type OperatorAction, type OperatorArguments } from '../format/operator-actions.ts'
import type { Step } from '../format/scenario.ts'
import { actionOf } from '../format/step-facts.ts'
import { fillIn, type Reference, referencesIn, type Template } from '../format/values.ts'
import { isAccepted } from '../http/exchange.ts'
import { places, withoutUndefined } from '../http/json-body.ts'
import { atSandbox } from '../target/own-sandbox.ts'
import type { OperatorRequest, Target, TargetCredential } from '../target/target.ts'
import { type Caller, type NewDomain, type Run, readClock, senderTo } from './run.ts'
import { probe, record } from './send-call.ts'

/** What came of an operator's action. */
type OperatorOutcome = { done: true; exchange: string } | { done: false; why: string; exchange: string | null }

/** Whether the target file says how to do this. */
export function canOperate(target: Target, action: OperatorAction): boolean {
  if (target.mode !== 'operator' || target.operator === null) return false
  return target.operator.actions[action] !== undefined
}

/**
 * Reads the argument of an action: a duration, an order's id, or an object.
 *
 * @example argumentsOf('advance_clock', '10m30s') // { duration: '10m30s', seconds: 630 }
 */
export function argumentsOf(action: OperatorAction, argument: unknown): OperatorArguments {
  return ARGUMENTS_OF[OPERATOR_ACTIONS[action].argument](argument)
}

type ArgumentKind = (typeof OPERATOR_ACTIONS)[OperatorAction]['argument']

const ARGUMENTS_OF: Record<ArgumentKind, (argument: unknown) => OperatorArguments> = {
  duration: (text) => ({ duration: String(text), seconds: (parseDuration(String(text)) ?? 0) / 1_000 }),
  limit(argument) {
    const { requests, per_seconds: perSeconds } = partsOf(argument)
    return { requests: Number(requests), per_seconds: Number(perSeconds) }
  },
  count: (count) => ({ count: Number(count) }),
  order: (id) => ({ public_id: String(id) }),
  run: () => ({}),
  price: priceOf,
  deal: priceOf,
  case: (id) => ({ case_id: String(id) }),
  /** By its id, by its address, or by both: what a target goes by differs. */
  session(argument) {
    const { session_id: id, url } = partsOf(isObject(argument) ? argument : { session_id: argument })
    return withoutUndefined({ session_id: textOf(id), checkout_url: textOf(url) })
  },
}

function priceOf(argument: unknown): OperatorArguments {
  const { domain, case_id: caseId, price } = partsOf(argument)
  const of = withoutUndefined({ domain: textOf(domain), case_id: textOf(caseId) })
  return { ...of, price_cents: Number(price), price_units: Number(price) / 100 }
}

function partsOf(argument: unknown): Record<string, unknown> {
  return isObject(argument) ? argument : {}
}

function textOf(value: unknown): string | undefined {
  return value === undefined ? undefined : String(value)
}

/** Has the operator do something. Never throws for what the operator's side answers. */
export async function operate(
  caller: Caller,
  action: OperatorAction,
  values: OperatorArguments,
): Promise<OperatorOutcome> {
  const request = caller.run.target.operator?.actions[action]
  if (!request) return notDone(`no request is configured for ${action}; add it to operator in the target file`)
  const unknown = unfilled(request, values)
  if (unknown) return notDone(`${action} needs a value for ${unknown}, and the run has none`)
  const { exchange, accepted, said } = await ask(caller, filled(request, values))
  return accepted ? { done: true, exchange } : { done: false, why: `the operator answered ${said}`, exchange }
}

function notDone(why: string): OperatorOutcome {
  return { done: false, why, exchange: null }
}

/** After an operator has moved the clock: signs by the one that the target judges timestamps by. */
export async function recheckClock(caller: Caller, credential: TargetCredential, movedMs: number): Promise<void> {
  const { clock } = caller.run
  const before = clock.offsetMs
  const first = await probe(caller, credential)
  if (first === null || isAccepted(first) || ![400, 401, 403].includes(first.status)) return
  readClock(caller.run, first)
  if (clock.offsetMs !== before && isAccepted(await probe(caller, credential))) return
  clock.offsetMs = before + movedMs
  if (!isAccepted(await probe(caller, credential))) clock.offsetMs = before
}

/** Lists a new domain at a running sandbox of ours; false if that cannot be done. */
export async function createDomainAtSandbox(caller: Caller, domain: Record<string, unknown>): Promise<boolean> {
  const { target } = caller.run
  if (target.mode === 'read' || !target.operator?.url) return false
  const { accepted } = await ask(caller, atSandbox(target.operator, 'POST', '/domains', { ...domain, listed: true }))
  return accepted
}

/** Lists many at once, which takes one call; false if that cannot be done, and then none is. */
export async function createDomainsAtSandbox(caller: Caller, domains: readonly NewDomain[]): Promise<boolean> {
  const { target } = caller.run
  if (target.mode === 'read' || !target.operator?.url) return false
  const lines = domains.map(({ domain, priceCents }) => `${domain},${priceCents},true`)
  const text = ['domain,price_cents,listed', ...lines].join('\n')
  const { accepted } = await ask(caller, atSandbox(target.operator, 'POST', '/domains'), { type: 'text/csv', text })
  return accepted
}

/** The first value that a request of the target file asks for and that has no value yet, such as the id of a session. */
function unfilled({ url, headers, json = null }: OperatorRequest, values: OperatorArguments): string | undefined {
  const names = referencesIn([url, headers, json]).map(([name]) => String(name))
  return names.find((name) => values[name] === undefined)
}

function filled(request: OperatorRequest, values: OperatorArguments): OperatorRequest {
  const fill = (template: unknown): unknown => fillIn(template as Template, ([name]) => values[String(name)])
  const inUrl = ([name]: Reference): string => encodeURIComponent(wellFormed(String(values[String(name)])))
  return {
    method: request.method,
    url: String(fillIn(request.url, inUrl)),
    headers: fill(request.headers) as Record<string, string>,
    ...(request.json === undefined ? {} : { json: fill(request.json) }),
  }
}

/** Tokens in the operator's requests of a target file, which no report may show. */
export function secretsOfOperator({ operator }: Target): string[] {
  const requests = Object.values(operator?.actions ?? {}).filter((request) => request !== undefined)
  return [...(operator?.token ? [operator.token] : []), ...requests.flatMap(secretsOfRequest)]
}

/** What a request may carry a token in: headers of its own, members and parameters that are called so. */
function secretsOfRequest({ url, headers, json }: OperatorRequest): string[] {
  const members = [...places(json)].map(({ key, value }) => [key, value] as const)
  const [, query = ''] = url.split('?')
  const own = Object.entries(headers).filter(([name]) => !USUAL_HEADERS.test(name))
  const inside = [...members, ...new URLSearchParams(query)].filter(([name]) => MAY_NAME_A_TOKEN.test(name))
  const secrets = [...own, ...inside].flatMap(([name, value]) =>
    wordsOf(value).filter((part) => NAMES_A_TOKEN.test(name) || !IS_NO_TOKEN.test(part)),
  )
  return secrets.flatMap((secret) => [secret, secret.replace(/^\w+ /, '')])
}

/** What a text says itself, beside the values that are filled in and the word for how a caller shows who it is. */
function wordsOf(value: unknown): string[] {
  const words = typeof value === 'string' ? value.split(/\$\{[^}]*\}/).map((word) => word.trim()) : []
  return words.filter((word) => !/^(?:bearer|basic|token|apikey)$/i.test(word))
}

const USUAL_HEADERS = /^(?:accept|content|user-agent|prefer|cache-control)/i
const NAMES_A_TOKEN = /token|secret|^pass|credential|authorization/i
const MAY_NAME_A_TOKEN = /token|secret|^pass|credential|auth|key(?!.?id$)/i
/** A short word, a day or a number, which answers may have as well. */
const IS_NO_TOKEN = /^(?:[a-z][a-z_-]{0,10}|\d{4}-\d\d-\d\d.*|[\d.]+)$/i

/** An operator's action may run all scheduled tasks on the way. */
const OPERATOR_TIMEOUT_MS = 60_000

/** What goes with a request to the operator's side in place of JSON. */
interface Content {
  type: string
  text: string
}

/** What came of a request to the operator's side. */
interface OperatorReply {
  exchange: string
  accepted: boolean
  status: number | null
  said: string
  json: unknown
}

/** Sends a request to the operator's side, within the budget, and keeps it. */
export async function ask(caller: Caller, request: OperatorRequest, content?: Content): Promise<OperatorReply> {
  const { run } = caller
  await run.budget.request(run.signal)
  const sentAtMs = run.wall.nowMs()
  const { answer, broken, id } = record(caller, { sentAtMs, ...(await sendToOperator(run, request, content)) })
  const said = answer ? `${answer.status}` : `nothing (${broken?.reason})`
  return { exchange: id, accepted: isAccepted(answer), status: answer?.status ?? null, said, json: answer?.json }
}

/**
 * Sends a request to the operator's side, without counting or keeping it. Only a sandbox of ours is known not to close a connection
 * that has just been used.
 */
export async function sendToOperator(run: Run, request: OperatorRequest, other?: Content) {
  const url = new URL(request.url)
  const { json } = request
  const content = other ?? (json === undefined ? null : { type: 'application/json', text: JSON.stringify(json) })
  const body = content ? Buffer.from(content.text) : new Uint8Array()
  const headers: (readonly [string, string])[] = [['accept', 'application/json'], ...Object.entries(request.headers)]
  if (content) headers.push(['content-type', content.type])
  const sent = { method: request.method, target: url.pathname + url.search, headers, body }
  const fresh = run.target.operator?.url == null || new URL(run.target.operator.url).origin !== url.origin
  const reply = await senderTo(run, url.origin).send(sent, { timeoutMs: OPERATOR_TIMEOUT_MS, fresh })
  return { request: sent, canonicalString: null, ...reply }
}

/** One way to do without the operator. */
type ElseWay = NonNullable<Step['else']>[number]

/** What these ways ask of a run. */
type Patience = Pick<Run, 'target' | 'ask' | 'maxWaitMs'>

/**
 * The ways to bring about an operator's action where the target has no operator for it, best first: those of the scenario,
 * else a real wait for a clock, a person, and not at all.
 *
 * @param values the action's argument, so that a person reads which order or domain it is about.
 */
export function otherWays(step: Step, action: OperatorAction, values: OperatorArguments): ElseWay[] {
  if (step.else) return step.else
  const wait = action === 'advance_clock' ? [{ wait: String(values.duration) }] : []
  return [...wait, { ask: OPERATOR_ACTIONS[action].ask(values) }, 'not_run']
}

/** The first way that is open to this run; null if it is none. */
export function openWay({ maxWaitMs, ask }: Patience, ways: readonly ElseWay[]): ElseWay | null {
  const first = ways.find((way) => {
    if (way === 'not_run' || way === 'go_on') return true
    return 'wait' in way ? (parseDuration(way.wait) ?? 0) <= maxWaitMs : ask !== undefined
  })
  return first === undefined || first === 'not_run' ? null : first
}

/** How a step of a scenario is carried out: by the operator, in another way, or not at all. */
export function wayOf(run: Patience, step: Step): 'operator' | ElseWay | null {
  const [action, argument] = actionOf(step)
  if (canOperate(run.target, action)) return 'operator'
  return openWay(run, otherWays(step, action, { duration: String(argument) }))
}
