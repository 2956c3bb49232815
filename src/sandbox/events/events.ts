import { ApiError } from '../../contract/errors.ts'
import type { EventType } from '../../contract/event-types.ts'
import { nextSequence } from '../../storage/db.ts'
import type { PartnerEvent, World } from '../kernel/world.ts'
import { EVENTS, type EventQuery, type EventRow, eventBySeq, eventsAfter, eventsBefore } from './store.ts'

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
  return seq === null ? null : eventBySeq(world.db, seq)
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

/** Events for the operator, oldest first, of any partner or type unless one is given. */
export function allEvents(world: World, page: EventQuery & { afterSeq: number }): PartnerEvent[] {
  return eventsAfter(world.db, page).map((row) => withId(world, row))
}

/** The same, newest first, of those before a position. */
export function latestEvents(world: World, page: EventQuery & { beforeSeq: number }): PartnerEvent[] {
  return eventsBefore(world.db, page).map((row) => withId(world, row))
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
