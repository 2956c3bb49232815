import { EVENT_DATA } from '../../contract/kept-json.ts'
import { eventsPage, LIMITS } from '../../contract/limits.ts'
import {
  either,
  id,
  integer,
  list,
  nullable,
  object,
  oneOf,
  optional,
  type Schema,
  text,
} from '../../contract/schema.ts'
import type { PartnerEvent, World } from '../kernel/world.ts'
import { ok, route } from '../wire/route.ts'
import { eventHistory } from './events.ts'
import { presentEvent } from './present.ts'

const { min, max } = LIMITS.eventsPage

function event(types: readonly PartnerEvent['type'][], data: Schema<unknown>): Schema<unknown> {
  return object({ id: id('event'), type: oneOf(types), created_at: text({ format: 'instant' }), data })
}

const history = route({
  query: object({
    after_id: optional(text({ maxLength: 64 })),
    limit: optional(integer({ minimum: min, maximum: max })),
  }),
  answer: object({
    events: list(either(...EVENT_DATA.map(({ types, data }) => event(types, data)))),
    next_cursor: nullable(id('event')),
  }),
  handle({ world, caller, query }) {
    const { events, hasMore } = eventHistory(world, caller.partnerId, {
      afterId: query.after_id,
      limit: pageLength(world, query.limit),
    })
    const isNamed = hasMore || world.gaps['last-page-cursor'] === 'the last event'
    return ok({ events: events.map(presentEvent), next_cursor: isNamed ? (events.at(-1)?.id ?? null) : null })
  },
})

/** One outside the bounds comes here only where the open point `events-limit-outside` lets it (EVT-04). */
function pageLength({ gaps }: World, wanted: number | undefined): number {
  const { min, max, default: usual } = eventsPage(gaps)
  return wanted === undefined ? usual : Math.min(max, Math.max(min, wanted))
}

export const eventRoutes = { 'events.list': history }
