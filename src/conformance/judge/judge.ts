import { isObject } from '../../contract/is-object.ts'
import { canOperate } from '../context/operator.ts'
import { type CallExchange, exchangesOf, type HistoryEvent, type ScenarioRun } from '../context/run.ts'
import { isTrouble } from '../context/send-call.ts'
import type { Dialect } from '../dialect/dialect.ts'
import { newReading, type Reading, unitAt } from '../dialect/money.ts'
import { type Check, failure, NOT_JUDGED, unproven } from '../format/expectations/check.ts'
import { type Expectation, PLAIN_ACCEPTANCE, type Wish, wishesOf } from '../format/expectations/expectation.ts'
import type { AnswerSeen, PageSeen, RunSeen, ThingsSeen } from '../format/expectations/kind.ts'
import { inNumber } from '../format/expectations/things.ts'
import type { OperatorArguments } from '../format/operator-actions.ts'
import { isPageFact } from '../format/roles.ts'
import type { Step } from '../format/scenario.ts'
import { producedBy } from '../format/step-facts.ts'
import { describeMatcher, type Matcher, matches, shown, type Template } from '../format/values.ts'
import { type Answer, isAccepted, isRefused, isServerError } from '../http/exchange.ts'
import { factOf, type PageVisit } from '../pages/page-visit.ts'
import { sells } from '../pages/read-page.ts'
import { Open } from '../result/open.ts'
import { noteWith } from '../result/target-addition.ts'
import { filled, findValue } from './references.ts'
import { answerSeen, answersSeen, eventsSeen, itemsSeen, runSeen, seenOf } from './seen.ts'
import { acceptanceOf } from './twin.ts'

/** What a step produced, for its expectations to be held against. */
export type Subject =
  | { kind: 'call'; exchange: CallExchange }
  /** Every call of the run so far. */
  | { kind: 'run' }
  | { kind: 'burst'; exchanges: readonly CallExchange[]; overlapped: number; wanted: number }
  | {
      kind: 'events'
      events: readonly HistoryEvent[]
      name?: 'events' | 'deliveries'
      waitedMs?: number
      /** Id of the exchange that shows the event of this number, from 0; null if none does. */
      exchangeOf?(at: number): string | null
    }
  /** Pages that were opened: one, or one for each character that was changed. */
  | {
      kind: 'pages'
      visits: readonly { visit: PageVisit; label: string }[]
      /** The page as it was found when nothing was wrong; null if it never was. */
      twinOutcome: PageVisit | null
    }

/**
 * Judges one expectation. A value that cannot be had makes it inconclusive or not run, and a failure only where the document or the
 * target file says that it is there. If another unit of some amount explains a failure, it is a question to the reader; if a failure
 * rests on places that the runner found without a hint, it says so.
 */
export function judge(scenarioRun: ScenarioRun, expectation: Expectation, subject: Subject): Check {
  const judgeOnce = (reading: Reading): Check => {
    try {
      return judgeSubject({ ...scenarioRun, reading }, expectation, subject)
    } catch (error) {
      if (!(error instanceof Open)) throw error
      const { verdict, seen: actual = NOT_JUDGED, note, reason } = error
      return { verdict, actual, note, ...(reason && { reason }), ...(verdict === 'fail' && { certain: true }) }
    }
  }
  const { dialect } = scenarioRun.run
  const known = dialect.units.at.size
  const reading = newReading()
  const first = judgeOnce(reading)
  // A fraction further down shows the unit of what was read before it.
  if (first.verdict === 'fail' && dialect.units.at.size > known) return judge(scenarioRun, expectation, subject)
  // A value that merely is there, or that is the same as in an earlier answer, does not show its place to be right.
  if (first.verdict === 'pass')
    for (const wish of wishesOf(expectation))
      for (const [words, { role }] of reading.guessed)
        if (isCompared(expectation, wish, role)) dialect.confirmed.add(words)
  if (first.verdict !== 'fail' || first.certain) return first
  const question = unitQuestion(scenarioRun, reading, judgeOnce)
  if (question !== null) return { verdict: 'not_run', reason: 'needs-dialect', actual: first.actual, note: question }
  if (reading.inEntries.size > 0) {
    const note = `${[...reading.inEntries].join(', ')} is in one entry of a list, and another entry may have the amount of another currency`
    return unproven(first.actual, note, NAME_NO_ENTRY)
  }
  return reading.guessed.size === 0 ? first : { ...first, waitsFor: { places: [...reading.guessed.values()] } }
}

/** @throws Open where a value cannot be had. */
function judgeSubject(scenarioRun: ScenarioRun, expectation: Expectation, subject: Subject): Check {
  switch (subject.kind) {
    case 'call':
      return judgeExchange(scenarioRun, expectation, subject.exchange)
    case 'pages':
      return judgePages(scenarioRun, expectation, subject)
    case 'burst':
      return judgeBurst(scenarioRun, expectation, subject)
    case 'run': {
      const seen = runSeen(scenarioRun)
      const complaint = judgeContents(wishesOf(expectation), expectation, 'run', seen)
      return complaint ?? { verdict: 'pass', actual: `${seen.facts.calls.length} calls` }
    }
    case 'events': {
      const { events, name = 'events' } = subject
      // Where nothing is said about how many, there has to be one.
      const wish: Expectation = { count: { at_least: 1 }, ...expectation }
      const complaint = judgeContents(wishesOf(wish), wish, 'things', eventsSeen(scenarioRun, events, name))
      return complaint ?? { verdict: 'pass', actual: inNumber(events.length, name) }
    }
  }
}

/**
 * Whether a wish that holds has compared the value of this role: named it, or an earlier answer's by reference, or found what it
 * compares in the list of this role. A judge with a name reads only what it compares.
 */
function isCompared({ items }: Expectation, { kind: { compares, roles }, wanted }: Wish, role: string): boolean {
  if (compares === false) return false
  const compared: object = compares === true ? wanted : compares(wanted)
  const named = compares === true ? roles(wanted).map(([, name]) => name) : Object.keys(compared)
  if (named.length === 0) return compares === true
  return named.includes(role) || role === items || JSON.stringify(compared).includes(`.${role}`)
}

/** Among the accepted statuses: closing the connection is an answer, too. */
const NO_ANSWER = 0

function judgeExchange(scenarioRun: ScenarioRun, expectation: Expectation, exchange: CallExchange): Check {
  const { answer } = exchange
  if (!answer && [expectation.status].flat().includes(NO_ANSWER)) return { verdict: 'pass', actual: 'no answer' }
  if (!answer) return unproven('no answer: the connection broke')
  const whole = judgeWhole(expectation, 'answer', answerSeen(scenarioRun, exchange, answer))
  if (whole.verdict !== 'pass' && whole.verdict !== 'tolerated') return whole
  const { items, roles = {} } = expectation
  if (items !== undefined) {
    const rows = itemsSeen(scenarioRun, { ...expectation, items }, exchange, answer)
    if ('complaint' in rows) return rows.complaint
    // Of the items are the wishes that an answer as a whole cannot have.
    const ofItems = wishesOf(expectation).filter(({ kind }) => !('answer' in kind.judge))
    const complaint = judgeContents(ofItems, expectation, 'things', rows)
    if (complaint) return complaint
  }
  // What it saw, in one line: the outcome, and the first of the roles that were asked for.
  const values = Object.keys(roles).map((name) => {
    const found = findValue(scenarioRun, answer, name)
    return found.found ? `${name} ${shown(found.value)}` : `no ${name}`
  })
  return { ...whole, actual: [whole.actual, ...values.slice(0, 5)].join(', ') }
}

interface SeenAs {
  answer: AnswerSeen
  page: PageSeen
  things: ThingsSeen
  run: RunSeen
}

/**
 * What a call or a page came to, or the first complaint about what it holds. The first row of the table that says what it has to come
 * to decides; without any, plain acceptance.
 */
function judgeWhole<As extends 'answer' | 'page'>(expectation: Expectation, as: As, seen: SeenAs[As]): Check {
  const plain: Wish = { path: [], kind: PLAIN_ACCEPTANCE as never, wanted: false as never }
  const wishes = wishesOf(expectation)
  const { kind, wanted } = wishes.find((wish) => 'outcome' in wish.kind.judge) ?? plain
  const judgeIt = 'outcome' in kind.judge ? kind.judge.outcome[as] : undefined
  if (!judgeIt) throw new RangeError(`not to be expected of a ${as}`)
  const outcome = judgeIt(seen as never, wanted, expectation)
  if (outcome.verdict !== 'pass' && outcome.verdict !== 'tolerated') return outcome
  return judgeContents(wishes, expectation, as, seen) ?? outcome
}

/** The first complaint about what was seen, in the order of the wishes. */
function judgeContents<As extends keyof SeenAs>(
  wishes: readonly Wish[],
  expectation: Expectation,
  as: As,
  seen: SeenAs[As],
): Check | null {
  for (const { kind, wanted } of wishes) {
    const judgeIt = 'outcome' in kind.judge ? undefined : kind.judge[as]
    const complaint = judgeIt?.(seen as never, wanted, expectation) ?? null
    if (complaint) return complaint
  }
  return null
}

/** A page that was opened, or each of those that were. The first that is not as expected decides. */
function judgePages(
  scenarioRun: ScenarioRun,
  expectation: Expectation,
  subject: Extract<Subject, { kind: 'pages' }>,
): Check {
  const judged = subject.visits.map(({ visit, label }) => {
    const seen = pageSeen(scenarioRun, visit, subject.twinOutcome)
    const check = 'verdict' in seen ? seen : judgeWhole(expectation, 'page', seen)
    return label === '' ? check : { ...check, actual: `${label}: ${check.actual}` }
  })
  const worst = (['fail', 'not_run', 'inconclusive'] as const)
    .map((verdict) => judged.find((check) => check.verdict === verdict))
    .find((check) => check !== undefined)
  if (worst) return worst
  const [first] = judged
  if (!first) return unproven('no page was opened')
  return judged.length === 1 ? first : { verdict: 'pass', actual: `${judged.length} pages, the first ${first.actual}` }
}

function judgeBurst(scenarioRun: ScenarioRun, expectation: Expectation, burst: Burst): Check {
  const among = expectation.among ?? 'accepted'
  const exchanges = validLanes(scenarioRun, burst)
  const chosen = exchanges.filter(({ answer }) => BELONGS[among](answer))
  const things = answersSeen(scenarioRun, chosen, among === 'all' ? 'answers' : `${among.replace('_', ' ')} answers`)
  const first = burst.exchanges[0]
  const unaccepted =
    among === 'accepted' && chosen.length === 0 && first && !acceptedElsewhere(scenarioRun, first) ? first : null
  const complaint = judgeContents(wishesOf(expectation), expectation, 'things', things)
  if (complaint && unaccepted)
    return unproven(`none of ${burst.exchanges.length} calls was accepted, nor such a call elsewhere`)
  if (complaint && !mayBeLeftOut(expectation, chosen.length)) return complaint
  // A complaint may be about the very lanes that are left out.
  const fewest =
    complaint !== null && exchanges.length < burst.exchanges.length ? exchanges.length + 1 : Math.max(2, burst.wanted)
  const doubt = burstDoubt(scenarioRun, burst, fewest)
  if (complaint) return exchanges.length < burst.exchanges.length && doubt ? doubt : complaint
  return (
    doubt ?? {
      verdict: 'pass',
      actual: `${chosen.length} of ${burst.exchanges.length} ${things.name}, ${burst.overlapped} in flight at once`,
      // That none was accepted is right only if the target takes such a call at all; a later scenario may show that.
      ...(unaccepted ? { waitsFor: { acceptance: acceptanceOf(scenarioRun, unaccepted.call) } } : {}),
    }
  )
}

type Burst = Extract<Subject, { kind: 'burst' }>

/** The lanes that the target answered: not those that one bad moment, or its rate limit, took away. */
export function validLanes(scenarioRun: ScenarioRun, { exchanges }: Pick<Burst, 'exchanges'>): readonly CallExchange[] {
  return exchanges.filter(
    ({ call, answer }) => !isTrouble(scenarioRun, answer) && (answer?.status !== 429 || call.wants429 === true),
  )
}

/** Whether these are too few answers, or lack one, so that those that were left out may be what is missing. */
function mayBeLeftOut({ count, distinct, includes }: Expectation, found: number): boolean {
  const fewest = isObject(count) ? (count['at_least'] ?? (count['at_most'] === undefined ? null : 0)) : (count ?? 0)
  if (includes !== undefined || typeof fewest !== 'number') return true
  return found < fewest || (distinct !== undefined && fewest > 1)
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

/** More places than these are not tried in every combination. */
const MOST_PLACES = 4

/** What to ask where a factor of 100 in some of the amounts is all that is wrong; null if it is not. */
function unitQuestion(
  { run: { dialect } }: ScenarioRun,
  { open }: Reading,
  judgeOnce: (reading: Reading) => Check,
): string | null {
  const places = [...open].slice(0, MOST_PLACES)
  for (let chosen = 1; chosen < 2 ** places.length; chosen++) {
    const others = places.filter((_, index) => chosen & (1 << index))
    const supposed = new Map(
      others.map((place) => [place, unitAt(dialect.units, place) === 'units' ? 'cents' : 'units']),
    )
    const reading = newReading(supposed as Reading['supposed'])
    if (judgeOnce(reading).verdict === 'pass') return questionOf(dialect, supposed, reading)
  }
  return null
}

function questionOf(dialect: Dialect, supposed: ReadonlyMap<string, string>, { fitted, guessed }: Reading): string {
  const asked = [...supposed].map(
    ([place, unit]) => `is ${place} in ${unit === 'units' ? 'whole units, such as dollars' : 'cents'}?`,
  )
  const roles = Object.fromEntries(
    [...supposed].map(([place, unit]) => [place, { at: placeOfAmount(dialect, place, guessed), unit }]),
  )
  const nearest = fitted === undefined ? '' : `; the nearest item: ${shown(fitted)}`
  const question = `the value seen and the value expected differ by a factor of 100: ${asked.join(' ')}${nearest}`
  return noteWith(question, { dialect: { roles } })
}

const NAME_NO_ENTRY =
  'Amounts of several currencies cannot be compared by a place in the list; judge a target, or a key, that sells in one currency only.'

/** Where an amount was read, by the target file or by the runner's own search. */
function placeOfAmount({ settings: { roles } }: Dialect, place: string, guessed: Reading['guessed']): string {
  const told = roles[place] ?? roles[place.slice(place.indexOf(':') + 1)]
  if (told !== undefined) return typeof told === 'string' ? told : told.at
  return [...guessed.values()].find(({ name }) => name === place)?.at ?? 'PLACE'
}

/** A page, as judges see it; if there is nothing to judge, why. */
function pageSeen(scenarioRun: ScenarioRun, visit: PageVisit, twinOutcome: PageVisit | null): PageSeen | Check {
  const { answer } = visit
  if (!answer) return unproven('no answer: the connection broke')
  if (visit.doubt !== null) return unproven(inWords(visit), visit.doubt)
  return {
    ...seenOf(scenarioRun),
    answer,
    words: inWords(visit),
    isOpen: isOpenPage(visit),
    refusal: () => judgeRefusedPage(visit, twinOutcome),
    facts: (wanted, isPremise) => judgeFacts(scenarioRun, wanted, visit, isPremise),
  }
}

/** A page that opens, or sends the reader on to somewhere else. */
export function isOpenPage({ answer, url, location }: PageVisit): boolean {
  return isAccepted(answer) || (location !== null && new URL(location).origin !== new URL(url).origin)
}

/** A 4xx, or a page with nothing on it to buy with; the latter says something only of pages that sell when all is well. */
function judgeRefusedPage(visit: PageVisit, twinOutcome: PageVisit | null): Check {
  const actual = inWords(visit)
  if (isServerError(visit.answer)) return failure(actual)
  const byStatus = isRefused(visit.answer)
  if (!byStatus) {
    const offer = visit.content && isAccepted(visit.answer) ? sells(visit.content) : false
    if (offer === true) return failure(`${actual}, with a button to pay`)
    const unclear = offer === null && (visit.content?.forms.length ?? 0) > 0
    if (unclear) return notReadable(actual, 'the page shows an unknown kind of form')
  }
  if (!twinOutcome || !isOpenPage(twinOutcome))
    return unproven(actual, 'the same page was never seen open when nothing was wrong')
  if (byStatus || (twinOutcome.content && sells(twinOutcome.content))) return { verdict: 'pass', actual }
  return notReadable(actual, 'no button to pay was recognized on the page when nothing was wrong either')
}

function notReadable(actual: string, note: string): Check {
  return { verdict: 'not_run', reason: 'needs-dialect', actual, note }
}

function judgeFacts(
  scenarioRun: ScenarioRun,
  wanted: Record<string, Matcher>,
  visit: PageVisit,
  isPremise: boolean,
): Check | null {
  for (const [name, template] of Object.entries(wanted)) {
    if (!isPageFact(name)) throw new RangeError(`${name} is not a page fact`)
    const matcher = filled(scenarioRun, template as Template) as Matcher
    const found = factOf(visit, name)
    // It is enough that a buyer can pay here; how does not matter.
    const unclear = name === 'page.sells' && isAccepted(visit.answer) && !('value' in found && found.value === true)
    if (unclear && isPremise && matcher === true && sessionToPay(scenarioRun, visit)) continue
    if ('unknown' in found) return notReadable(`${name} is not known`, found.unknown)
    if (matches(found.value, matcher)) continue
    // A link, a frame or a word unknown to the runner may be the way to pay. On an error page it cannot be.
    if (name === 'page.sells' && found.value === false && isAccepted(visit.answer))
      return notReadable(inWords(visit), 'no button to pay was recognized on this page')
    return failure(
      `${inWords(visit)}; ${name} is ${shown(found.value)}`,
      `asked for: ${name} ${describeMatcher(matcher)}`,
    )
  }
  return null
}

/** A page in one line. */
function inWords({ answer, location, content }: PageVisit): string {
  if (!answer) return 'no answer'
  const title = content && content.title !== '' ? ` "${shown(content.title)}"` : ''
  return location === null ? `${answer.status}${title}` : `${answer.status} to ${shown(location.split('?')[0])}`
}

/**
 * The checkout session of this scenario that a page belongs to, where the target's staff can pay it: how a page is paid is open, so
 * that a button which the runner does not recognize need not be the end. Null elsewhere.
 */
export function sessionToPay(scenarioRun: ScenarioRun, page: PageVisit): OperatorArguments | null {
  if (!canOperate(scenarioRun.run.target, 'pay_checkout')) return null
  for (const { call, answer } of exchangesOf(scenarioRun)) {
    if (call.op !== 'checkout.create' || !answer || !isAccepted(answer)) continue
    const url = findValue(scenarioRun, answer, 'checkout.url')
    if (!url.found || url.value !== page.asked) continue
    const id = findValue(scenarioRun, answer, 'checkout.id')
    return { checkout_url: page.asked, ...(id.found ? { session_id: String(id.value) } : {}) }
  }
  return null
}

/** The same with its values filled in, where they can be had. */
export function expectationInWords(scenarioRun: ScenarioRun, expectation: Expectation, step: Step): string {
  return describeExpectation(filledWherePossible(scenarioRun, expectation as unknown as Template) as Expectation, step)
}

function filledWherePossible(scenarioRun: ScenarioRun, template: Template): unknown {
  if (typeof template === 'object' && template !== null) {
    const entries = Object.entries(template).map(([key, inner]) => [key, filledWherePossible(scenarioRun, inner)])
    return Array.isArray(template) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries)
  }
  try {
    return filled(scenarioRun, template)
  } catch {
    return template
  }
}

/**
 * An expectation in one line, as reports show it.
 *
 * @param step the one that expects it: it decides what is counted.
 * @example describeExpectation({ refused: 'price_mismatch' }) // 'refused: 422 price_mismatch'
 */
export function describeExpectation(expectation: Expectation, step: Step = {}): string {
  if (expectation.says !== undefined) return expectation.says
  const { items, among } = expectation
  const produced = producedBy(step)
  // The things that an expectation about several things names, in the plural.
  const counted =
    items ??
    (among === 'all' ? 'answers' : among && `${among.replace('_', ' ')} answers`) ??
    (produced === 'answers'
      ? 'accepted answers'
      : produced === 'events' || produced === 'deliveries'
        ? produced
        : 'items')
  // Roles are named as they are; a plain word takes an article.
  const about = { ...expectation, counted, of: items ?? `the ${counted}` }
  const wishes = wishesOf(expectation)
  const outcome = wishes.find(({ kind }) => 'outcome' in kind.judge)
  const told = wishes.filter((wish) => wish === outcome || !('outcome' in wish.kind.judge))
  return told.flatMap(({ kind, wanted }) => kind.words(wanted, about)).join('; ') || 'accepted (any 2xx)'
}
