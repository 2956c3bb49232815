import { isAccepted, statusWord } from './answer.ts'
import type { Speaker } from './campaign.ts'
import { converse } from './conversation.ts'
import { findRole } from './dialect.ts'
import { atPath, isObject } from './json-body.ts'
import { Unproven } from './signals.ts'
import { endpointOf } from './steps.ts'
import type { TargetCredential } from './target.ts'
import { noteWorldTime } from './target-clock.ts'

/** One event, with its place in the order in which the run came to know it. */
export interface HistoryEvent {
  id: string
  type: string
  json: unknown
  position: number
}

/** The event history of one credential: what was really recorded, whatever the answers said. */
export interface History {
  /** Reads on to the end and says how many events are known. */
  refresh(speaker: Speaker): Promise<{ known: number; exchange: string | null }>
  since(position: number): readonly HistoryEvent[]
}

export interface EventBook {
  of(credential: TargetCredential): History
}

export function createEventBook(): EventBook {
  const histories = new Map<string, History>()
  return {
    of(credential) {
      const known = histories.get(credential.name) ?? createHistory(credential)
      histories.set(credential.name, known)
      return known
    },
  }
}

/** However long a history is, no refresh reads more pages than this. */
const MAX_PAGES = 500

interface Page {
  events: readonly unknown[]
  next: string | null
  exchange: string
}

/**
 * Reads a history page by page. It relies on little: the page it ended on is read again each time, events are told
 * apart by id, and a page that brings nothing new ends the reading, so that order within a page, an inclusive
 * cursor or a missing last cursor do not matter.
 */
export function createHistory(credential: TargetCredential): History {
  const events: HistoryEvent[] = []
  const ids = new Set<string>()
  let from: string | null = null
  let newestFirst = false
  let lastExchange: string | null = null
  let reading: Reading = { fromMs: 0, beforeMs: 0 }

  const add = (speaker: Speaker, page: Page): number => {
    const before = events.length
    const fresh = page.events.filter((json) => isObject(json) && typeof json.id === 'string' && !ids.has(json.id))
    if (isDescending(page.events)) newestFirst = true
    for (const json of newestFirst ? [...fresh].reverse() : fresh) {
      const event = json as { id: string; type?: unknown }
      ids.add(event.id)
      events.push({ id: event.id, type: String(event.type ?? ''), json, position: events.length })
      noteLag(speaker, json, reading)
    }
    return events.length - before
  }

  const readOn = async (speaker: Speaker): Promise<void> => {
    let cursor = newestFirst ? null : from
    reading = { fromMs: speaker.campaign.wall.nowMs(), beforeMs: reading.fromMs }
    const visited = new Set<string | null>()
    for (let pages = 0; pages < MAX_PAGES && !visited.has(cursor); pages++) {
      visited.add(cursor)
      const page = await readPage(speaker, credential, cursor)
      lastExchange = page.exchange
      const added = add(speaker, page)
      if (page.events.length > 0 && !newestFirst) from = cursor
      if (page.events.length === 0 || page.next === null || (newestFirst && added === 0)) return
      cursor = page.next
    }
  }

  // A refresh must begin after it was asked for, but those that wait for one may share the next.
  let running: Promise<void> | null = null
  let waiting: Promise<void> | null = null
  const refresh = async (speaker: Speaker): Promise<void> => {
    if (!running) {
      running = readOn(speaker).finally(() => {
        running = null
      })
      return running
    }
    waiting ??= running
      .catch(() => undefined)
      .then(() => {
        waiting = null
        return refresh(speaker)
      })
    return waiting
  }

  return {
    async refresh(speaker) {
      await refresh(speaker)
      return { known: events.length, exchange: lastExchange }
    },
    since: (position) => events.slice(position),
  }
}

/** When this reading of a history began, and the one before it. */
interface Reading {
  fromMs: number
  beforeMs: number
}

/**
 * How long an order of this run took to get here, at most. Only a reading that missed it tells that it was late; that
 * nobody looked for a while does not.
 */
function noteLag({ campaign }: Speaker, json: unknown, { beforeMs }: Reading): void {
  // What happens to an order later has a time of its own, which the runner does not know.
  if (atPath(json, 'type') !== 'order.recorded') return
  const { learnt, wall } = campaign
  const recordedAtMs = learnt.recordedAtMs.get(String(atPath(json, 'data.order.public_id')))
  if (recordedAtMs === undefined) return
  noteWorldTime(campaign, atPath(json, 'created_at'))
  const lagMs = beforeMs > recordedAtMs ? wall.nowMs() - recordedAtMs : 0
  learnt.historyLagMs = Math.max(learnt.historyLagMs ?? 0, lagMs)
}

/** A page size most services allow; where one does not, its own is taken. */
const PAGE_SIZE = '100'
const refusesPageSize = new WeakSet<object>()

async function readPage(speaker: Speaker, credential: TargetCredential, after: string | null): Promise<Page> {
  const { method, path } = endpointOf('events.list')
  const sized = !refusesPageSize.has(speaker.campaign)
  const query: [string, string][] = [
    ...(after === null ? [] : [['after_id', after] as [string, string]]),
    ...(sized ? [['limit', PAGE_SIZE] as [string, string]] : []),
  ]
  const turn = await converse(speaker, { op: 'events.list', plan: { method, path, query }, credential })
  if (sized && turn.answer?.status === 400) {
    refusesPageSize.add(speaker.campaign)
    return readPage(speaker, credential, after)
  }
  if (!isAccepted(turn.answer)) {
    throw new Unproven(`the event history cannot be read (${statusWord(turn.answer)})`)
  }
  const { roles } = speaker.campaign.target.dialect
  const ground = { json: turn.answer.json, op: 'events.list' as const, headers: turn.answer.headers }
  const list = findRole(roles, 'events.items', ground)
  if (!list.found || !Array.isArray(list.value)) throw new Unproven('the answer of the event history has no events')
  const next = findRole(roles, 'events.next', ground)
  return {
    events: list.value,
    next: next.found && next.value !== '' ? String(next.value) : null,
    exchange: turn.exchange.id,
  }
}

function isDescending(events: readonly unknown[]): boolean {
  const times = events.map((event) => Date.parse(String(atPath(event, 'created_at'))))
  const first = times[0]
  const last = times.at(-1)
  return first !== undefined && last !== undefined && first > last
}

/**
 * Whether an event has all of these values. A path that leads nowhere is tried below `data` as well, so that
 * `order.domain` means `data.order.domain`.
 */
export function eventHas(event: HistoryEvent, where: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(where).every(([path, value]) => String(eventValue(event, path)) === String(value))
}

export function eventValue(event: HistoryEvent, path: string): unknown {
  // What the receiver knows of a delivery stands beside the envelope, so that nothing in it can pretend to be that.
  if (path.startsWith('delivery.')) return atPath(event, path)
  return atPath(event.json, path) ?? atPath(event.json, `data.${path}`)
}
