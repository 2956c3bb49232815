import { EVENT_TYPES } from '../../contract/event-types.ts'
import { LIMITS } from '../../contract/limits.ts'
import { allEvents } from '../../sandbox/events/events.ts'
import { integer, object, oneOf, optional, text } from '../../sandbox/http/schema.ts'
import { presentListedEvent } from '../present-listed-event.ts'
import { ok, worldRoute } from '../route.ts'

const { min, max, default: usual } = LIMITS.eventsPage

const list = worldRoute('GET', '/events', {
  summary: 'The events of all partners, oldest first: `events`, `next_cursor`.',
  query: object({
    partner_id: optional(text({ maxLength: 64 })),
    type: optional(oneOf(EVENT_TYPES)),
    cursor: optional(integer({ minimum: 0, description: 'next_cursor of the page before.' })),
    limit: optional(integer({ minimum: min, maximum: max })),
  }),
  handle({ world, query }) {
    const { cursor: after = 0, limit = usual } = query
    const found = allEvents(world, {
      afterSeq: after,
      limit: limit + 1,
      partnerId: query.partner_id,
      type: query.type,
    })
    const events = found.slice(0, limit)
    const next = found.length > limit ? (events.at(-1)?.seq ?? null) : null
    return ok({
      events: events.map(presentListedEvent),
      next_cursor: next === null ? null : String(next),
    })
  },
})

export const eventRoutes = [list]
