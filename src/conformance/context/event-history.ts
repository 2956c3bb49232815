import { isObject } from '../../contract/is-object.ts'
import { instantMs, isSame } from '../format/values.ts'
import { type Answer, isAccepted, statusWord } from '../http/exchange.ts'
import { atPath } from '../http/json-body.ts'
import { Open } from '../result/open.ts'
import { callTo } from '../signing/sign-call.ts'
import type { TargetCredential } from '../target/target.ts'
import { type CallExchange, type Caller, type History, type HistoryEvent, noteWorldTime } from './run.ts'
import { A_MOMENT_MS, converse, probe } from './send-call.ts'

/** A history may go on for so many pages with nothing new on them, and where there is, so many times as long. */
const MAX_PAGES = 500
const MOST_WALKS = 20

interface Page {
  events: readonly unknown[]
  next: string | null
  exchange: string
}

/** A part of a history that was read in one go. */
interface Walk {
  /** What was new, page by page, the oldest of each page first. */
  readonly fresh: Fresh[][]
  /** Ids of all that was on its pages. */
  readonly ids: Set<string>
  /** The cursor of the last page that had anything on it. */
  last: string | null
  /** Whether it led to where nothing new follows. */
  ended: boolean
  /** Whether the target does not take the cursor any more that it was to begin with. */
  isLost: boolean
}

type Fresh = Pick<HistoryEvent, 'id' | 'type' | 'json' | 'shownIn'>

function walkFrom(cursor: string | null): Walk {
  return { fresh: [], ids: new Set(), last: cursor, ended: false, isLost: false }
}

/**
 * Reads a history page by page. It relies on little: it distinguishes events by id, and follows `next_cursor` as long as it
 * leads to something new. New events may be after the last page or on the first one. Their place shows which, never the
 * order within a page; until an event has shown it, both ends are read.
 */
export function createHistory(credential: TargetCredential): History {
  const events: HistoryEvent[] = []
  const known = new Set<string>()
  let tail: string | null = null
  let readWhole = false
  let lastExchange: string | null = null
  let readAt: ReadAt = { latestMs: 0, beforeMs: 0 }
  let running: Promise<void> = Promise.resolve()
  let waiting: Promise<void> | null = null

  /** Follows the cursors, and takes over what is new. An unreadable page does not lose those before it. */
  const follow = async (caller: Caller, walk: Walk, isEnough: (fresh: Walk['fresh']) => boolean): Promise<void> => {
    const visited = new Set<string | null>()
    try {
      for (let cursor = walk.last; !walk.ended && visited.size < MAX_PAGES; ) {
        visited.add(cursor)
        const page = await readPage(caller, credential, cursor, visited.size === 1)
        walk.isLost = page === null
        if (page === null) return
        lastExchange = page.exchange
        const fresh = freshOf(page, known, walk)
        walk.fresh.push(isDescending(page.events) ? fresh.reverse() : fresh)
        if (page.events.length > 0) walk.last = cursor
        walk.ended = page.events.length === 0 || page.next === null || visited.has(page.next) || isEnough(walk.fresh)
        cursor = page.next
      }
    } finally {
      const pages = walk.fresh.filter(({ length }) => length > 0)
      if (isDescending(pages.map(([first]) => first?.json))) pages.reverse()
      for (const event of pages.flat()) {
        events.push({ ...event, position: events.length })
        noteHistoryLag(caller, event.json, readAt)
      }
    }
  }

  const fromTail = async (caller: Caller, isEnough: (fresh: Walk['fresh']) => boolean): Promise<Walk> => {
    const walk = walkFrom(tail)
    await follow(caller, walk, isEnough).finally(() => {
      tail = walk.isLost ? null : walk.last
    })
    return walk
  }

  const readOn = async (caller: Caller): Promise<void> => {
    readAt = { latestMs: caller.run.wall.nowMs(), beforeMs: readAt.latestMs }
    // As long as all of it is on one page, that page is both ends.
    const hasTwoEnds = readWhole && tail !== null
    const { pace } = caller.run
    const isNewest = hasTwoEnds && pace.historyGrowsAt === 'head'
    const before = events.length
    if (!isNewest) {
      // The page that it begins with may hold nothing new, and an inclusive cursor leads to one such page more.
      const isEnough = (fresh: Walk['fresh']) => readWhole && fresh.length > 2 && fresh.slice(-2).flat().length === 0
      let walk = await fromTail(caller, isEnough)
      // Read from its beginning again, what is new is behind all that is known, or before it.
      const { isLost } = walk
      for (let walks = 1; walks < MOST_WALKS && (walk.isLost || (!walk.ended && walk.fresh.flat().length > 0)); walks++)
        walk = await fromTail(caller, isLost ? () => false : isEnough)
      if (!walk.ended)
        throw Open.unproven(
          `the event history goes on for ${MAX_PAGES} pages with nothing new, or for ${MOST_WALKS * MAX_PAGES} in all, so its end was not reached`,
        )
      if (hasTwoEnds && !isLost && events.length > before) pace.historyGrowsAt = 'tail'
    }
    readWhole = true
    if (!hasTwoEnds || pace.historyGrowsAt === 'tail') return
    const head = walkFrom(null)
    await follow(caller, head, (fresh) => fresh.at(-1)?.length === 0)
    const atHead = head.fresh.flat()
    if (isNewest || atHead.length === 0) return
    const behindTail = walkFrom(tail)
    await follow(caller, behindTail, (fresh) => fresh.length > 2)
    if (behindTail.isLost) return
    // Events that arrive at the end while the head is read are also after the tail, so they show nothing.
    if (atHead.every(({ id }) => !behindTail.ids.has(id))) pace.historyGrowsAt = 'head'
  }

  return {
    async refresh(caller) {
      // A reading must begin after it was asked for, but those that wait for one may share the next.
      waiting ??= running
        .catch(() => undefined)
        .then(() => {
          waiting = null
          running = readOn(caller)
          return running
        })
      await waiting
      return { known: events.length, exchange: lastExchange }
    },
    since: (position) => events.slice(position),
  }
}

/** The events of a page that were not known. */
function freshOf(page: Page, known: Set<string>, { ids }: Walk): Fresh[] {
  const fresh: Fresh[] = []
  for (const json of page.events) {
    if (!isObject(json) || typeof json.id !== 'string') continue
    ids.add(json.id)
    if (!known.has(json.id)) fresh.push({ id: json.id, type: String(json.type ?? ''), json, shownIn: page.exchange })
    known.add(json.id)
  }
  return fresh
}

/** When the latest reading of a history began, and the one before it. */
interface ReadAt {
  latestMs: number
  beforeMs: number
}

/**
 * How long an order of this run took to get here, at most. Only a reading that missed it shows that it was late; a time
 * without any reading does not.
 */
function noteHistoryLag({ run }: Caller, json: unknown, { beforeMs }: ReadAt): void {
  // The time of later changes to an order is unknown to the runner.
  if (atPath(json, 'type') !== 'order.recorded') return
  const { pace, wall } = run
  const recordedAtMs = pace.recordedAtMs.get(String(atPath(json, 'data.order.public_id')))
  if (recordedAtMs === undefined) return
  noteWorldTime(run, atPath(json, 'created_at'))
  const lagMs = beforeMs > recordedAtMs ? wall.nowMs() - recordedAtMs : 0
  pace.historyLagMs = Math.max(pace.historyLagMs ?? 0, lagMs)
}

/** Page sizes, the best first; undefined is the target's own. */
const PAGE_SIZES = [100, 50, 20, 10, 5, undefined]

/**
 * @param isKept whether the cursor is from an earlier reading: how long a target takes it is open, and a clock may have been moved.
 * @returns null where such a cursor is refused.
 */
async function readPage(
  caller: Caller,
  credential: TargetCredential,
  after: string | null,
  isKept: boolean,
): Promise<Page | null> {
  const { run } = caller
  let at = run.pace.historyPageSize
  let exchange: CallExchange
  for (; ; at++) {
    const size = PAGE_SIZES[at]
    const query: [string, string][] = []
    if (after !== null) query.push(['after_id', after])
    if (size !== undefined) query.push(['limit', String(size)])
    exchange = await converse(caller, callTo('events.list', credential, query))
    if (exchange.answer?.status !== 400 || at === PAGE_SIZES.length - 1) break
  }
  if (isAccepted(exchange.answer)) run.pace.historyPageSize = at
  if (!isAccepted(exchange.answer)) {
    if (isKept && after !== null && refusesReading(exchange.answer)) return null
    const refusal = await refusedTwice(caller, exchange)
    if (refusal) throw refusal
    throw Open.unproven(`the event history cannot be read (${statusWord(exchange.answer)})`)
  }
  const list = run.dialect.find('events.items', exchange.answer)
  if (!list.found || !Array.isArray(list.value)) throw Open.unproven('the answer of the event history has no events')
  const next = run.dialect.find('events.next', exchange.answer)
  return {
    events: list.value,
    next: next.found && next.value !== '' ? String(next.value) : null,
    exchange: exchange.id,
  }
}

/** Refusals of a reading as such, not of the caller. */
const REFUSES_READING = [400, 404, 409, 410, 422]

function refusesReading(answer: Answer | null): answer is Answer {
  return answer !== null && REFUSES_READING.includes(answer.status)
}

/** A history that refuses a cursor of its own, or a reading without any, keeps events out of reach. Null for one bad moment. */
async function refusedTwice(caller: Caller, { call, answer }: CallExchange): Promise<Open | null> {
  if (!refusesReading(answer)) return null
  await caller.run.pause(A_MOMENT_MS)
  const again = await converse(caller, call)
  if (again.answer?.status !== answer.status || !isAccepted(await probe(caller, call.credential))) return null
  const seen = `the event history was answered ${statusWord(answer)} twice to a valid reading`
  return Open.violating('EVT-01', seen, 'an ordinary read was accepted between, so events are out of reach', again.id)
}

function isDescending(events: readonly unknown[]): boolean {
  const times = events.map((event) => instantMs(String(atPath(event, 'created_at'))))
  const first = times[0]
  const last = times.at(-1)
  return first !== undefined && last !== undefined && first > last
}

/**
 * Whether an event has all of these values. A path that leads nowhere is tried below `data` as well, so that
 * `order.domain` means `data.order.domain`.
 */
export function eventHas(event: HistoryEvent, where: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(where).every(([path, value]) => isSame(String(eventValue(event, path)), String(value)))
}

export function eventValue(event: HistoryEvent, path: string): unknown {
  // What the receiver knows of a delivery is next to the envelope, so that nothing in it can pretend to be that.
  if (path.startsWith('delivery.')) return atPath(event, path)
  return atPath(event.json, path) ?? atPath(event.json, `data.${path}`)
}
