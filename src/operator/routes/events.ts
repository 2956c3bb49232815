import { EVENT_TYPES } from '../../contract/event-types.ts'
import { LIMITS } from '../../contract/limits.ts'
import { integer, object, oneOf, optional, text } from '../../contract/schema.ts'
import { allEvents, latestEvents } from '../../sandbox/events/events.ts'
import { presentListedEvent } from '../present-listed-event.ts'
import { ok, worldRoute } from '../route.ts'

const { min, max, default: usual } = LIMITS.eventsPage

const list = worldRoute('GET', '/events', {
  summary: 'The events of all partners, oldest first, or newest first with `latest=true`: `events`, `next_cursor`.',
  query: object({
    partner_id: optional(text({ maxLength: 64 })),
    type: optional(oneOf(EVENT_TYPES)),
    cursor: optional(integer({ minimum: 0, description: 'next_cursor of the page before.' })),
    limit: optional(integer({ minimum: min, maximum: max })),
    latest: optional(oneOf(['true', 'false'])),
  }),
  handle({ world, query }) {
    const { cursor, limit = usual } = query
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
})

export const eventRoutes = [list]
