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
  world.onEvent(recorded)
  return recorded
}

/** Writes an event into the history alone: no webhook follows. */
export function recordInHistory(
  world: World,
  event: { partnerId: string; type: PartnerEvent['type']; data: Record<string, unknown> },
): PartnerEvent {
  const seq = nextSequence(world.db, 'events')
  const row: EventRow = {
    seq,
    partnerId: event.partnerId,
    type: event.type,
    createdAtMs: world.clock.nowMs(),
    data: JSON.stringify(event.data),
  }
  EVENTS.insert(world.db, row)
  return withId(world, row)
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
  const found = eventsAfter(world.db, { partnerId, afterSeq, limit: page.limit + 1 })
  const events = found.slice(0, page.limit).map((row) => withId(world, row))
  return { events, hasMore: found.length > page.limit }
}

const fitting = conditionsOf<EventQuery & { afterSeq?: number; beforeSeq?: number }>(
  'seq > @afterSeq',
  'seq < @beforeSeq',
  'partner_id = @partnerId',
  'type = @type',
)

function eventsAfter(db: Db, page: EventQuery & { afterSeq: number }): EventRow[] {
  return EVENTS.where(db, `${fitting(page)} ORDER BY seq LIMIT @limit`).all(page)
}

/** Events for the operator, oldest first, of any partner or type unless one is given. */
export function allEvents(world: World, page: EventQuery & { afterSeq: number }): PartnerEvent[] {
  return eventsAfter(world.db, page).map((row) => withId(world, row))
}

/** The same, newest first, of those before a position. */
export function latestEvents(world: World, page: EventQuery & { beforeSeq: number }): PartnerEvent[] {
  return EVENTS.where(world.db, `${fitting(page)} ORDER BY seq DESC LIMIT @limit`)
    .all(page)
    .map((row) => withId(world, row))
}

/** An event of any partner; null where this world has none of that id. */
export function findEvent(world: World, id: string): PartnerEvent | null {
  const row = eventById(world, id)
  return row && withId(world, row)
}

/** The position of the latest event; give it to {@link allEvents} to read what comes after. */
export function lastEventSeq(world: World): number {
  return nextSequence(world.db, 'events') - 1
}
