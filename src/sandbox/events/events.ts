import { formatInstant } from '../../clock/instant.ts'
import { ApiError } from '../../contract/errors.ts'
import type { EventType } from '../../contract/event-types.ts'
import { type Db, nextSequence } from '../../storage/db.ts'
import { conditionsOf, storedRows } from '../../storage/rows.ts'
import type { PartnerEvent, World } from '../kernel/world.ts'

/** Which events: those after or before a position, oldest or newest first. */
interface EventQuery {
  /** Left out or null for all partners. */
  partnerId?: string | null | undefined
  type?: EventType | undefined
  limit: number
}

/** A row as it is selected: its id is its number. */
type EventRow = Omit<PartnerEvent, 'id'>

const EVENTS = storedRows<EventRow>()('events', ['seq', 'partnerId', 'type', 'createdAtMs', 'data'])

/** Writes an event into the history, within the transaction of the change that it is about (EVT-03). */
export function recordEvent(
  world: World,
  event: { partnerId: string; type: EventType; data: Record<string, unknown> },
): PartnerEvent {
  const recorded = recordInHistory(world, event)
  world.onEvent(world, recorded)
  return recorded
}

/** Writes an event into the history alone: no webhook follows. */
export function recordInHistory(
  world: World,
  event: { partnerId: string; type: PartnerEvent['type']; data: Record<string, unknown> },
): PartnerEvent {
  const seq = nextSequence(world.db, 'events')
  const recorded: PartnerEvent = {
    seq,
    id: world.chance.id('event', seq),
    partnerId: event.partnerId,
    type: event.type,
    createdAtMs: world.clock.nowMs(),
    data: JSON.stringify(event.data),
  }
  EVENTS.insert(world.db, recorded)
  return recorded
}

function withId({ chance }: World, row: EventRow): PartnerEvent {
  // The row is fresh: nothing needs to be copied.
  return Object.assign(row, { id: chance.id('event', row.seq) })
}

function eventById(world: World, id: string): EventRow | null {
  const seq = world.chance.numberOf('event', id)
  return seq === null ? null : (EVENTS.where(world.db, 'seq = ?').get(seq) ?? null)
}

/**
 * A page of a partner's history, oldest first (EVT-01, EVT-02), after an event if one is given: unknown and foreign ids look
 * the same (EVT-04).
 */
export function eventHistory(
  world: World,
  partnerId: string,
  page: { afterId?: string | undefined; limit: number },
): { events: PartnerEvent[]; hasMore: boolean } {
  let afterSeq = 0
  if (page.afterId !== undefined) {
    const start = eventById(world, page.afterId)
    if (start?.partnerId !== partnerId) {
      const unknown = world.gaps['unknown-after-id']
      if (unknown === 'an empty page') return { events: [], hasMore: false }
      throw new ApiError(unknown, 'after_id is not an event of this history')
    }
    afterSeq = start.seq
  }
  const found = allEvents(world, { partnerId, afterSeq, limit: page.limit + 1 })
  return { events: found.slice(0, page.limit), hasMore: found.length > page.limit }
}

const fitting = conditionsOf<EventQuery & { afterSeq?: number; beforeSeq?: number }>(
  'seq > @afterSeq',
  'seq < @beforeSeq',
  'partner_id = @partnerId',
  'type = @type',
)

/** Events for the operator, oldest first, of any partner or type unless one is given. */
export function allEvents(world: World, page: EventQuery & { afterSeq: number }): PartnerEvent[] {
  return EVENTS.where(world.db, `${fitting(page)} ORDER BY seq LIMIT @limit`)
    .all(page)
    .map((row) => withId(world, row))
}

/** The same, newest first, of those before a position. */
export function latestEvents(world: World, page: EventQuery & { beforeSeq: number }): PartnerEvent[] {
  return EVENTS.where(world.db, `${fitting(page)} ORDER BY seq DESC LIMIT @limit`)
    .all(page)
    .map((row) => withId(world, row))
}

export function findEvent(world: World, id: string): PartnerEvent | null {
  const row = eventById(world, id)
  return row && withId(world, row)
}

/** The position of the latest event; give it to {@link allEvents} to read what comes after. */
export function lastEventSeq(world: World): number {
  return nextSequence(world.db, 'events') - 1
}

/** A state that an order or a case has reached. */
export interface TimelineEntry<State extends string> {
  status: State
  atMs: number
  eventSeq: number | null
  note: string | null
}

/** An order or a case in the state that it has reached. */
interface Moved<State extends string> {
  seq: number
  partnerId: string
  status: State
  updatedAtMs: number
}

/** The event that reports it, null for none, and the reason in the words of the operator or the rule. */
interface Why {
  event: EventType | null
  data: Record<string, unknown>
  note: string | null
}

const SILENT: Why = { event: null, data: {}, note: null }

/** The timelines of all orders, or of all cases: one table. */
export class Timelines<State extends string> {
  readonly #insertion: string
  readonly #selection: string
  readonly #selectionOfMany: string

  /** @param owner the column that says whose state it is. */
  constructor(table: 'order_timeline' | 'brokerage_timeline', owner: string) {
    this.#insertion = `INSERT INTO ${table} (${owner}, position, status, at, event_seq, note)
      SELECT @seq, coalesce(max(position), 0) + 1, @status, @atMs, @eventSeq, @note FROM ${table} WHERE ${owner} = @seq`
    this.#selection = `SELECT status, at AS atMs, event_seq AS eventSeq, note FROM ${table}
      WHERE ${owner} = ? ORDER BY position`
    this.#selectionOfMany = `SELECT ${owner}, status, at, event_seq, note FROM ${table}
      WHERE ${owner} IN (SELECT value FROM json_each(?)) ORDER BY ${owner}, position`
  }

  /** Oldest first. */
  of(db: Db, seq: number): TimelineEntry<State>[] {
    return db.statement<TimelineEntry<State>>(this.#selection).all(seq)
  }

  /** Those of a page, read at once. */
  ofAll(db: Db, owners: readonly { seq: number }[]): Map<number, TimelineEntry<State>[]> {
    const found = new Map(owners.map(({ seq }): [number, TimelineEntry<State>[]] => [seq, []]))
    const rows = db
      .statement<[number, State, number, number | null, string | null]>(this.#selectionOfMany)
      .raw()
      .all(JSON.stringify([...found.keys()]))
    for (const [seq, status, atMs, eventSeq, note] of rows) found.get(seq)?.push({ status, atMs, eventSeq, note })
    return found
  }

  /** Adds the state that one has reached or begins in, with its event if there is one. */
  record(world: World, moved: Moved<State>, { event, data, note }: Why = SILENT): void {
    const { seq, partnerId, status, updatedAtMs: atMs } = moved
    const eventSeq = event && recordEvent(world, { partnerId, type: event, data }).seq
    world.db.statement(this.#insertion).run({ seq, status, atMs, eventSeq, note })
  }
}

export function presentTimeline<State extends string>({ chance }: World, entries: readonly TimelineEntry<State>[]) {
  return entries.map(({ status, atMs, eventSeq, note }) => ({
    status,
    at: formatInstant(atMs),
    event_id: eventSeq === null ? null : chance.id('event', eventSeq),
    note,
  }))
}
