import { isDeepStrictEqual } from 'node:util'
import type { QueryPair } from '../../contract/canonical-string.ts'
import type { ENDPOINTS, EndpointId } from '../../contract/endpoints.ts'
import { isObject } from '../../contract/is-object.ts'
import { namesALease, OF_A_LEASE, rowIdentity } from '../context/earlier-items.ts'
import { CURSOR_NAMES, limitName } from '../context/params.ts'
import type { CallExchange, ScenarioRun } from '../context/run.ts'
import { A_MOMENT_MS, converse } from '../context/send-call.ts'
import { nextPageNumber, PAGE_NAMES, pageNumber } from '../dialect/page-numbers.ts'
import {
  cursorPairs,
  flagOfMore,
  hintOfMore,
  isAddress,
  isInLastEntry,
  roleToTell,
  toldAddress,
} from '../dialect/place.ts'
import { type Found, ROLES, type RoleName } from '../format/roles.ts'
import type { CallStep, Step } from '../format/scenario.ts'
import { callOf, expectationsOf, expectsForbidden, LIST_OF, nextRoleOf } from '../format/step-facts.ts'
import { type Answer, isAccepted, isRefused } from '../http/exchange.ts'
import { keysOf } from '../http/json-body.ts'
import { isOpen, Open } from '../result/open.ts'
import { noteWith } from '../result/target-addition.ts'
import { callTo } from '../signing/sign-call.ts'
import { filledCall } from './call-plan.ts'

/** However long a list is, no more pages than this are read. */
const MAX_PAGES = 200

/** However long its pages are, no more entries than this are gathered. */
const MAX_ITEMS = 50_000

/**
 * Follows the cursor of a list, or the numbers of its pages, to its end and makes one answer of it: the first page, with the items of all
 * of them. A page that is refused, or whose connection broke, is what came of it. A row that comes in meanwhile moves the last one of a page
 * to the next page, so the list is read again where pages overlap, or lead back.
 *
 * @throws Open (not_run) if the runner does not know where this target shows a cursor, or how it takes one; Open (inconclusive) if the list
 *   does not end, or other pages overlap at each reading.
 */
export async function wholeList(scenarioRun: ScenarioRun, first: CallExchange): Promise<CallExchange> {
  const op = first.call.op as ListId
  let earlier: readonly (readonly string[])[] | null = null
  let reading = await followed(scenarioRun, first)
  for (let times = 1, timesBack = 0; ; times++) {
    if (reading === LEADS_BACK) {
      timesBack += 1
      if (timesBack === 2)
        throw Open.violating(
          PAGING_OF[op],
          `the cursor of ${op} leads back to a page that it came from`,
          'the list was followed twice, and a client that follows it never gets to its end',
        )
    } else {
      const { dialect } = scenarioRun.run
      const ids = reading.rows.map((page) => page.map((row) => rowIdentity(dialect, op, row)))
      const overlaps = ids.slice(1).map((page, index) => overlapOf(ids[index] as readonly string[], page))
      timesBack = 0
      // A history is followed by the id of an event. Where the same rows are on two pages again, that is how the target has them.
      const isAsItIs = op === 'events.list' || overlaps.every(({ length }) => length === 0)
      if (isAsItIs || isDeepStrictEqual(overlaps, earlier)) return reading.list
      earlier = overlaps
    }
    if (times === READINGS) throw Open.unproven('rows came into this list each time it was read')
    await scenarioRun.run.pause(A_MOMENT_MS)
    reading = await followed(scenarioRun, await converse(scenarioRun, first.call))
  }
}

/** As often a list is read while its pages overlap. */
const READINGS = 3

/** What a page ends with and the next one begins with. */
function overlapOf(before: readonly string[], page: readonly string[]): readonly string[] {
  const length = page.findIndex((_, index) => isDeepStrictEqual(before.slice(-index - 1), page.slice(0, index + 1))) + 1
  return page.slice(0, length)
}

/** What a list came to, and the rows of each of its pages. */
interface ListReading {
  readonly list: CallExchange
  readonly rows: readonly (readonly unknown[])[]
}

/** What a cursor leads to that has been followed before, with entries on its page. */
const LEADS_BACK = Symbol('leads back')

/** Which requirement says that each entry of a list can be read, once. */
const PAGING_OF: Record<ListId, string> = {
  'orders.list': 'ORD-08',
  'events.list': 'EVT-01',
  'settlements.list': 'SET-02',
  'transactions.list': 'TXN-01',
  'payouts.list': 'PAY-01',
  'brokerage.list': 'BRKL-01',
  'links.list': 'LINK-02',
  'me.sales': 'RPT-02',
  'me.commissions': 'RPT-03',
  'me.payouts': 'RPT-04',
}

type ListId = { [Id in EndpointId]: (typeof ENDPOINTS)[Id]['list'] extends null ? never : Id }[EndpointId]

async function followed(scenarioRun: ScenarioRun, first: CallExchange): Promise<ListReading | typeof LEADS_BACK> {
  const { op } = first.call
  const list = op === null ? undefined : LIST_OF[op]
  if (op === null || list === undefined) throw new RangeError('only an operation that lists something has pages')
  if (!isAccepted(first.answer)) return { list: first, rows: [] }
  const head = itemsOf(scenarioRun, list, first.answer)
  const pages: CallExchange[] = [first]
  const rows = [head.value]
  const seen = new Set<string>()
  let page = first
  const leadsTo = () => nextOf(scenarioRun, op, first.answer, page.answer)
  for (let next = leadsTo(); next !== null; next = leadsTo()) {
    if (seen.has(next)) {
      if (rows.at(-1)?.length) return LEADS_BACK
      break
    }
    if (seen.size === SHORT_PAGES) {
      const longer = await withLongPages(scenarioRun, first, head.value.length)
      if (longer) return asAskedFor(first, await followed(scenarioRun, longer))
    }
    if (seen.size >= MAX_PAGES) throw Open.unproven(`this list has more than ${MAX_PAGES} pages`)
    seen.add(next)
    page = await pageAfter(scenarioRun, first, next, head.value)
    if (!isAccepted(page.answer)) return { list: page, rows: [] }
    const more = itemsOf(scenarioRun, list, page.answer).value
    // A growing history may always name a next event.
    if (more.length === 0 && op === 'events.list') break
    pages.push(page)
    rows.push(more)
    if (rows.flat().length > MAX_ITEMS) throw Open.unproven(`this list has more than ${MAX_ITEMS} entries`)
  }
  if (seen.size > 0) return readingOf(first, head.at, pages, rows)
  if (nextPageNumber(first.answer, first.answer) === null) {
    stopIfPartOnly(scenarioRun, first)
    return { list: withAllItems(first, head.at, head.value), rows }
  }
  const { count = 0, last = count } = pageNumber(first.answer) ?? {}
  const longer = last > SHORT_PAGES ? await withLongPages(scenarioRun, first, head.value.length) : null
  const numbered = await numberedPages(scenarioRun, longer ?? first)
  const ofAll = numbered.map(({ answer }) => itemsOf(scenarioRun, list, answer as Answer).value)
  return asAskedFor(first, readingOf(longer ?? first, head.at, numbered, ofAll))
}

function readingOf(
  first: CallExchange,
  at: string,
  pages: readonly CallExchange[],
  rows: ListReading['rows'],
): ListReading {
  const lengths = pages.map(({ id }, page): [string, number] => [id, rows[page]?.length ?? 0])
  return { list: { ...withAllItems(first, at, rows.flat()), pages: lengths }, rows }
}

/** What was read in longer pages is the answer to the call all the same. */
function asAskedFor({ call }: CallExchange, reading: ListReading | typeof LEADS_BACK): ListReading | typeof LEADS_BACK {
  return reading === LEADS_BACK ? reading : { ...reading, list: { ...reading.list, call } }
}

/** A list that has gone on for so many pages is read in long ones. */
const SHORT_PAGES = 5

/** What most services take for the length of a page. */
const LONG_PAGE = '100'

/**
 * The first page of the same list again, as long as services usually allow: a list with a long past takes few calls then. From its
 * beginning, since what leads to a next page may count pages. Null where a call has a length of its own, or the target does not give more.
 */
async function withLongPages(
  scenarioRun: ScenarioRun,
  first: CallExchange,
  usual: number,
): Promise<CallExchange | null> {
  const op = first.call.op as EndpointId
  const { shortPages } = scenarioRun.run.dialect
  if (op === 'events.list' || shortPages.has(op)) return null
  const name = await limitName(scenarioRun.run, op)
  if (name === null) shortPages.add(op)
  if (name === null || first.call.query.some(([key]) => key === name)) return null
  const longer = await ask(scenarioRun, first, [...first.call.query, [name, LONG_PAGE]])
  const list = LIST_OF[op] as RoleName
  if (isAccepted(longer.answer) && itemsOf(scenarioRun, list, longer.answer).value.length > usual) return longer
  shortPages.add(op)
  return null
}

/** @throws Open (not_run) if the runner finds no name for the number. */
async function numberedPages(scenarioRun: ScenarioRun, first: CallExchange): Promise<CallExchange[]> {
  const pages = [first]
  let page = first
  const behind = () => first.answer && page.answer && nextPageNumber(first.answer, page.answer)
  for (let next = behind(); next !== null; next = behind()) {
    if (next > MAX_PAGES) throw Open.unproven(`this list has more than ${MAX_PAGES} pages`)
    page = await pageOfNumber(scenarioRun, first, next)
    pages.push(page)
  }
  stopIfPartOnly(scenarioRun, page)
  return pages
}

/** @throws Open (not_run) if no usual name of a parameter leads to it. */
async function pageOfNumber(scenarioRun: ScenarioRun, first: CallExchange, number: number): Promise<CallExchange> {
  for (const name of PAGE_NAMES) {
    const others = first.call.query.filter(([known]) => known !== name)
    const exchange = await ask(scenarioRun, first, [...others, [name, String(number)]])
    if (isAccepted(exchange.answer) && pageNumber(exchange.answer)?.page === number) return exchange
  }
  throw Open.notRun('needs-dialect', `no name was found for the number of a page of ${first.call.op}`)
}

function itemsOf(
  scenarioRun: ScenarioRun,
  list: RoleName,
  answer: Answer,
): Extract<Found<readonly unknown[]>, { found: true }> {
  const found = scenarioRun.run.dialect.find<readonly unknown[]>(list, answer)
  if (found.found) return found
  if (found.documented) throw Open.lacking(list, found.detail)
  throw Open.notRun('needs-dialect', found.detail)
}

/**
 * The first page of a list proves nothing about the list: what is missing there may come later.
 *
 * @throws Open (not_run) if a page that leads nowhere says that its list goes on, or has what may lead on.
 */
function stopIfPartOnly({ run: { dialect } }: ScenarioRun, { call, answer }: CallExchange): void {
  const op = call.op as EndpointId
  const role = nextRoleOf(op)
  if (ROLES[role].documented) return
  const flag = flagOfMore(answer?.json)
  const isKnown = toldAddress(dialect.settings.roles, role, op) !== undefined || dialect.cursorNames.has(op)
  const isNumbered = answer !== null && pageNumber(answer) !== null
  const sent = call.query.map(([, value]) => value)
  const at = flag ?? (isKnown || isNumbered ? null : hintOfMore(answer?.json, sent, answer?.headers))
  if (at === null) return
  const says = flag === null ? `may go on (${at} may lead to its next page)` : `goes on (${at} is true)`
  const note = `the list of ${op} ${says}, and no ${role} was found that leads to the rest`
  throw Open.notRun('needs-dialect', noteWith(note, roleToTell(role, op)))
}

/** Null at the end of the list. */
function nextOf(scenarioRun: ScenarioRun, op: EndpointId, first: Answer | null, answer: Answer | null): string | null {
  if (!first || !answer) return null
  const found = scenarioRun.run.dialect.find(nextRoleOf(op), answer)
  // A value that is not text (a list of links, a flag) is not a cursor.
  if (!found.found || (typeof found.value !== 'string' && typeof found.value !== 'number')) return null
  // Nor is the number of the next page: rows that come in meanwhile move others to it.
  const isNumber = NEXT_PAGE.test(found.at) && String(found.value) === String(nextPageNumber(first, answer))
  return found.value === '' || isNumber ? null : String(found.value)
}

const NEXT_PAGE = /next[-_]?page(?:[-_]?(?:number|no))?$/i

async function pageAfter(
  scenarioRun: ScenarioRun,
  first: CallExchange,
  next: string,
  before: readonly unknown[],
): Promise<CallExchange> {
  const { call } = first
  // Some services give the whole address of the next page.
  if (isAddress(next)) return ask(scenarioRun, first, cursorPairs(next))
  const op = call.op as EndpointId
  const { params } = scenarioRun.run.dialect.settings
  const configured =
    op === 'events.list' ? 'after_id' : op === 'orders.list' ? params['orders.cursor'] : params['reports.cursor']
  const known = configured ?? scenarioRun.run.dialect.cursorNames.get(op)
  // A list that began after one entry continues after another.
  const others = (name: string) => call.query.filter(([known]) => known !== name)
  const withCursor = (name: string) => ask(scenarioRun, first, [...others(name), [name, next]])
  if (known !== undefined) return withCursor(known)
  const cursor = scenarioRun.run.dialect.find(nextRoleOf(op), first.answer as Answer)
  const isGuess = cursor.found && isInLastEntry(cursor.at)
  for (const name of CURSOR_NAMES) {
    const exchange = await withCursor(name)
    const list = LIST_OF[op] as RoleName
    if (!isAccepted(exchange.answer)) continue
    const { value: items } = itemsOf(scenarioRun, list, exchange.answer)
    // The page says that more follows: one without entries is read under a name that means something else.
    if (isSamePage(before, items) || (isGuess && items.length === 0)) continue
    scenarioRun.run.dialect.cursorNames.set(op, name)
    return exchange
  }
  if (isGuess) stopIfPartOnly(scenarioRun, first)
  const param = op === 'orders.list' ? 'orders.cursor' : 'reports.cursor'
  const addition = { dialect: { params: { [param]: 'NAME' } } }
  throw Open.notRun('needs-dialect', noteWith(`no name was found for the cursor of ${op}`, addition))
}

/** Whether a page is the one before, with rows that have come in meanwhile: its first row is there again, or several others. */
function isSamePage(before: readonly unknown[], items: readonly unknown[]): boolean {
  const texts = before.map((item) => JSON.stringify(item))
  const again = items.map((item) => texts.indexOf(JSON.stringify(item))).filter((at) => at !== -1)
  return again.length > 1 || again.includes(0)
}

function ask(scenarioRun: ScenarioRun, { call }: CallExchange, query: readonly QueryPair[]): Promise<CallExchange> {
  return converse(scenarioRun, { ...call, query })
}

function withAllItems(first: CallExchange, at: string, items: readonly unknown[]): CallExchange {
  const answer = first.answer as Answer
  return { ...first, answer: { ...answer, json: withItems(answer.json, keysOf(at), items) } }
}

/** The first answer with another list in place of its own, which an empty one may lack. */
function withItems(json: unknown, [key, ...rest]: readonly string[], items: readonly unknown[]): unknown {
  if (key === undefined) return items
  if (Array.isArray(json)) return json.map((item, at) => (String(at) === key ? withItems(item, rest, items) : item))
  const holder = json ?? {}
  return isObject(holder) ? { ...holder, [key]: withItems(holder[key], rest, items) } : json
}

/**
 * Reads the rows that are on the target before a scenario begins, if it looks for one by the name of a domain that it will sell.
 * A name that an earlier run or another caller has sold may be for sale again. Lists which need no name are read once, as long as this
 * run has not sold it.
 */
export async function readPast(scenarioRun: ScenarioRun): Promise<ScenarioRun['past']> {
  const past = new Map<EndpointId, ReadonlySet<string> | null>()
  for (const step of scenarioRun.scenario.steps) {
    const call = callOf(step)
    if (call?.op === undefined || !looksForALease(step, call)) continue
    const rows = await rowsBefore(scenarioRun, step, { op: call.op, query: queryByLease(call), all_pages: true })
    const known = past.get(call.op)
    past.set(call.op, rows && known !== null ? new Set([...(known ?? []), ...rows]) : null)
  }
  return past
}

/** The query of a call as far as it names a domain that the scenario sells. */
function queryByLease({ query }: CallStep): Record<string, string> {
  const pairs = Array.isArray(query) ? query : Object.entries(query ?? {})
  return Object.fromEntries(pairs.filter(([, value]) => String(value).includes(OF_A_LEASE))) as Record<string, string>
}

/** Whether a step finds rows of a list by the name of a domain that the scenario sells. */
function looksForALease(step: Step, call: CallStep): boolean {
  if (call.op === undefined || call.op === 'events.list' || LIST_OF[call.op] === undefined) return false
  return Object.keys(queryByLease(call)).length > 0 || expectationsOf(step).some(namesALease)
}

function rowsBefore(scenarioRun: ScenarioRun, step: Step, call: CallStep & { op: EndpointId }) {
  const { past } = scenarioRun.run
  const credential = scenarioRun.run.credentials.pick(step.as, expectsForbidden(step))
  // The query of a call is a template here: two calls of one scenario may ask for different domains of it.
  const asked = Object.values(call.query ?? {})
  const names = asked.length > 0 ? scenarioRun.leases.map(({ domain }) => domain) : []
  const key = [call.op, credential.name, ...names, ...asked].join(' ')
  const isSecondHand = scenarioRun.leases.some((lease) => lease.isSecondHand)
  // A bad moment of the target says nothing for the scenarios that follow.
  const onFailure = () => past.delete(key)
  const rows = (isSecondHand ? undefined : past.get(key)) ?? readRows(scenarioRun, credential, call, onFailure)
  rows.catch(onFailure)
  past.set(key, rows)
  return rows
}

async function readRows(
  scenarioRun: ScenarioRun,
  credential: ScenarioRun['run']['credentials']['main'],
  call: CallStep & { op: EndpointId },
  onFailure: () => void,
): Promise<ReadonlySet<string> | null> {
  const { op } = call
  const { dialect } = scenarioRun.run
  const read = await filledCall(scenarioRun, call, credential).catch(unlessNotRun(callTo(op, credential)))
  const first = await converse(scenarioRun, read)
  // If the runner does not know how to reach the next page, the scenario will not get there either.
  const reading = await followed(scenarioRun, first).catch(unlessNotRun<ListReading>({ list: first, rows: [] }))
  // Which rows are there counts, and not how often.
  const { answer } = reading === LEADS_BACK ? first : reading.list
  if (!isAccepted(answer)) {
    if (!isRefused(answer) || answer.status === 429) onFailure()
    return null
  }
  return new Set(dialect.entriesOf(answer).map((item) => rowIdentity(dialect, op, item)))
}

function unlessNotRun<Value>(otherwise: Value): (error: unknown) => Value {
  return (error) => {
    if (isOpen(error, 'not_run')) return otherwise
    throw error
  }
}
