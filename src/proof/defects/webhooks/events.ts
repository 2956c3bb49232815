import { eventHistory } from '../../../sandbox/events/events.ts'
import { presentEvent } from '../../../sandbox/events/present.ts'
import { ok, type Reply } from '../../../sandbox/wire/answer.ts'
import { type Fields, without } from '../answers.ts'
import { changing, type Defect } from '../defect.ts'
import { type AnyInput, handling, itemsOf, showing } from '../routes.ts'

const MANY = 10_000

/** Mistakes of the event history and of what its events say. */
export const eventDefects: readonly Defect[] = [
  {
    id: 'order-recorded-is-not-told',
    breaks: ['ORD-02', 'EVT-03', 'STATE-06'],
    summary: 'Recording an order emits no event.',
    ...handling('orders.create', (input, sound) => {
      const reply = sound(input)
      changeLatestEvent(input, 'DELETE FROM events WHERE')
      return reply
    }),
  },
  {
    id: 'order-recorded-without-currency',
    breaks: ['ORD-02'],
    summary: 'The order in order.recorded has no currency.',
    ...toldWithout('$.order.currency'),
  },
  {
    id: 'order-recorded-without-price',
    breaks: ['ORD-02'],
    summary: 'The order in order.recorded has no price.',
    ...toldWithout('$.order.sale_price_cents'),
  },
  {
    id: 'order-recorded-is-flat',
    breaks: ['ORD-02'],
    summary: 'The order stands in data itself and not in data.order.',
    ...showing('events.list', (body) => withEvents(body, (event) => ({ ...event, data: orderOf(event) }))),
  },
  {
    id: 'history-page-starts-with-the-named-event',
    breaks: ['EVT-01'],
    summary: 'A page starts with the event that after_id names.',
    ...changing('events', { afterId: 'inclusive' }),
  },
  {
    id: 'history-without-after-id-is-empty',
    breaks: ['EVT-01', 'EVT-02', 'EVT-03'],
    summary: 'Without after_id the history is empty.',
    ...showing('events.list', (body, { query }) => (query['after_id'] === undefined ? { ...body, events: [] } : body)),
  },
  {
    id: 'history-ignores-after-id',
    breaks: ['EVT-01'],
    summary: 'Every page is the first.',
    ...changing('events', { afterId: 'ignored' }),
  },
  {
    id: 'history-skips-one-at-each-page',
    breaks: ['EVT-01'],
    summary: 'Each page after the first leaves its first event out.',
    ...showing('events.list', (body, { query }) =>
      query['after_id'] === undefined ? body : { ...body, events: itemsOf(body, 'events').slice(1) },
    ),
  },
  {
    id: 'history-goes-on-from-a-position',
    breaks: ['EVT-01'],
    summary: 'The next_cursor is a number and not an event id; after_id takes both.',
    ...handling('events.list', byPosition),
  },
  {
    id: 'history-page-lacks-its-last',
    breaks: ['EVT-01'],
    summary: 'A page of a size that was asked for holds one event less.',
    ...showing('events.list', (body, { query }) => {
      const limit = Number(query['limit'] ?? 1)
      return limit === 1 ? body : { ...body, events: itemsOf(body, 'events').slice(0, limit - 1) }
    }),
  },
  {
    id: 'history-shows-events-twice',
    breaks: ['EVT-01'],
    summary: 'Each event is in the history twice.',
    ...showing('events.list', (body) => ({
      ...body,
      events: itemsOf(body, 'events').flatMap((event) => [event, event]),
    })),
  },
  {
    id: 'history-ends-after-one-page',
    breaks: ['EVT-01'],
    summary: 'There is no next_cursor, however many events there are.',
    ...showing('events.list', (body) => ({ ...body, next_cursor: null })),
  },
  {
    id: 'history-page-of-two-repeats-its-first',
    breaks: ['EVT-01'],
    summary: 'A page of two events shows the first of them twice.',
    ...showing('events.list', (body) => {
      const [first, second, ...more] = itemsOf(body, 'events')
      return first && second && more.length === 0 ? { ...body, events: [first, first] } : body
    }),
  },
  {
    id: 'history-page-is-cut-at-five',
    breaks: ['EVT-01'],
    summary: 'A page of up to ten has five events at most, and the next_cursor of the page that was asked for.',
    ...showing('events.list', (body, { query }) =>
      Number(query['limit'] ?? 10) > 10 ? body : { ...body, events: itemsOf(body, 'events').slice(0, 5) },
    ),
  },
  {
    id: 'history-ignores-limit',
    breaks: ['EVT-01'],
    summary: 'A page has all events, whatever limit says.',
    ...handling('events.list', wholeHistory),
  },
  {
    id: 'history-shows-everyones-events',
    breaks: ['EVT-02'],
    summary: 'The history holds the events of all partners.',
    ...changing('events', { history: 'everyones' }),
  },
  ...(['id', 'type', 'created_at', 'data'] as const).map(
    (field): Defect => ({
      id: `event-without-${field.replace('_', '-')}`,
      breaks: ['EVT-02'],
      summary: `Events have no ${field}.`,
      ...showing('events.list', (body) => withEvents(body, (event) => without(event, field))),
    }),
  ),
  {
    id: 'history-lacks-transfers',
    breaks: ['EVT-03', 'STATE-01'],
    summary: 'Events about transfers are not in the history.',
    ...lacking('transfer'),
  },
  {
    id: 'history-lacks-refunds',
    breaks: ['EVT-03', 'STATE-05'],
    summary: 'Events about refunds are not in the history.',
    ...lacking('refund'),
  },
]

function withEvents(body: Fields, change: (event: Fields) => Fields): Fields {
  return { ...body, events: itemsOf(body, 'events').map(change) }
}

function lacking(word: string): Pick<Defect, 'hooks'> {
  return showing('events.list', (body) => ({
    ...body,
    events: itemsOf(body, 'events').filter((event) => !String(event['type']).includes(word)),
  }))
}

function orderOf(event: Fields): unknown {
  const data = event['data'] as Fields
  return data['order'] ?? data
}

/** `after_id` may be what `next_cursor` said, or an id. */
function byPosition(input: AnyInput, sound: (input: AnyInput) => Reply): Reply {
  const { db } = input.world
  const { after_id: after, ...query } = input.query
  const id = db.prepare('SELECT id FROM events WHERE seq = ?').pluck().get(after) ?? after
  const reply = sound({ ...input, query: id === undefined ? query : { ...query, after_id: id } })
  const { next_cursor: next } = reply.body as Fields
  if (next === null) return reply
  const position = db.prepare('SELECT seq FROM events WHERE id = ?').pluck().get(next)
  return { ...reply, body: { ...(reply.body as Fields), next_cursor: String(position) } }
}

function wholeHistory({ world, caller, query }: AnyInput): Reply {
  const afterId = query['after_id'] as string | undefined
  const { events } = eventHistory(world, caller.partnerId, { afterId, limit: MANY })
  return ok({ events: events.map(presentEvent), next_cursor: null })
}

function toldWithout(jsonPath: string): Pick<Defect, 'hooks'> {
  return handling('orders.create', (input, sound) => {
    const reply = sound(input)
    changeLatestEvent(input, `UPDATE events SET data = json_remove(data, '${jsonPath}') WHERE`)
    return reply
  })
}

/** Runs a statement on the order.recorded event that the call has just made. */
function changeLatestEvent({ world }: AnyInput, statement: string): void {
  world.db.exec(`${statement} seq = (SELECT max(seq) FROM events WHERE type = 'order.recorded')`)
}
