import { namesALease, withoutPast } from '../context/earlier-items.ts'
import { eventValue } from '../context/event-history.ts'
import type { ReceivedEvent } from '../context/received-events.ts'
import type { CallExchange, HistoryEvent, ScenarioRun } from '../context/run.ts'
import { isTrouble } from '../context/send-call.ts'
import { matches, shown } from '../format/matcher.ts'
import type { Expectation, Matcher, Template } from '../format/scenario.ts'
import { isFailure } from '../format/step-facts.ts'
import { type Answer, isAccepted, isRefused, isServerError } from '../http/exchange.ts'
import { Open } from '../result/open.ts'
import type { TargetCredential } from '../target/target.ts'
import { isPlainRefusal } from './authentication.ts'
import { answerInWords, type Check, failure, KEPT_429, missing, NOT_JUDGED, type Things, unproven } from './check.ts'
import { inDoubt } from './in-doubt.ts'
import { judgeEquality, judgeHeaders, judgeRoles, judgeSameness, judgeText, judgeThings } from './judge-content.ts'
import { judgePages, type PagesSubject } from './judge-page.ts'
import { judgeRefusal } from './judge-refusal.ts'
import { filled, findValue } from './references.ts'

/** What a step produced, for its expectations to be held against. */
export type Subject =
  | { kind: 'call'; exchange: CallExchange }
  | { kind: 'burst'; exchanges: readonly CallExchange[]; overlapped: number; wanted: number }
  | { kind: 'events'; events: readonly HistoryEvent[]; name?: 'events' | 'deliveries'; waitedMs?: number }
  | PagesSubject

/**
 * Judges one expectation. A value that cannot be had makes it inconclusive or not run, and a failure only where the document or the
 * target file says that it is there.
 */
export function judge(scenarioRun: ScenarioRun, expectation: Expectation, subject: Subject): Check {
  return inDoubt(scenarioRun, expectation, (reading) => judgedOnce({ ...scenarioRun, reading }, expectation, subject))
}

function judgedOnce(scenarioRun: ScenarioRun, expectation: Expectation, subject: Subject): Check {
  try {
    if (subject.kind === 'call') return judgeExchange(scenarioRun, expectation, subject.exchange)
    if (subject.kind === 'pages') return judgePages(scenarioRun, expectation, subject)
    if (subject.kind === 'events') return judgeEvents(scenarioRun, expectation, subject)
    return judgeBurst(scenarioRun, expectation, subject)
  } catch (error) {
    if (!(error instanceof Open)) throw error
    const { verdict, seen: actual = NOT_JUDGED, note, reason } = error
    return { verdict, actual, note, ...(reason && { reason }), ...(verdict === 'fail' && { certain: true }) }
  }
}

/** Among the accepted statuses: closing the connection is an answer, too. */
const NO_ANSWER = 0

function judgeExchange(scenarioRun: ScenarioRun, expectation: Expectation, exchange: CallExchange): Check {
  const { answer } = exchange
  if (!answer && [expectation.status].flat().includes(NO_ANSWER)) return { verdict: 'pass', actual: 'no answer' }
  if (!answer) return unproven('no answer: the connection broke')
  if (expectation.refused !== undefined) {
    const refusal = judgeRefusal(scenarioRun, expectation, answer)
    if (refusal.verdict !== 'pass' && refusal.verdict !== 'tolerated') return refusal
    return contentOf(scenarioRun, expectation, exchange, answer) ?? refusal
  }
  if (expectation.status !== undefined) {
    const allowed = typeof expectation.status === 'number' ? [expectation.status] : expectation.status
    if (isFailure(allowed) && isAccepted(answer))
      return unproven(
        `answered ${answer.status}`,
        'the target did not fail, so nothing is shown about its failures',
        'Check that fail_next of the target file makes the next call fail.',
      )
    if (!allowed.includes(answer.status)) {
      const actual = answerInWords(scenarioRun, answer)
      return isKeptFrom(exchange) ? unproven(actual, KEPT_429) : failure(actual)
    }
  } else if (expectation.authenticated === true && !isAccepted(answer)) {
    const actual = answerInWords(scenarioRun, answer)
    if (answer.status === 429) return unproven(actual, KEPT_429)
    if (!isPlainRefusal(scenarioRun, answer)) return failure(actual)
    return contentOf(scenarioRun, expectation, exchange, answer) ?? { verdict: 'pass', actual }
  } else if (!isAccepted(answer)) {
    const actual = answerInWords(scenarioRun, answer)
    if (isKeptFrom(exchange)) return unproven(actual, KEPT_429)
    return expectation.accepted === true
      ? failure(actual)
      : unproven(actual, 'the call was not accepted, so its content cannot be judged')
  }
  return (
    contentOf(scenarioRun, expectation, exchange, answer) ?? {
      verdict: 'pass',
      actual: summary(scenarioRun, expectation, answer),
    }
  )
}

/** Whether the target's rate limit, which nothing here asks about, took the answer away. */
function isKeptFrom({ call, answer }: CallExchange): boolean {
  return answer?.status === 429 && !call.wants429
}

function contentOf(
  scenarioRun: ScenarioRun,
  expectation: Expectation,
  exchange: CallExchange,
  answer: Answer,
): Check | null {
  return (
    (expectation.key_pair ? judgeKeyPair(exchange.call.credential) : null) ??
    (expectation.roles ? judgeRoles(scenarioRun, expectation.roles, answer) : null) ??
    (expectation.headers ? judgeHeaders(scenarioRun, expectation.headers, answer) : null) ??
    judgeText(scenarioRun, expectation, answer) ??
    judgeSameness(scenarioRun, expectation, exchange, answer) ??
    judgeEquality(scenarioRun, expectation) ??
    judgeItems(scenarioRun, expectation, exchange, answer)
  )
}

function asksForALease({ leases }: ScenarioRun, { call }: CallExchange): boolean {
  return call.query.some(([, value]) => leases.some(({ domain }) => domain === value))
}

function judgeItems(
  scenarioRun: ScenarioRun,
  expectation: Expectation,
  exchange: CallExchange,
  answer: Answer,
): Check | null {
  if (expectation.items === undefined) return null
  const found = findValue(scenarioRun, answer, expectation.items)
  if (!found.found) return missing(found, expectation.items)
  if (!Array.isArray(found.value)) return failure(`${expectation.items} is not a list`)
  const list: readonly unknown[] =
    namesALease(expectation) || asksForALease(scenarioRun, exchange)
      ? withoutPast(scenarioRun, answer.op, found.value)
      : found.value
  const ground = (index: number) => ({ json: list[index], op: answer.op })
  const things: Things = {
    name: expectation.items,
    size: list.length,
    earlier: found.value.length - list.length,
    value(index, name) {
      const value = findValue(scenarioRun, ground(index), name)
      return value.found ? { value: value.value } : { complaint: missing(value, name) }
    },
    judge(index, matchers) {
      const complaint = judgeRoles(scenarioRun, matchers, ground(index))
      if (complaint === null && scenarioRun.reading && matchers === expectation.includes)
        scenarioRun.reading.fitted = list[index]
      return complaint
    },
  }
  return judgeThings(expectation, things, (template) => filled(scenarioRun, template))
}

function judgeEvents(
  scenarioRun: ScenarioRun,
  expectation: Expectation,
  { events, name = 'events' }: Extract<Subject, { kind: 'events' }>,
): Check {
  const things: Things = {
    name,
    size: events.length,
    value: (index, path) => ({ value: events[index] ? eventValue(events[index], path) : undefined }),
    judge(index, matchers) {
      const event = events[index]
      for (const [path, template] of Object.entries(matchers)) {
        const matcher = filled(scenarioRun, template as Template, { json: event?.json, op: 'events.list' }) as Matcher
        const value = event ? eventValue(event, path) : undefined
        if (!matches(value, matcher)) return failure(`${path} is ${shown(value)}`, explained(event, path))
      }
      return null
    },
  }
  // Where nothing is said about how many, there has to be one.
  const wish: Expectation = saysHowMany(expectation) ? expectation : { ...expectation, count: { at_least: 1 } }
  return (
    judgeThings(wish, things, (template) => filled(scenarioRun, template)) ??
    judgeEquality(scenarioRun, expectation) ?? { verdict: 'pass', actual: `${events.length} ${name}` }
  )
}

/** Of a delivery that is not as it should be, why. */
function explained(event: HistoryEvent | undefined, path: string): string | undefined {
  return event !== undefined && 'explain' in event ? (event as ReceivedEvent).explain(path) : undefined
}

function saysHowMany(expectation: Expectation): boolean {
  return expectation.count !== undefined || expectation.at_most !== undefined
}

function judgeBurst(scenarioRun: ScenarioRun, expectation: Expectation, burst: Burst): Check {
  const among = expectation.among ?? 'accepted'
  const exchanges = validLanes(scenarioRun, burst)
  const chosen = exchanges.filter(({ answer }) => BELONGS[among](answer))
  const things: Things = {
    name: among === 'all' ? 'answers' : `${among.replace('_', ' ')} answers`,
    size: chosen.length,
    value(index, name) {
      const answer = chosen[index]?.answer
      const value = answer ? findValue(scenarioRun, answer, name) : undefined
      if (value?.found) return { value: value.value }
      return { complaint: value ? missing(value, name) : unproven('no answer') }
    },
    judge(index, matchers) {
      const answer = chosen[index]?.answer
      return answer ? judgeRoles(scenarioRun, matchers, answer) : unproven('no answer')
    },
  }
  const first = burst.exchanges[0]
  if (among === 'accepted' && chosen.length === 0 && first && !acceptedElsewhere(scenarioRun, first)) {
    return unproven(`none of ${burst.exchanges.length} calls was accepted, nor such a call elsewhere`)
  }
  const wish: Expectation = expectation.roles
    ? { ...expectation, every: { ...expectation.every, ...expectation.roles } }
    : expectation
  const complaint = judgeThings(wish, things, (template) => filled(scenarioRun, template))
  // A complaint may be about the very lanes that are left out.
  const fewest =
    complaint !== null && exchanges.length < burst.exchanges.length ? exchanges.length + 1 : Math.max(2, burst.wanted)
  const doubt = burstDoubt(scenarioRun, burst, fewest)
  if (complaint) return exchanges.length < burst.exchanges.length && doubt ? doubt : complaint
  return (
    doubt ?? {
      verdict: 'pass',
      actual: `${chosen.length} of ${burst.exchanges.length} ${things.name}, ${burst.overlapped} in flight at once`,
    }
  )
}

type Burst = Extract<Subject, { kind: 'burst' }>

/** The lanes that the target answered: not those that one bad moment, or its rate limit, took away. */
export function validLanes(scenarioRun: ScenarioRun, { exchanges }: Pick<Burst, 'exchanges'>): readonly CallExchange[] {
  return exchanges.filter((exchange) => !isTrouble(scenarioRun, exchange.answer) && !isKeptFrom(exchange))
}

/** Whether the same operation has been accepted outside of this burst: then that nothing in it was is the target's doing. */
function acceptedElsewhere(scenarioRun: ScenarioRun, { call }: CallExchange): boolean {
  return call.op !== null && scenarioRun.run.evidence.of(call.op, call.credential.name) !== undefined
}

/** Why a burst proves nothing: it has too few lanes, or they were not under way at once. */
function burstDoubt(scenarioRun: ScenarioRun, burst: Burst, fewest: number): Check | null {
  const { exchanges, overlapped, wanted } = burst
  const left = validLanes(scenarioRun, burst).length
  if (left < fewest && left < exchanges.length) {
    const came = exchanges.filter(({ answer }) => answer?.status === 429).length > 0 ? '429, ' : ''
    return unproven(
      `${exchanges.length - left} of ${exchanges.length} calls got ${came}a failure of the server or no answer`,
    )
  }
  if (overlapped < wanted)
    return unproven(
      `only ${overlapped} of ${exchanges.length} calls were in flight at once`,
      `at least ${wanted} have to be`,
    )
  return null
}

const BELONGS: Record<NonNullable<Expectation['among']>, (answer: Answer | null) => boolean> = {
  accepted: isAccepted,
  refused: isRefused,
  server_error: isServerError,
  all: () => true,
}

/** What a passed check saw, in one line. */
function summary(scenarioRun: ScenarioRun, expectation: Expectation, answer: Answer): string {
  const roles = Object.keys(expectation.roles ?? {}).map((name) => {
    const found = findValue(scenarioRun, answer, name)
    return found.found ? `${name} ${shown(found.value)}` : `no ${name}`
  })
  return [String(answer.status), ...roles.slice(0, 5)].join(', ')
}

const KEY_ID = /^pk_([A-Za-z0-9]+)_./

/**
 * Whether key id and secret carry the same environment word (CRED-01). Judged here and from the prefixes alone: the secret
 * is neither sent nor shown. Only an accepted call can show that both belong to the target.
 */
export function judgeKeyPair({ keyId, secret }: Pick<TargetCredential, 'keyId' | 'secret'>): Check | null {
  const word = KEY_ID.exec(keyId)?.[1]
  if (word === undefined) return failure('the key id does not start with pk_, a word and an underscore')
  if (secret.startsWith(`sk_${word}_`) && secret.length > `sk_${word}_`.length) return null
  const has = secret.startsWith('sk_') ? 'another word than the key id' : 'no sk_ at its start'
  return failure(`the key id starts with pk_${word}_, and its secret has ${has}`)
}
