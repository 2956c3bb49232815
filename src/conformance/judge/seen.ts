import type { EndpointId } from '../../contract/endpoints.ts'
import { namesALease, withoutPast } from '../context/earlier-items.ts'
import { eventValue } from '../context/event-history.ts'
import { type CallExchange, firstExchange, type HistoryEvent, type ScenarioRun } from '../context/run.ts'
import { type Check, failure, missing, unproven } from '../format/expectations/check.ts'
import { judgeRoles, wholeText } from '../format/expectations/contents.ts'
import type { Expectation } from '../format/expectations/expectation.ts'
import type { AnswerSeen, Item, RunCall, RunSeen, Seen, ThingsSeen } from '../format/expectations/kind.ts'
import { readRun } from '../format/expectations/run-facts.ts'
import { RECORD_ORDER } from '../format/step-facts.ts'
import { type Matcher, matches, shown, type Template } from '../format/values.ts'
import type { Answer } from '../http/exchange.ts'
import { lastSegment } from '../http/last-segment.ts'
import { Open } from '../result/open.ts'
import { isValid } from '../signing/sign-call.ts'
import { isElsewhere } from '../target/target.ts'
import { filled, findValue, rowsOfStep } from './references.ts'
import { isPlainRefusal } from './twin.ts'

/** What judges may ask of a scenario as it stands. */
export function seenOf(scenarioRun: ScenarioRun): Seen {
  return {
    fill: (template, item) => filled(scenarioRun, template, item),
    fillForbidden: (template) => filled(scenarioRun, template, undefined, true),
    find: (role, item) => findValue(scenarioRun, item, role),
  }
}

/** An exchange of a call, as judges see it. */
export function answerSeen(scenarioRun: ScenarioRun, exchange: CallExchange, answer: Answer): AnswerSeen {
  const { call } = exchange
  const { conflicts } = scenarioRun.run.registry
  return {
    ...seenOf(scenarioRun),
    answer,
    words: answerInWords(scenarioRun, answer),
    asked: lastSegment(call.path),
    credential: call.credential,
    // The target's rate limit, which nothing here asks about, took the answer away.
    isKeptFrom: answer.status === 429 && !call.wants429,
    isPlainRefusal: () => isPlainRefusal(scenarioRun, answer),
    conflict: (requirements, code) =>
      conflicts.find(({ requirement, tolerates }) => requirements.includes(requirement) && tolerates.includes(code))
        ?.why,
    leaksOfRun: scenarioRun.run.leaks,
    refusalsOfRun: () =>
      scenarioRun.run.refusals.flatMap(({ call, answer, id }) =>
        answer && call.op !== null && call.method !== 'HEAD' ? [{ answer, exchange: id }] : [],
      ),
    writesOfRun: () => scenarioRun.run.writes.flatMap(({ answer, id }) => (answer ? [{ answer, exchange: id }] : [])),
    earlier(step) {
      const other = firstExchange(scenarioRun, step)
      if (!other?.answer) throw Open.unproven(`step ${step}, which this is compared with, got no answer`)
      return answerSeen(scenarioRun, other, other.answer)
    },
  }
}

/** All calls of the run so far, read once for all who judge them. */
export function runSeen(scenarioRun: ScenarioRun): RunSeen {
  const { run } = scenarioRun
  const { calls, memory, target } = run
  if (memory.facts?.calls.length !== calls.length) {
    const realms = new Map(
      target.credentials.map((credential) => [
        credential.name,
        `${credential.partner} ${isElsewhere(target, credential)}`,
      ]),
    )
    memory.facts = readRun(
      calls.map((made) => callSeen(made, realms.get(made.call.credential.name) ?? '')),
      (role, item) => findValue({ run }, item, role),
    )
  }
  return { ...seenOf(scenarioRun), facts: memory.facts }
}

/** A call of the run, as rules about all of them see it. */
function callSeen({ call, request, answer, id, sentAtMs, tookMs, recordsAtMs }: CallExchange, realm: string): RunCall {
  return {
    op: call.op,
    method: request.method,
    exchange: id,
    world: /^w\d+/.exec(id)?.[0] ?? '',
    realm,
    isValid: isValid(call),
    target: request.target,
    get body() {
      return Buffer.from(request.body).toString()
    },
    answer,
    sentAtMs,
    answeredAtMs: sentAtMs + tookMs,
    recordsAtMs,
  }
}

/** An answer in one line: status, code and message. */
export function answerInWords(scenarioRun: ScenarioRun, answer: Answer): string {
  if (answer.status < 400) return `${answer.status}`
  const code = findValue(scenarioRun, answer, 'error.code')
  const message = findValue(scenarioRun, answer, 'error.message')
  const words = `${answer.status} ${code.found ? shown(code.value) : 'without a code'}`
  const repeatsTheCode = code.found && message.found && message.value === code.value
  return message.found && !repeatsTheCode ? `${words}: ${shown(message.value)}` : words
}

/** The items of a list in an answer, without those that were there before the scenario, where it is about what it sold. */
export function itemsSeen(
  scenarioRun: ScenarioRun,
  expectation: Expectation & { items: string },
  exchange: CallExchange,
  answer: Answer,
): ThingsSeen | { complaint: Check } {
  const role = expectation.items
  const found = findValue(scenarioRun, answer, role)
  if (!found.found) return { complaint: missing(found, role) }
  if (!Array.isArray(found.value)) return { complaint: failure(`${role} is not a list`) }
  const { leases } = scenarioRun
  const asksForALease = exchange.call.query.some(([, value]) => leases.some(({ domain }) => domain === value))
  const items: readonly unknown[] =
    namesALease(expectation) || asksForALease ? withoutPast(scenarioRun, answer.op, found.value) : found.value
  const seen = seenOf(scenarioRun)
  const item = (index: number): Item => ({ json: items[index], op: answer.op })
  return {
    ...seen,
    name: role,
    size: items.length,
    earlier: found.value.length - items.length,
    value(index, name) {
      const value = seen.find(name, item(index))
      return value.found ? { value: value.value } : { complaint: missing(value, name) }
    },
    hint(index, name) {
      const value = findValue({ run: scenarioRun.run }, item(index), name)
      return value.found ? value.value : undefined
    },
    judge(index, matchers) {
      const complaint = judgeRoles(seen, matchers, item(index))
      if (complaint === null && scenarioRun.reading && matchers === expectation.includes)
        scenarioRun.reading.fitted = items[index]
      return complaint
    },
    text: (index) => JSON.stringify(items[index]),
    ...madeFor(scenarioRun, exchange.call.credential.name),
  }
}

/** What judges may ask about what the run has made, where this credential reads. */
function madeFor(
  scenarioRun: ScenarioRun,
  reader: string,
): Pick<ThingsSeen, 'ordersOfRun' | 'ordersOfOthers' | 'madeInRun'> {
  const { made, target } = scenarioRun.run
  const recorded = (isWanted: (credential: string) => boolean, by: EndpointId = RECORD_ORDER) =>
    made.flatMap(({ call, answer, id }) =>
      answer && call.op === by && isWanted(call.credential.name) ? [{ answer, exchange: id, row: answer }] : [],
    )
  return {
    madeInRun: (by) => recorded((credential) => credential === reader, by),
    ordersOfOthers() {
      const partners = new Map(target.credentials.map(({ name, partner }) => [name, partner]))
      return recorded((credential) => partners.get(credential) !== partners.get(reader))
    },
    ordersOfRun(step) {
      const own = recorded((credential) => credential === reader)
      if (step === undefined) return own
      const rows = new Map(rowsOfStep(scenarioRun, step).map((row) => [idOf(scenarioRun, row), row]))
      return own.flatMap((order) => {
        const row = rows.get(idOf(scenarioRun, order.answer))
        return row ? [{ ...order, row }] : []
      })
    },
  }
}

function idOf(scenarioRun: ScenarioRun, order: Item): unknown {
  const found = findValue(scenarioRun, order, 'order.public_id')
  return found.found ? found.value : order
}

/** Events of the history, or deliveries of a hook. */
export function eventsSeen(scenarioRun: ScenarioRun, events: readonly HistoryEvent[], name: string): ThingsSeen {
  const seen = seenOf(scenarioRun)
  const valueAt = (index: number, path: string): unknown => events[index] && eventValue(events[index], path)
  return {
    ...seen,
    name,
    size: events.length,
    value: (index, path) => ({ value: valueAt(index, path) }),
    judge(index, matchers) {
      for (const [path, template] of Object.entries(matchers)) {
        const matcher = seen.fill(template as Template, { json: events[index]?.json, op: 'events.list' }) as Matcher
        const value = valueAt(index, path)
        if (!matches(value, matcher)) return failure(`${path} is ${shown(value)}`, events[index]?.explain?.(path))
      }
      return null
    },
    text: (index) =>
      JSON.stringify([events[index]?.json, valueAt(index, 'delivery.body'), valueAt(index, 'delivery.headers')]),
    ...madeFor(scenarioRun, scenarioRun.run.credentials.main.name),
  }
}

/** Answers of calls that were made at once. */
export function answersSeen(scenarioRun: ScenarioRun, exchanges: readonly CallExchange[], name: string): ThingsSeen {
  const seen = seenOf(scenarioRun)
  const noAnswer = unproven('no answer')
  return {
    ...seen,
    name,
    size: exchanges.length,
    value(index, role) {
      const answer = exchanges[index]?.answer
      if (!answer) return { complaint: noAnswer }
      const value = seen.find(role, answer)
      return value.found ? { value: value.value } : { complaint: missing(value, role) }
    },
    judge(index, matchers) {
      const answer = exchanges[index]?.answer
      return answer ? judgeRoles(seen, matchers, answer) : noAnswer
    },
    text(index) {
      const answer = exchanges[index]?.answer
      return answer ? wholeText(answer) : ''
    },
  }
}
