import { formatDuration } from '../../clock/duration.ts'
import type { Scenario, Step } from '../../conformance/format/scenario.ts'
import { derivedEffects } from '../../conformance/format/step-facts.ts'
import type { Template } from '../../conformance/format/values.ts'
import { ENDPOINTS, type Endpoint, type EndpointId } from '../../contract/endpoints.ts'
import { OPERATOR_STEPS } from '../../contract/order-states.ts'
import { callerOf, failuresFrom, hasFailed, makesFail, stepOf } from './call-step.ts'
import { Draft, leftOutInWords, type RecordedDomain } from './draft.ts'
import {
  type History,
  headerOf,
  type Recorded,
  type RecordedAct,
  type RecordedCall,
  type RecordedSale,
} from './history.ts'

/** A recording as a scenario, and what of it no scenario can say. */
interface Recording {
  scenario: Scenario
  leftOut: readonly string[]
}

/**
 * Writes down what happened as a scenario that makes it happen again, on any target that lets it.
 *
 * @param lint what is wrong with a scenario, by the numbers of the steps: these are left out, as is what builds on them.
 */
export function scenarioOf(
  title: string,
  history: History,
  domains: ReadonlyMap<string, RecordedDomain>,
  lint: (scenario: Scenario) => ReadonlyMap<number, string>,
): Recording {
  const { happened } = history
  const draft = new Draft(history, domains, sharedKeys(happened))
  for (const [index, one] of happened.entries()) {
    if (one.kind === 'act') addAct(draft, one)
    else if (one.kind === 'sale') addSale(draft, one)
    else if (!isRepeatedRead(one, happened[index - 1])) addCall(draft, one, failuresFrom(happened, index))
  }
  addHistorySteps(draft)
  let scenario = assembled(title, draft)
  for (let wrong = lint(scenario); wrong.size > 0; wrong = lint(scenario)) {
    leaveOut(draft, wrong)
    scenario = assembled(title, draft)
  }
  return { scenario, leftOut: leftOutInWords(draft.leftOut) }
}

function leaveOut(draft: Draft, wrong: ReadonlyMap<number, string>): void {
  const steps = [...draft.looks, ...draft.steps]
  for (const [index, why] of wrong) {
    const id = steps[index]?.id
    const request = [...draft.ids].find(([, step]) => step === id)?.[0]
    const call = draft.history.happened.find((one) => one.kind === 'call' && one.request_id === request)
    draft.leftOut.push({ what: call?.kind === 'call' ? nameOf(call) : (id ?? `step ${index + 1}`), why })
  }
  const isKept = (step: Step): boolean => !wrong.has(steps.indexOf(step))
  draft.looks = draft.looks.filter(isKept)
  draft.steps = draft.steps.filter(isKept)
}

function nameOf({ method, target, request_id }: RecordedCall): string {
  return `${method} ${target.split('?')[0]} (${request_id})`
}

/** Keys that come more than once, each with a variable of the scenario. */
function sharedKeys(happened: readonly Recorded[]): Map<string, string> {
  const sent = happened.flatMap((one) => (one.kind === 'call' ? (headerOf(one, 'idempotencyKey') ?? []) : []))
  const repeated = new Set(sent.filter((key, i) => sent.indexOf(key) !== i))
  return new Map([...repeated].map((key, i) => [key, `vars.key_${i + 1}`]))
}

/** Polling that saw the same again and again is one look. */
function isRepeatedRead(call: RecordedCall, last: Recorded | undefined): boolean {
  if (last?.kind !== 'call' || call.method !== 'GET' || call.refusedBy !== null || last.refusedBy !== null) return false
  const seen = ({ target, credential, status, answered }: RecordedCall) =>
    JSON.stringify([target, credential, status, answered])
  return seen(call) === seen(last)
}

/** @param failures how many calls fail in a row from this one on. */
function addCall(draft: Draft, call: RecordedCall, failures: number): void {
  const step = stepOf(draft, call)
  if (typeof step === 'string') {
    draft.leftOut.push({ what: nameOf(call), why: step })
    return
  }
  if (failures > 0) draft.operate({ fail_next: failures })
  draft.steps.push(step)
  draft.ids.set(call.request_id, step.id)
  if (call.endpoint !== null) learnFrom(draft, call, call.endpoint, step.id)
}

/** Ids that later steps refer to, what is left behind, and whose events are looked for at the end. */
function learnFrom(draft: Draft, call: RecordedCall, op: EndpointId, step: string): void {
  const { creates, list }: Endpoint = ENDPOINTS[op]
  draft.notePrice(call, op, step)
  if (list && call.status < 300) draft.names.learn(call.answered['next_cursor'], `${step}.${list.next}`)
  if (!creates) return
  const { kind, handles } = creates
  const made = call.answered[handles[0]?.field ?? '']
  const isKnown = draft.subjects.includes(String(made))
  const isMade = call.status < 300
  draft.effects[`${kind}s`] = (draft.effects[`${kind}s`] ?? 0) + (isMade && !isKnown ? 1 : 0)
  if (!isMade) return
  const caller = callerOf(call) ?? 'main'
  const isForeign = caller === 'other_partner'
  if (kind === 'webhook') {
    if (!isForeign) draft.registeredAtMs ??= call.worldMs
    return
  }
  for (const { field, role } of handles) draft.names.learn(call.answered[field], `${step}.${role}`)
  if (kind === 'checkout_session') draft.openers.set(made, caller)
  if ((kind !== 'order' && kind !== 'case') || typeof made !== 'string' || isKnown) return
  if (kind === 'order') {
    draft.latestOrder = made
    draft.sellsAgain(caller, call.answered['domain'])
  }
  if (!isForeign) draft.subjects.push(made)
}

/** The requirement that an event in the history shows. */
const SHOWN_BY_EVENT: ReadonlyMap<string, string> = new Map([
  ['order.recorded', 'ORD-02'],
  ['order.transfer_started', 'STATE-01'],
  ['order.transfer_completed', 'STATE-02'],
  ['order.settled', 'STATE-03'],
  ['order.manual_review_cleared', 'STATE-04'],
  ['order.refunded', 'STATE-05'],
  ['brokerage.case_completed', 'BRK-05'],
])

/** The events of each order and each case, type by type, and which of them a receiver got. */
function addHistorySteps(draft: Draft): void {
  const groups = draft.subjects.flatMap((subject) => {
    const own = draft.history.events.filter((event) => event.subject === subject)
    return [...new Set(own.map(({ type }) => type))].map((type) => ({
      type,
      subject,
      where: {
        [type.startsWith('brokerage') ? 'data.case.case_id' : 'data.order.public_id']: draft.names.rename(subject),
      },
      events: own.filter((event) => event.type === type),
    }))
  })
  for (const { type, subject, where, events } of groups) {
    const shows = SHOWN_BY_EVENT.get(type)
    // No requirement has this event for a hosted sale; the step of the sale has found the order already.
    if (shows === undefined || (type === 'order.recorded' && draft.hosted.has(subject))) continue
    const expect = { count: { equals: events.length }, distinct: 'id', shows }
    draft.steps.push({ id: draft.nextId(`history_${type}`), events: { type, where }, expect })
  }
  // An older event may have been delivered to an endpoint that was registered before the recording began.
  const { registeredAtMs } = draft
  if (registeredAtMs === null) return
  for (const { type, where, events } of groups) {
    if (!events.some(({ id, atMs }) => atMs >= registeredAtMs && draft.history.delivered.has(id))) continue
    const expect = { count: { at_least: 1 }, every: { 'delivery.signed': true }, shows: 'HOOK-02' }
    draft.steps.push({ id: draft.nextId(`received_${type}`), events: { hook: 'main', type, where }, expect })
  }
}

function assembled(title: string, { looks, steps: others, effects, leftOut: all, keys }: Draft): Scenario {
  const leftOut = leftOutInWords(all)
  const steps = [...looks, ...others]
  // What follows from the steps is not said again.
  const derived = new Map(Object.entries(derivedEffects({ steps })))
  const said = Object.fromEntries(Object.entries(effects).filter(([kind, count]) => derived.get(kind) !== count))
  const shown = steps.flatMap(({ expect }) => (typeof expect === 'object' ? [expect].flat() : []))
  // A key may have come with calls that are left out or sent again.
  const used = [...keys.values()].filter((name) => JSON.stringify(steps).includes(`\${${name}}`))
  const vars = Object.fromEntries(used.map((name) => [name.slice('vars.'.length), '${uuid}']))
  return {
    title,
    why: leftOut.length === 0 ? REVIEW : `${REVIEW} Left out: ${leftOut.join('; ')}.`,
    proves: [...new Set(shown.flatMap(({ shows }) => shows ?? []))].sort(),
    tags: ['recorded'],
    ...(Object.keys(said).length > 0 && { effects: said }),
    ...(used.length > 0 && { vars }),
    steps,
  }
}

const REVIEW = 'Recorded from a sandbox; review it before you rely on it.'

/** Whether an operation of the document is called at all, so that there is something to judge. */
export function hasCalls({ steps }: Scenario): boolean {
  return steps.some(({ call }) => call?.again !== undefined || call?.op !== undefined)
}

/** Has the operator do it again, or says that it is left out. */
function addAct(draft: Draft, act: RecordedAct): void {
  if (makesFail(act) && draft.history.happened.some(hasFailed)) return
  const action = actionOf(act, draft)
  if (action) draft.operate(action)
  else if (!WITHOUT_TRACE.has(act.operation)) draft.leftOut.push({ what: inWords(act), why: null })
}

/** What no answer shows. The calls that a fault affected show its end. */
const WITHOUT_TRACE = new Set([
  'DELETE /faults/{id}',
  'DELETE /faults',
  'DELETE /coverage',
  'POST /fork',
  'POST /credentials/{key_id}/signatures',
])

/** @example inWords({ operation: 'PATCH /domains/{name}', ... }) // "the operator's PATCH /domains/a.test" */
function inWords({ operation, params, body }: RecordedAct): string {
  const path = operation.replaceAll(/\{(\w+)\}/g, (whole, name: string) => params[name] ?? whole)
  const effect = body['effect'] === undefined ? '' : ` with the effect ${JSON.stringify(body['effect'])}`
  return `the operator's ${path.trim()}${effect}`
}

/** What a scenario has the operator do to the same end; null if it has no word for it. */
function actionOf(act: RecordedAct, draft: Draft): NonNullable<Step['operator']> | null {
  const { operation, params, body, fromMs, toMs } = act
  const orderStep = OPERATOR_STEPS.find((name) => operation === `POST /orders/{public_id}/${name}`)
  if (orderStep) return aboutOne(orderStep.replaceAll('-', '_'), draft.names.reference(params['public_id']))
  switch (operation) {
    case 'POST /clock/advance':
      return toMs > fromMs ? { advance_clock: formatDuration(wholeSeconds(body['by'], toMs - fromMs)) } : null
    case 'PUT /clock':
      if (typeof body['auth_skew_seconds'] === 'number') return { skew_clock: `${body['auth_skew_seconds']}s` }
      if (body['now'] === undefined || toMs - fromMs < 1_000) return null
      return { advance_clock: formatDuration(wholeSeconds(undefined, toMs - fromMs)) }
    case 'POST /settlement-runs':
      return aboutOne('settle', settledBy(draft, act))
    case 'POST /payout-runs':
      return { payout: 'all' }
    case 'PUT /rate-limit':
      return { rate_limit: { requests: Number(body['requests']), per_seconds: Number(body['seconds']) } }
    case 'PATCH /domains/{name}':
      return priceAction(draft, params['name'], body['price_cents'])
    case 'POST /brokerage/{case_id}/close-deal': {
      const caseId = draft.names.reference(params['case_id'])
      return caseId === null ? null : { close_deal: { case_id: caseId, price: dealPrice(draft, act) } }
    }
    case 'POST /brokerage/{case_id}/close-no-deal':
      return aboutOne('close_no_deal', draft.names.reference(params['case_id']))
    default:
      return null
  }
}

/** An action that takes an id alone; null if no step made what has the id. */
function aboutOne(action: string, id: Template): NonNullable<Step['operator']> | null {
  return id === null ? null : { [action]: id }
}

/** A clock that ticks has gone on a little besides. */
function wholeSeconds(asked: unknown, movedMs: number): number {
  return asked === undefined ? Math.ceil(movedMs / 1_000) * 1_000 : Math.max(1_000, Math.floor(movedMs / 1_000) * 1_000)
}

/** An order that a settlement run did settle, else the latest that there was. */
function settledBy({ history, names, latestOrder }: Draft, { fromMs, toMs }: RecordedAct): Template {
  const settled = history.events.findLast(
    ({ type, subject, atMs }) =>
      type === 'order.settled' && names.reference(subject) !== null && fromMs <= atMs && atMs <= toMs,
  )
  return names.rename(settled?.subject ?? latestOrder)
}

/** An operator may close a deal without naming a price; a scenario has to name the one that it came to. */
function dealPrice({ history }: Draft, { params, body }: RecordedAct): number {
  const closed = history.events.find(
    ({ subject, dealPriceCents }) => subject === params['case_id'] && dealPriceCents !== null,
  )
  return Number(body['price_cents'] ?? closed?.dealPriceCents)
}

function priceAction(draft: Draft, name: string | undefined, price: unknown): NonNullable<Step['operator']> | null {
  const priceCents = draft.domains.get(name ?? '')?.priceCents ?? null
  if (priceCents === null || typeof price !== 'number') return null
  return { set_price: { domain: draft.names.rename(name), price: draft.priceOf(name, price) } }
}

/** A hosted sale: it is paid, and the list is asked for the order, which from then on is known by what that step found. */
function addSale(draft: Draft, { sessionId, publicId, domain: name }: RecordedSale): void {
  const { names } = draft
  const opener = draft.openers.get(sessionId)
  if (opener === undefined) {
    draft.leftOut.push({ what: `the hosted sale of ${name}: no recorded call opened its session`, why: null })
    return
  }
  if (draft.sellsAgain(opener, name)) {
    const what = `the hosted sale of ${name}: it was sold before, so its order would be ambiguous`
    draft.leftOut.push({ what, why: null })
    return
  }
  const id = draft.nextId('sold')
  const domain = names.rename(name)
  const isForeign = opener === 'other_partner'
  draft.operate({ pay_checkout: names.rename(sessionId) })
  draft.steps.push({
    id,
    ...(isForeign && { as: opener }),
    call: { op: 'orders.list', query: { domain }, until: '5s' },
    expect: { items: 'orders.items', includes: { 'order.domain': domain } },
  })
  names.learn(publicId, `${id}.found.order.public_id`)
  draft.effects.orders = (draft.effects.orders ?? 0) + 1
  draft.hosted.add(publicId)
  draft.latestOrder = publicId
  if (!isForeign) draft.subjects.push(publicId)
}
