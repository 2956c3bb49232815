import { EVENT_TYPES, type EventType, type TransferEventType } from '../../contract/event-types.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { OrderState } from '../../contract/order-states.ts'
import { integer, object, oneOf, optional, text } from '../../contract/schema.ts'
import { get, type Page, partnerFilter, returns } from '../operation.ts'
import type { CaseFacts } from './cases.ts'
import type { OrderFacts } from './orders.ts'

export interface TransferFacts {
  public_id: string
  domain: string
  status: OrderState
}

type DataOf<Type> = Type extends TransferEventType
  ? { transfer: TransferFacts }
  : Type extends 'brokerage.case_completed'
    ? { case: CaseFacts }
    : { order: OrderFacts }

/** An event; its `type` decides what `data` holds. Those of transfers come only if the open point `transfer-events` says so. */
export type PartnerEvent = {
  [Type in EventType | TransferEventType]: {
    id: string
    type: Type
    created_at: string
    data: DataOf<Type>
    partner_id: string
  }
}[EventType | TransferEventType]

const { min, max } = LIMITS.eventsPage

export const eventRows = {
  'events.list': get('/v1/worlds/{w}/events', {
    summary: 'The events of all partners, oldest first, or newest first with `latest=true`: `events`, `next_cursor`.',
    query: object({
      ...partnerFilter,
      type: optional(oneOf(EVENT_TYPES)),
      cursor: optional(integer({ minimum: 0, description: 'next_cursor of the page before.' })),
      limit: optional(integer({ minimum: min, maximum: max })),
      latest: optional(oneOf(['true', 'false'])),
    }),
    returns: returns<Page<'events', PartnerEvent>>(),
    command: {
      usage: 'event list',
      summary: 'list the events of all partners, oldest first; newest first with --latest',
      flags: {
        type: ['--type <type>', 'only of this type'],
        partner_id: ['--partner <id>', 'only of this partner'],
        latest: ['--latest', 'newest first'],
        cursor: ['--cursor <n>', 'continue after this row (from the page before)'],
        limit: ['--limit <n>', 'number of rows'],
      },
      shows: 'events',
    },
  }),
  'events.show': get('/v1/worlds/{w}/events/{event_id}', {
    summary: 'One event as its partner sees it, with `partner_id`.',
    returns: returns<PartnerEvent>(),
    command: { usage: 'event show <id>', summary: 'show one event with its data', shows: 'facts' },
  }),
}

export const streamRows = {
  'stream.follow': get('/v1/worlds/{w}/stream', {
    summary:
      'What happens, live, as server-sent events named `request`, `event`, `delivery` and `clock`; the data of each is what the lists show. `only` names those that are wanted, with commas between them, and may name `act` as well: what an operator has changed; with `after`, the id of an event, all later events come first. Ends when the world is deleted or the server stops.',
    query: object({
      only: optional(text({ maxLength: 64, description: 'Kinds that are wanted, with commas between them.' })),
      after: optional(text({ maxLength: 64, description: 'Id of the last event that is known already.' })),
    }),
    gives: 'text/event-stream',
  }),
}
