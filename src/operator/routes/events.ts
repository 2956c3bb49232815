import { LIMITS } from '../../contract/limits.ts'
import type { PartnerEvent as WrittenEvent } from '../../operator-api/rows/events.ts'
import { allEvents, findEvent, latestEvents } from '../../sandbox/events/events.ts'
import { presentEvent } from '../../sandbox/events/present.ts'
import { pageOf } from '../../sandbox/kernel/paging.ts'
import type { PartnerEvent } from '../../sandbox/kernel/world.ts'
import { required } from '../problems.ts'
import { type HandlersOf, ok, okPage } from '../route.ts'

export const eventHandlers: HandlersOf<'events'> = {
  'events.list'({ world, query }) {
    const { cursor, limit = LIMITS.eventsPage.default } = query
    const page = { limit: limit + 1, partnerId: query.partner_id, type: query.type }
    const found =
      query.latest === 'true'
        ? latestEvents(world, { ...page, beforeSeq: cursor ?? Number.MAX_SAFE_INTEGER })
        : allEvents(world, { ...page, afterSeq: cursor ?? 0 })
    return okPage('events', pageOf(found, limit), presentListedEvent, ({ seq }) => String(seq))
  },
  'events.show': ({ world, params }) => ok(presentListedEvent(required(findEvent(world, params.event_id), 'no-event'))),
}

export function presentListedEvent(event: PartnerEvent) {
  // What `data` holds goes by `type`, which only the rules know that wrote it.
  return { ...presentEvent(event), partner_id: event.partnerId } as WrittenEvent
}
