import { isDeepStrictEqual } from 'node:util'
import type { CallExchange, ScenarioRun } from '../context/run.ts'
import { compare, describeMatcher, matches, shown } from '../format/matcher.ts'
import type { Expectation, Matcher, Template } from '../format/scenario.ts'
import { type Answer, headerOf, isAccepted } from '../http/exchange.ts'
import { isObject } from '../http/json-body.ts'
import { Open } from '../result/open.ts'
import { type Check, failure, missing, type Things, unproven, valuesOf } from './check.ts'
import { causeShown } from './hidden-cause.ts'
import { judgeRunning } from './judge-running.ts'
import { nearestRow, sumDifference } from './nearest-row.ts'
import { filled, filledForbidden, findValue, type Item } from './references.ts'

/** Roles of an answer or of one item of a list. */
export function judgeRoles(
  scenarioRun: ScenarioRun,
  roles: Record<string, Matcher>,
  ground: Item & Partial<Answer>,
): Check | null {
  for (const [name, template] of Object.entries(roles)) {
    const matcher = filled(scenarioRun, template as Template, ground) as Matcher
    const found = findValue(scenarioRun, ground, name)
    if (!found.found) {
      if (found.why === 'absent' && wantsAbsence(matcher)) continue
      return missing(found, name)
    }
    if (!matches(found.value, matcher))
      return failure(`${name} is ${shown(found.value)}`, `asked for: ${name} ${describeMatcher(matcher)}`)
  }
  return null
}

function wantsAbsence(matcher: Matcher): boolean {
  return isObject(matcher) && matcher.present === false
}

export function judgeHeaders(scenarioRun: ScenarioRun, headers: Record<string, Matcher>, answer: Answer): Check | null {
  for (const [name, template] of Object.entries(headers)) {
    const matcher = filled(scenarioRun, template as Template) as Matcher
    const value = headerOf(answer, name)
    if (!matches(value, matcher)) return failure(value === undefined ? `no header ${name}` : `${name}: ${shown(value)}`)
  }
  return null
}

/** The body as text: what it must match, and what must not be in the answer at all. */
export function judgeText(scenarioRun: ScenarioRun, expectation: Expectation, answer: Answer): Check | null {
  const body = new TextDecoder('utf-8').decode(answer.body)
  if (expectation.matches !== undefined && !new RegExp(expectation.matches, 'u').test(body)) {
    return failure(`a body of ${answer.body.length} bytes that does not match`)
  }
  const cause = expectation.hides_cause ? causeShown(body) : null
  if (cause !== null) return failure(`the answer shows its cause: ${cause}`)
  if (expectation.lacks === undefined) return null
  const forbidden = filledForbidden(scenarioRun, expectation.lacks)
  const all = `${answer.headers.map(([name, value]) => `${name}: ${value}`).join('\n')}\n${body}`
  const found = (Array.isArray(forbidden) ? forbidden : [forbidden]).some((text) => all.includes(String(text)))
  return found ? failure('the answer contains what it must not') : null
}

/** The answer against that of an earlier step. */
export function judgeSameness(
  scenarioRun: ScenarioRun,
  expectation: Expectation,
  exchange: CallExchange,
  answer: Answer,
): Check | null {
  if (expectation.same_as === undefined) return null
  const wish = typeof expectation.same_as === 'string' ? { step: expectation.same_as } : expectation.same_as
  const record = scenarioRun.records.get(wish.step)
  const otherExchange = record?.kind === 'calls' ? record.exchanges[0] : undefined
  const other = otherExchange?.answer
  if (!otherExchange || !other) throw Open.unproven(`step ${wish.step}, which this is compared with, got no answer`)
  if (!isAccepted(other) && isAccepted(answer))
    throw Open.unproven(`step ${wish.step}, which this is compared with, was not accepted`)
  for (const name of wish.roles ?? []) {
    const absent = lackingIn(scenarioRun, name, [answer, other], wish.unlike === true)
    if (absent) return absent
  }
  const alike = wish.roles
    ? wish.roles.every((name) => sameRole(scenarioRun, name, [exchange, otherExchange], wish.where))
    : sameAnswer(wish.by ?? 'json', answer, other)
  if (alike === (wish.unlike !== true)) return null
  return failure(alike ? `the same answer as ${wish.step}` : `another answer than ${wish.step} got`)
}

/**
 * Why two answers cannot be compared by a role. One that only the other has is another, but what is gone has not changed; one that
 * neither has says nothing, unless the document names its key: then both lack the same.
 */
function lackingIn(
  scenarioRun: ScenarioRun,
  name: string,
  [own, other]: [Answer, Answer],
  unlike: boolean,
): Check | null {
  const [found, before] = [findValue(scenarioRun, own, name), findValue(scenarioRun, other, name)]
  if (!found.found && (unlike || found.why === 'ambiguous')) return missing(found, name)
  if (before.found) return null
  if (before.why === 'ambiguous') return missing(before, name)
  return found.found || before.documented ? null : missing(before, name)
}

function sameRole(
  scenarioRun: ScenarioRun,
  name: string,
  exchanges: [CallExchange, CallExchange],
  where?: Record<string, Matcher>,
): boolean {
  const [left, right] = exchanges.map((exchange) =>
    itemsWhere(scenarioRun, where, roleWithoutEcho(scenarioRun, name, exchange), exchange),
  )
  return isDeepStrictEqual(left, right)
}

function itemsWhere(
  scenarioRun: ScenarioRun,
  where: Record<string, Matcher> | undefined,
  value: unknown,
  exchange: CallExchange,
): unknown {
  if (where === undefined || !Array.isArray(value)) return value
  return value.filter((json) => judgeRoles(scenarioRun, where, { json, op: exchange.call.op }) === null)
}

/** A text that repeats what the path asked for says the same as one that repeats another path's. */
function roleWithoutEcho(scenarioRun: ScenarioRun, name: string, { answer, call }: CallExchange): unknown {
  const found = answer ? findValue(scenarioRun, answer, name) : undefined
  if (!found?.found) return undefined
  const asked = decodeURIComponent(call.path.split('/').at(-1) ?? '')
  return typeof found.value === 'string' && asked !== '' ? found.value.replaceAll(asked, '{asked}') : found.value
}

function sameAnswer(by: 'bytes' | 'body' | 'json' | 'status', a: Answer, b: Answer): boolean {
  if (by === 'status') return a.status === b.status
  if (by === 'body') return Buffer.from(a.body).equals(b.body)
  if (by === 'bytes') return a.status === b.status && Buffer.from(a.body).equals(b.body)
  if (a.json === undefined || b.json === undefined) return a.status === b.status && Buffer.from(a.body).equals(b.body)
  return a.status === b.status && isDeepStrictEqual(withoutRequestIds(a.json), withoutRequestIds(b.json))
}

const OF_THE_REQUEST = /^(request|trace|correlation)_?id$/i

function withoutRequestIds(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(withoutRequestIds)
  if (!isObject(json)) return json
  return Object.fromEntries(
    Object.entries(json)
      .filter(([key]) => !OF_THE_REQUEST.test(key))
      .map(([key, value]) => [key, withoutRequestIds(value)]),
  )
}

/** Values from anywhere in the scenario against each other. */
export function judgeEquality(scenarioRun: ScenarioRun, expectation: Expectation, item?: Item): Check | null {
  if (expectation.equal !== undefined) {
    const [first, ...others] = expectation.equal.map((template) => filled(scenarioRun, template, item))
    if (others.some((value) => !isDeepStrictEqual(value, first)))
      return failure([first, ...others].map(shown).join(', '))
  }
  if (expectation.differ !== undefined) {
    const values = expectation.differ.map((template) => filled(scenarioRun, template, item))
    if (values.some((value, index) => values.findIndex((other) => isDeepStrictEqual(other, value)) !== index))
      return failure(values.map(shown).join(', '))
  }
  return null
}

export function judgeThings(
  expectation: Expectation,
  things: Things,
  fill: (template: Template) => unknown,
): Check | null {
  return (
    judgeCount(expectation, things, fill) ??
    judgeEvery(expectation, things) ??
    judgePresence(expectation, things, fill) ??
    judgeOrder(expectation, things) ??
    judgeSum(expectation, things, fill) ??
    (expectation.running ? judgeRunning(expectation.running, things) : null)
  )
}

function judgeCount(expectation: Expectation, things: Things, fill: (template: Template) => unknown): Check | null {
  const wanted: Matcher | undefined =
    expectation.count ?? (expectation.at_most === undefined ? undefined : { at_most: expectation.at_most })
  if (wanted === undefined && expectation.distinct === undefined) return null
  let count = things.size
  if (expectation.distinct !== undefined) {
    const found = valuesOf(things, expectation.distinct)
    if ('complaint' in found) return found.complaint
    count = new Set(found.values.map((value) => JSON.stringify(value))).size
  }
  const matcher = fill((wanted ?? things.size) as Template) as Matcher
  if (matches(count, matcher)) return null
  const what =
    expectation.distinct === undefined
      ? things.name
      : `different ${expectation.distinct} among ${things.size} ${things.name}`
  return failure(`${count} ${what}`)
}

function judgeEvery(expectation: Expectation, things: Things): Check | null {
  if (expectation.every === undefined) return null
  for (let index = 0; index < things.size; index++) {
    const complaint = things.judge(index, expectation.every)
    if (complaint)
      return { ...complaint, actual: `number ${index + 1} of ${things.size} ${things.name}: ${complaint.actual}` }
  }
  return null
}

function judgePresence(expectation: Expectation, things: Things, fill: (template: Template) => unknown): Check | null {
  const { includes, excludes } = expectation
  const indexes = Array.from({ length: things.size }, (_, index) => index)
  if (includes !== undefined && !indexes.some((index) => things.judge(index, includes) === null)) {
    const gap = indexes
      .map((index) => things.judge(index, includes))
      .find((complaint) => complaint?.verdict === 'not_run')
    return gap ?? failure(`none of ${things.size} ${things.name} fits`, nearestRow(things, includes, fill))
  }
  if (excludes === undefined) return null
  const complaints = indexes.map((index) => things.judge(index, excludes))
  const hit = complaints.indexOf(null)
  if (hit !== -1) return failure(`number ${hit + 1} of ${things.size} ${things.name} should not be there`)
  // Where nothing could be looked into, nothing was seen to be absent.
  const [first = null] = complaints
  return complaints.every((complaint) => complaint?.verdict === 'not_run') ? first : null
}

function judgeOrder(expectation: Expectation, things: Things): Check | null {
  if (expectation.sorted === undefined) return null
  const found = valuesOf(things, expectation.sorted.by)
  if ('complaint' in found) return found.complaint
  const { values } = found
  if (values.length < 2) return unproven(`${values.length} ${things.name}`, 'fewer than two cannot be out of order')
  const steps = values.slice(1).map((value, index) => compare(value, values[index]))
  const { order = 'ascending' } = expectation.sorted
  const up = steps.every((step) => step >= 0)
  const down = steps.every((step) => step <= 0)
  const held = order === 'ascending' ? up : order === 'descending' ? down : up || down
  return held ? null : failure(`${things.name} out of order: ${values.slice(0, 6).map(shown).join(', ')}`)
}

function judgeSum(expectation: Expectation, things: Things, fill: (template: Template) => unknown): Check | null {
  if (expectation.sums === undefined) return null
  const found = valuesOf(things, expectation.sums.of)
  if ('complaint' in found) return found.complaint
  const values = found.values.map(Number)
  const sum = values.reduce((total, value) => total + value, 0)
  const wanted = fill(expectation.sums.to)
  if (Number(wanted) === sum) return null
  const actual = `${things.size} ${things.name} add up to ${sum}, not to ${shown(wanted)}`
  return failure(actual, sumDifference(values, Number(wanted)))
}
