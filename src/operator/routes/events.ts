import { LIMITS } from '../../contract/limits.ts'
import { allEvents, latestEvents } from '../../sandbox/events/events.ts'
import { presentListedEvent } from '../present-listed-event.ts'
import { type HandlersOf, ok } from '../route.ts'

export const eventHandlers: HandlersOf<'events'> = {
  'events.list'({ world, query }) {
    const { cursor, limit = LIMITS.eventsPage.default } = query
    const page = { limit: limit + 1, partnerId: query.partner_id, type: query.type }
    const found =
      query.latest === 'true'
        ? latestEvents(world, { ...page, beforeSeq: cursor ?? Number.MAX_SAFE_INTEGER })
        : allEvents(world, { ...page, afterSeq: cursor ?? 0 })
    const events = found.slice(0, limit)
    const next = found.length > limit ? (events.at(-1)?.seq ?? null) : null
    return ok({
      events: events.map(presentListedEvent),
      next_cursor: next === null ? null : String(next),
    })
  },
}
