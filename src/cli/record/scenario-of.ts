import { COUNTED } from '../../conformance/lint-effects.ts'
import type { CredentialChoice, Scenario, Step } from '../../conformance/scenario.ts'
import { ENDPOINTS, type EndpointId } from '../../contract/endpoints.ts'
import { callerOf, failuresFrom, stepOf } from './call-step.ts'
import { countOrder, type Draft, nextId } from './draft.ts'
import { type History, keyOf, type Recorded, type RecordedCall } from './history.ts'
import { createNames, type RecordedDomain } from './names.ts'
import { addAct, addSale } from './operator-steps.ts'
import { GIVEN, SHOWN_BY_EVENT } from './tables.ts'

/** A recording as a scenario, and what of it no scenario can say. */
export interface Recording {
  scenario: Scenario
  leftOut: string[]
}

/** Writes down what happened as a scenario that makes it happen again, on any target that lets it. */
export function scenarioOf(
  title: string,
  { happened, events, delivered }: History,
  domains: ReadonlyMap<string, RecordedDomain>,
): Recording {
  const names = createNames()
  for (const [name, { fixture }] of domains) if (fixture !== null) names.learn(name, `${fixture}.domain`)
  const draft: Draft = {
    ...{ names, domains, events, keys: sharedKeys(happened) },
    steps: [{ mark: 'events' }],
    leftOut: [],
    effects: {},
    ids: new Map(),
    counted: new Map(),
    latestOrder: null,
    subjects: [],
    hosted: new Set(),
    registeredAtMs: null,
    orders: new Map(),
  }
  for (const [index, one] of happened.entries()) {
    if (one.kind === 'act') addAct(draft, one, happened)
    else if (one.kind === 'sale') addSale(draft, one, openerOf(happened, one.sessionId))
    else if (!isRepeatedRead(one, happened[index - 1]))
      addCall(draft, one, happened.slice(0, index), failuresFrom(happened, index))
  }
  addHistorySteps(draft, delivered)
  return { scenario: assembled(title, draft), leftOut: draft.leftOut }
}

/** Keys that come more than once, each with a variable of the scenario. */
function sharedKeys(happened: readonly Recorded[]): Map<string, string> {
  const sent = happened.flatMap((one) => (one.kind === 'call' ? (keyOf(one) ?? []) : []))
  const repeated = new Set(sent.filter((key, i) => sent.indexOf(key) !== i))
  return new Map([...repeated].map((key, i) => [key, `vars.key_${i + 1}`]))
}

/** Polling that saw the same again and again is one look. */
function isRepeatedRead(call: RecordedCall, last: Recorded | undefined): boolean {
  if (last?.kind !== 'call' || call.method !== 'GET' || call.refusedBy !== null || last.refusedBy !== null) return false
  const seen = ({ target, credential, status, answer }: RecordedCall) =>
    JSON.stringify([target, credential, status, answer])
  return seen(call) === seen(last)
}

/** Who had a checkout session opened. */
function openerOf(happened: readonly Recorded[], sessionId: string): CredentialChoice | undefined {
  const opened = happened
    .filter((one) => one.kind === 'call')
    .find(
      ({ endpoint, status, answer }) =>
        endpoint === 'checkout.create' && status < 300 && answer['session_id'] === sessionId,
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
  draft.ids.set(call.requestId, step.id)
  if (call.endpoint !== null) learnFrom(draft, call, call.endpoint, step.id)
}

/** Ids that later steps refer to, what is left behind, and whose events are looked for at the end. */
function learnFrom(draft: Draft, call: RecordedCall, op: EndpointId, id: string): void {
  const { answer } = call
  const subject = op === 'orders.create' ? answer['public_id'] : op === 'brokerage.create' ? answer['case_id'] : null
  const isKnown = draft.subjects.includes(String(subject))
  const effect = COUNTED[op]
  const isNew = call.status < 300 && !(op === 'orders.create' && isKnown)
  if (effect) Object.assign(draft.effects, { [effect]: Number(draft.effects[effect] ?? 0) + (isNew ? 1 : 0) })
  if (call.status >= 300) return
  for (const [field, role] of GIVEN[op] ?? []) draft.names.learn(answer[field], `${id}.${role}`)
  const caller = callerOf(call.credential) ?? 'main'
  if (op === 'webhooks.put' && caller !== 'other_partner') draft.registeredAtMs ??= call.worldAtMs
  if (typeof subject !== 'string' || isKnown) return
  if (op === 'orders.create') {
    draft.latestOrder = subject
    countOrder(draft, caller, String(answer['domain']))
  }
  if (caller !== 'other_partner') draft.subjects.push(subject)
}

/** The events of each order and each case, type by type, and which of them a receiver got. */
function addHistorySteps(draft: Draft, delivered: ReadonlySet<string>): void {
  const groups = draft.subjects.flatMap((subject) => {
    const own = draft.events.filter((event) => event.subject === subject)
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
    const shows = SHOWN_BY_EVENT[type as keyof typeof SHOWN_BY_EVENT]
    // No requirement has this event for a hosted sale; the step of the sale has found the order already.
    if (shows === undefined || (type === 'order.recorded' && draft.hosted.has(subject))) continue
    const expect = { count: { equals: events.length }, distinct: 'id', shows }
    draft.steps.push({ id: nextId(draft, `told_${type}`), events: { type, where }, expect })
  }
  // An older event may have been delivered to an endpoint that was registered before the recording began.
  const { registeredAtMs } = draft
  if (registeredAtMs === null) return
  for (const { type, where, events } of groups) {
    if (!events.some(({ id, atMs }) => atMs >= registeredAtMs && delivered.has(id))) continue
    const expect = { count: { at_least: 1 }, every: { 'delivery.signed': true }, shows: 'HOOK-02' }
    draft.steps.push({ id: nextId(draft, `received_${type}`), receive: { type, where }, expect })
  }
}

function assembled(title: string, { steps, effects, leftOut, domains, keys }: Draft): Scenario {
  const used = [...domains.values()].map(({ fixture }) => fixture)
  // What records orders needs a domain for the template, also if it names magic ones.
  const sellable = Math.max(used.filter((fixture) => fixture?.startsWith('sellable')).length, effects.orders ? 1 : 0)
  const needs = [
    ...(sellable > 0 ? [sellable === 1 ? 'fixture.sellable' : `fixture.sellable(${sellable})`] : []),
    ...(used.includes('unlisted') ? ['fixture.unlisted'] : []),
  ]
  const isReadBack = steps.some((step) => step.events !== undefined)
  const kept = isReadBack ? steps : steps.filter((step) => step.mark === undefined)
  const vars = Object.fromEntries([...keys.values()].map((name) => [name.slice('vars.'.length), '${uuid}']))
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
  return typeof expect === 'object' ? [expect].flat().flatMap(({ shows }) => shows ?? []) : []
}

/** Whether an operation of the document is called at all, so that there is something to judge. */
export function hasCalls({ steps }: Scenario): boolean {
  return steps.some(({ call, resend }) => resend !== undefined || (call?.op !== undefined && call.op in ENDPOINTS))
}
