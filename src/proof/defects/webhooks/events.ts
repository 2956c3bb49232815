import { ApiError } from '../../../contract/errors.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { findEvent } from '../../../sandbox/events/events.ts'
import { presentEvent } from '../../../sandbox/events/present.ts'
import type { PartnerEvent, World } from '../../../sandbox/kernel/world.ts'
import { findOrder } from '../../../sandbox/sales/orders.ts'
import { ok } from '../../../sandbox/wire/route.ts'
import { type Fields, HOUR_MS, later, orderIn, without } from '../answers.ts'
import { type Defect, defect, type Tampered } from '../defect.ts'
import {
  type AnyInput,
  altering,
  asking,
  cuttingPages,
  eachOf,
  handling,
  handlingBefore,
  isOfLaterPartner,
  itemsOf,
  keeping,
  listing,
  servingAnyone,
} from '../routes.ts'

/** Steps of orders, each with its requirement and the status that a careless serializer reads before it stores the step. */
const STEPS = [
  { name: 'transfer-started', type: 'order.transfer_started', shows: 'STATE-01', before: 'EXTERNALLY_PAID' },
  { name: 'transfer-completed', type: 'order.transfer_completed', shows: 'STATE-02', before: 'TRANSFER_IN_PROGRESS' },
  { name: 'refunded', type: 'order.refunded', shows: 'STATE-05', before: 'TRANSFER_IN_PROGRESS' },
] as const

/** Mistakes of the event history and of what its events say. */
export const eventDefects: readonly Defect[] = [
  defect('history-page-starts-with-the-named-event', ['EVT-01'], {
    summary: 'A page starts with the event that after_id names.',
    ...handling('events.list', (input, correct) => {
      const named = findEvent(input.world, String(input.query['after_id']))
      if (!named) return correct(input)
      const limit = Number(input.query['limit'] ?? LIMITS.eventsPage.default)
      if (limit === 1) return ok({ events: [presentEvent(named)], next_cursor: named.id })
      const reply = correct({ ...input, query: { ...input.query, limit: limit - 1 } })
      const body = reply.body as Fields
      return { ...reply, body: { ...body, events: [presentEvent(named), ...itemsOf('events.list', body)] } }
    }),
  }),
  defect('history-page-of-too-many-is-the-last', ['EVT-01'], {
    summary: 'A limit of two hundred gives five events and no next_cursor.',
    ...cuttingPages('events.list', 200, 5, () => ({ next_cursor: null })),
  }),
  defect('history-ignores-limit', ['EVT-01'], {
    summary: 'A page of the history has fifty events, whatever limit says.',
    ...asking('events.list', (query) => ({ ...query, limit: LIMITS.eventsPage.default })),
  }),
  defect('history-without-after-id-is-empty', ['EVT-01', 'EVT-02', 'EVT-03'], {
    summary: 'Without after_id the history is empty.',
    ...listing('events.list', (events, { query }) => (query['after_id'] === undefined ? [] : events)),
  }),
  defect('history-skips-one-at-each-page', ['EVT-01'], {
    summary: 'Each page after the first leaves its first event out.',
    ...listing('events.list', (events, { query }) => events.slice(query['after_id'] === undefined ? 0 : 1)),
  }),
  defect('history-page-lacks-its-last', ['EVT-01'], {
    summary: 'A page of a size that was asked for holds one event less.',
    ...listing('events.list', (events, { query }) => {
      const limit = Number(query['limit'] ?? 1)
      return limit === 1 ? events : events.slice(0, limit - 1)
    }),
  }),
  defect('history-shows-events-twice', ['EVT-01'], {
    summary: 'Each event is in the history twice.',
    ...listing('events.list', (events) => events.flatMap((event) => [event, event])),
  }),
  defect('history-ends-after-one-page', ['EVT-01'], {
    summary: 'A page never has a next_cursor.',
    ...altering('events.list', () => ({ next_cursor: null })),
  }),
  defect('history-page-of-two-repeats-its-first', ['EVT-01'], {
    summary: 'A page of two events shows the first of them twice.',
    ...listing('events.list', (events) => (events.length === 2 ? [events[0], events[0]] : events)),
  }),
  defect('history-page-is-cut-at-five', ['EVT-01'], {
    summary: 'A page of up to ten has five events at most, and the next_cursor of the page that was asked for.',
    ...listing('events.list', (events, { query }) => (Number(query['limit'] ?? 10) > 10 ? events : events.slice(0, 5))),
  }),
  defect('history-is-kept-for-an-hour', ['EVT-01'], {
    summary: 'An hour after an event, the history no longer knows it.',
    ...forgetting(({ clock }, { createdAtMs }) => clock.nowMs() - createdAtMs > HOUR_MS),
  }),
  defect('history-of-another-is-readable-behind-its-events', ['EVT-02'], {
    summary: 'With the after_id of another partner’s event, its history is shown.',
    ...servingAnyone('events.list', ({ world, query }) => findEvent(world, String(query['after_id']))?.partnerId),
  }),
  ...(['id', 'type', 'created_at', 'data'] as const).map((field) =>
    defect(`event-without-${field.replace('_', '-')}`, ['EVT-02'], {
      summary: `Events have no ${field}.`,
      ...eachOf('events.list', (event) => without(event, field)),
    }),
  ),
  defect('events-have-the-local-time', ['EVT-02'], {
    summary: 'The created_at of an event is an hour ahead, as the local time has it, and ends in Z.',
    ...eachOf('events.list', (event) => ({ ...event, created_at: later(event['created_at'], HOUR_MS) })),
  }),
  ...['recorded', 'transfer_started', 'transfer_completed', 'settled', 'refunded'].map((step) =>
    defect(`history-has-${step.replace('_', '-')}-of-one-partner-only`, ['EVT-03'], {
      summary: `Of all partners, one gets events order.${step}.`,
      ...keeping('events.list', ({ type }, input) => type !== `order.${step}` || !isOfLaterPartner(input)),
    }),
  ),
  defect('history-lacks-orders-that-were-refunded', ['EVT-03'], {
    summary: 'The events of an order that was refunded are no longer in the history, apart from order.refunded.',
    ...forgetting(
      (world, named) =>
        named.type !== 'order.refunded' &&
        findOrder(world, String(orderIn(presentEvent(named))?.['public_id']))?.status === 'REFUNDED',
    ),
  }),
  defect('order-recorded-is-not-told', ['ORD-02', 'EVT-03', 'STATE-06'], {
    summary: 'Recording an order leaves no event in the history.',
    ...keeping('events.list', ({ type }) => type !== 'order.recorded'),
  }),
  defect('long-pages-tell-another-currency', ['ORD-02'], {
    summary: 'A page of more than fifty events writes the currency in small letters.',
    ...tellingOrders((order, _, { query }) =>
      Number(query['limit'] ?? 0) > 50 ? { ...order, currency: String(order['currency']).toLowerCase() } : order,
    ),
  }),
  ...STEPS.map(({ name, type, shows, before }) =>
    defect(`history-shows-${name}-with-the-status-before`, [shows], {
      summary: `The order of an event ${type} has the status from before its step.`,
      ...tellingOrders((order, event) => (event['type'] === type ? { ...order, status: before } : order)),
    }),
  ),
  ...STEPS.map(({ name, type, shows }) =>
    defect(`history-shows-${name}-without-a-currency`, [shows], {
      summary: `The order of an event ${type} has no currency.`,
      ...tellingOrders((order, event) => (event['type'] === type ? without(order, 'currency') : order)),
    }),
  ),
]

/** A server that writes the orders in events differently. */
function tellingOrders(change: (order: Fields, event: Fields, input: AnyInput) => Fields): Tampered {
  return eachOf('events.list', (event, input) => {
    const order = orderIn(event)
    return order ? { ...event, data: { order: change(order, event, input) } } : event
  })
}

/** A server that no longer knows some events by their ids. */
function forgetting(isForgotten: (world: World, named: PartnerEvent) => boolean): Tampered {
  return handlingBefore('events.list', ({ world, query }) => {
    const named = findEvent(world, String(query['after_id']))
    if (named && isForgotten(world, named)) throw new ApiError('validation_error', 'after_id: no such event')
  })
}
