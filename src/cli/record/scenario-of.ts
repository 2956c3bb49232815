import { COUNTED } from '../../conformance/lint-effects.ts'
import type { CredentialChoice, Expectation, Scenario, Step, Template } from '../../conformance/scenario.ts'
import { ENDPOINTS, type EndpointId } from '../../contract/endpoints.ts'
import { HEADERS } from '../../contract/headers.ts'
import { addAct } from './act-steps.ts'
import { callerOf, callOf, expectationOf } from './call-step.ts'
import type { RecordedDomain } from './domains.ts'
import { type Draft, nextId } from './draft.ts'
import { FAILED, failuresFrom, hasFailed, preparedCall } from './failed-call.ts'
import { faultOf, type RecordedFault } from './fault-of.ts'
import type { Recorded, RecordedCall } from './history.ts'
import { createNames } from './names.ts'
import type { RecordedEvent } from './recorded-event.ts'
import { addSale, countRecorded } from './sale-steps.ts'
import { addToldSteps } from './told-steps.ts'

/** A recording as a scenario, and what of it no scenario can say. */
export interface Recording {
  scenario: Scenario
  leftOut: string[]
}

/** Where the id that a call was given stands in its answer, and by which role a later step finds it. */
const GIVEN: Partial<Record<EndpointId, readonly [field: string, role: string][]>> = {
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

/** Writes down what happened as a scenario that makes it happen again, on any target that lets it. */
export function scenarioOf(
  title: string,
  history: readonly Recorded[],
  domains: ReadonlyMap<string, RecordedDomain>,
  events: readonly RecordedEvent[],
  delivered: ReadonlySet<string>,
): Recording {
  const names = createNames()
  for (const [name, { fixture }] of domains) if (fixture !== null) names.learn(name, `${fixture}.domain`)
  const keys = sharedKeys(history)
  const draft: Draft = {
    steps: [{ mark: 'events' }],
    leftOut: [],
    effects: {},
    ids: new Map(),
    counted: new Map(),
    latestOrder: null,
    subjects: [],
    hosted: new Set(),
    registeredAtMs: null,
    recorded: new Map(),
    events,
    context: { names, domains, sharedKey: (key) => keys.get(key) },
  }
  for (const [index, happened] of history.entries()) {
    if (happened.kind === 'act') addAct(draft, happened, history)
    else if (happened.kind === 'sale') addSale(draft, happened, openerOf(history, happened.sessionId))
    else if (!isRepeatedRead(history, index))
      addCall(draft, happened, history.slice(0, index), failuresFrom(history, index))
  }
  addToldSteps(draft, delivered)
  return { scenario: assembled(title, draft, domains, keys), leftOut: draft.leftOut }
}

/** Keys that come more than once, each with a variable of the scenario. */
function sharedKeys(history: readonly Recorded[]): Map<string, string> {
  const sent = history.flatMap((happened) => (happened.kind === 'call' ? [keyOf(happened)] : []))
  const repeated = new Set(sent.filter((key, i): key is string => key !== undefined && sent.indexOf(key) !== i))
  return new Map([...repeated].map((key, i) => [key, `vars.key_${i + 1}`]))
}

function keyOf({ headers }: RecordedCall): string | undefined {
  return headers[HEADERS.idempotencyKey.toLowerCase()]
}

/** Polling that saw the same again and again is one look. */
function isRepeatedRead(history: readonly Recorded[], index: number): boolean {
  const [last, call] = [history[index - 1], history[index]]
  if (call?.kind !== 'call' || last?.kind !== 'call' || call.method !== 'GET') return false
  if (call.refusedBy !== null || last.refusedBy !== null) return false
  const seen = ({ target, credential, status, answer }: RecordedCall) =>
    JSON.stringify([target, credential, status, answer])
  return seen(call) === seen(last)
}

/** Who had a checkout session opened. */
function openerOf(history: readonly Recorded[], sessionId: string): CredentialChoice | undefined {
  const opened = history.find(
    (happened): happened is RecordedCall =>
      happened.kind === 'call' &&
      happened.endpoint === 'checkout.create' &&
      happened.status < 300 &&
      (happened.answer as { session_id?: unknown } | undefined)?.session_id === sessionId,
  )
  return (opened && callerOf(opened.credential)) ?? undefined
}

/** @param failures how many calls fail in a row from this one on. */
function addCall(draft: Draft, call: RecordedCall, earlier: readonly Recorded[], failures: number): void {
  const step = stepOf(draft, call, earlier)
  if (typeof step === 'string') {
    draft.leftOut.push(`${call.method} ${call.target.split('?')[0]} (${call.requestId}): ${step}`)
    return
  }
  if (failures > 0) {
    draft.steps.push({ operator: { fail_next: failures } })
    draft.effects.exclusive = true
  }
  draft.steps.push(step)
  draft.ids.set(call.requestId, step.id as string)
  const effect = call.endpoint === null ? undefined : COUNTED[call.endpoint]
  if (effect) Object.assign(draft.effects, { [effect]: draft.effects[effect] ?? 0 })
  if (call.status < 300 && call.endpoint !== null) learnFrom(draft, call, call.endpoint, step.id as string)
}

/** The step of a call, or why there can be none. */
function stepOf(draft: Draft, call: RecordedCall, earlier: readonly Recorded[]): Step | string {
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
  const fault = isAuthentication ? faultOf(call, earlier, ({ requestId }) => draft.ids.get(requestId)) : null
  if (isAuthentication && fault === null) return `refused with ${call.code} for a reason that no fault stands for`
  const expect = fault ? refusedBy(call, fault) : expectationOf(call, op, as)
  const id = nextId(draft, op)
  const who = as === 'main' ? {} : { as }
  if (hasFailed(call)) return { id, ...who, call: preparedCall(callOf(call, op, draft.context)), expect: FAILED }
  if (fault && 'resend' in fault.step) return { id, ...who, ...fault.step, expect: refusedBy(call, fault) }
  const first = firstWithKey(call, earlier)
  const firstId = first && draft.ids.get(first.requestId)
  if (first && firstId !== undefined && !fault) {
    return { id, ...who, ...repeated(call, first, firstId, draft.context) }
  }
  return { id, ...who, call: callOf(call, op, draft.context), ...fault?.step, ...(expect !== undefined && { expect }) }
}

/** The order that was recorded under the key that this call has, too. */
function firstWithKey(call: RecordedCall, earlier: readonly Recorded[]): RecordedCall | undefined {
  const key = keyOf(call)
  if (key === undefined || call.endpoint !== 'orders.create') return undefined
  return earlier.find(
    (other): other is RecordedCall =>
      other.kind === 'call' && other.endpoint === call.endpoint && keyOf(other) === key && other.status < 300,
  )
}

/** The same bytes bring the stored answer back; other ones are a conflict. */
function repeated(
  call: RecordedCall,
  first: RecordedCall,
  firstId: string,
  context: Draft['context'],
): Pick<Step, 'call' | 'expect'> {
  const isSame = call.body === first.body
  const made = callOf(call, 'orders.create', context)
  if (isSame && call.status < 300) {
    return {
      call: { ...made, body: { bytes_of: firstId } },
      expect: { same_as: { step: firstId, by: 'body' }, shows: 'IDEM-02' },
    }
  }
  return {
    call: made,
    expect: { refused: call.code ?? true, ...(!isSame && call.code === 'conflict' && { shows: 'IDEM-03' }) },
  }
}

function refusedBy({ code }: RecordedCall, { shows }: RecordedFault): Expectation {
  return { refused: code ?? true, ...(shows !== null && { shows }) }
}

function learnFrom(draft: Draft, call: RecordedCall, op: EndpointId, id: string): void {
  const answer = (call.answer ?? {}) as Record<string, unknown>
  for (const [field, role] of GIVEN[op] ?? []) draft.context.names.learn(answer[field], `${id}.${role}`)
  const effect = COUNTED[op]
  const isNew = op !== 'orders.create' || !draft.subjects.includes(String(answer['public_id']))
  if (effect && isNew) Object.assign(draft.effects, { [effect]: Number(draft.effects[effect] ?? 0) + 1 })
  if (op === 'webhooks.put' && callerOf(call.credential) !== 'other_partner') draft.registeredAtMs ??= call.worldAtMs
  const subject =
    op === 'orders.create' ? answer['public_id'] : op === 'brokerage.create' ? answer['case_id'] : undefined
  if (typeof subject !== 'string' || draft.subjects.includes(subject)) return
  if (op === 'orders.create') {
    draft.latestOrder = subject
    countRecorded(draft, callerOf(call.credential) ?? 'main', String(answer['domain']))
  }
  if (callerOf(call.credential) !== 'other_partner') draft.subjects.push(subject)
}

function assembled(
  title: string,
  { steps, effects, leftOut }: Draft,
  domains: ReadonlyMap<string, RecordedDomain>,
  keys: ReadonlyMap<string, string>,
): Scenario {
  const used = [...domains.values()].map(({ fixture }) => fixture)
  const sellable = used.filter((fixture) => fixture?.startsWith('sellable')).length
  const needs = [
    // Whatever records orders needs a domain for the template, also where it names magic ones.
    ...(sellable > 1
      ? [`fixture.sellable(${sellable})`]
      : sellable === 1 || effects.orders
        ? ['fixture.sellable']
        : []),
    ...(used.includes('unlisted') ? ['fixture.unlisted'] : []),
  ]
  const isReadBack = steps.some((step) => step.events !== undefined)
  const kept = isReadBack ? steps : steps.filter((step) => step.mark === undefined)
  const vars = Object.fromEntries(
    [...keys.values()].map((name): [string, Template] => [name.slice('vars.'.length), '${uuid}']),
  )
  return {
    title,
    why: whyOf(leftOut),
    proves: [...new Set(kept.flatMap(shownBy))].sort(),
    ...(needs.length > 0 && { needs }),
    tags: ['recorded'],
    ...(Object.keys(effects).length > 0 && { effects }),
    ...(keys.size > 0 && { vars }),
    steps: kept,
  }
}

function whyOf(leftOut: readonly string[]): string {
  const said = 'Recorded from what happened in a sandbox; read it before you rely on it.'
  return leftOut.length === 0 ? said : `${said} Left out: ${leftOut.join('; ')}.`
}

function shownBy({ expect }: Step): string[] {
  if (typeof expect !== 'object') return []
  return [expect].flat().flatMap(({ shows }) => shows ?? [])
}

/** Whether an operation of the document is called at all, so that there is something to judge. */
export function hasCalls({ steps }: Scenario): boolean {
  return steps.some(({ call, resend }) => resend !== undefined || (call?.op !== undefined && call.op in ENDPOINTS))
}
