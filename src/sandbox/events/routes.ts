import { LIMITS } from '../../contract/limits.ts'
import { ok } from '../http/answer.ts'
import { route } from '../http/route.ts'
import { integer, object, optional, text } from '../http/schema.ts'
import { eventHistory } from './events.ts'
import { presentEvent } from './present.ts'

const { min, max, default: usual } = LIMITS.eventsPage

const list = route({
  query: object({
    after_id: optional(text({ maxLength: 64 })),
    limit: optional(integer({ minimum: min, maximum: max })),
  }),
  handle({ world, caller, query }) {
    const { events, hasMore } = eventHistory(world, caller.partnerId, {
      afterId: query.after_id,
      limit: query.limit ?? usual,
    })
    return ok({ events: events.map(presentEvent), next_cursor: hasMore ? (events.at(-1)?.id ?? null) : null })
  },
})

export const eventRoutes = { 'events.list': list }
