import { CASE_STATES, CASE_TIERS } from '../../contract/case-states.ts'
import { EVENT_TYPES, type EventType } from '../../contract/event-types.ts'
import { LIMITS } from '../../contract/limits.ts'
import { ORDER_STATES } from '../../contract/order-states.ts'
import { ok } from '../http/answer.ts'
import { route } from '../http/route.ts'
import { either, id, integer, list, nullable, object, oneOf, optional, type Schema, text } from '../http/schema.ts'
import { eventHistory } from './events.ts'
import { presentEvent } from './present.ts'

const { min, max, default: usual } = LIMITS.eventsPage

const orderTypes = EVENT_TYPES.filter((type) => type.startsWith('order.'))
const caseTypes = EVENT_TYPES.filter((type) => type.startsWith('brokerage.'))

const orderFacts = object({
  public_id: id('order'),
  domain: text({ format: 'domain' }),
  status: oneOf(ORDER_STATES),
  sale_price_cents: integer({ minimum: 0 }),
  currency: text({ format: 'currency' }),
})

const caseFacts = object({
  case_id: id('brokerageCase'),
  domain: nullable(text({ format: 'domain' })),
  tier: oneOf(CASE_TIERS),
  status: oneOf(CASE_STATES),
  deal_price_cents: nullable(integer({ minimum: 1 })),
  partner_cut_cents: nullable(integer({ minimum: 0 })),
  currency: text({ format: 'currency' }),
})

function event(types: readonly EventType[], data: Schema<unknown>): Schema<unknown> {
  return object({ id: id('event'), type: oneOf(types), created_at: text({ format: 'instant' }), data })
}

const history = route({
  query: object({
    after_id: optional(text({ maxLength: 64 })),
    limit: optional(integer({ minimum: min, maximum: max })),
  }),
  answer: object({
    events: list(
      either(event(orderTypes, object({ order: orderFacts })), event(caseTypes, object({ case: caseFacts }))),
    ),
    next_cursor: nullable(id('event')),
  }),
  handle({ world, caller, query }) {
    const { events, hasMore } = eventHistory(world, caller.partnerId, {
      afterId: query.after_id,
      limit: query.limit ?? usual,
    })
    return ok({ events: events.map(presentEvent), next_cursor: hasMore ? (events.at(-1)?.id ?? null) : null })
  },
})

export const eventRoutes = { 'events.list': history }
