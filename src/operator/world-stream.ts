import type { FeedMessage } from '../sandbox/app/feed.ts'
import { allEvents, lastEventSeq } from '../sandbox/events/events.ts'
import { findDelivery, listDeliveries } from '../sandbox/webhooks/deliveries.ts'
import type { Environment } from '../sandbox/worlds/environment.ts'
import type { Redactor } from '../sandbox/worlds/redact.ts'
import type { LiveClient, LiveMessage, LiveSource } from './live.ts'
import { summariseLoggedCall } from './present-request.ts'
import type { Operator } from './route.ts'
import { presentClock } from './routes/clock.ts'
import { presentDelivery } from './routes/deliveries.ts'
import { presentListedEvent } from './routes/events.ts'

export const STREAM_KINDS = ['request', 'event', 'delivery', 'clock'] as const

export type StreamKind = (typeof STREAM_KINDS)[number]

const EVENTS_AT_ONCE = 100
const COPIES_AT_MOST = 100

/**
 * Tells what happens in a world, from now on, or from after an event of its history. Events are read from the history by
 * each listener at its own pace, so none is missed or told twice however slow it is; all else is told as it happens.
 *
 * @param afterSeq events after this one are told first; null for none from before.
 */
export function worldStream(
  operator: Operator,
  world: Environment,
  { kinds, afterSeq }: { kinds: ReadonlySet<StreamKind>; afterSeq: number | null },
): LiveSource {
  return (client) => {
    const newSince = lastEventSeq(world)
    const redact = () => operator.worlds.redactor()
    const reading: Reading = { client, kinds, redact, seq: afterSeq ?? newSince, newSince }
    const told = (message: FeedMessage) => tellOf(operator, world, reading, message)
    const stop = world.feed.watch(told)
    client.onRead(() => readOn(world, reading))
    readOn(world, reading)
    return stop
  }
}

/** How far a listener has read the history. */
interface Reading {
  readonly client: LiveClient
  readonly kinds: ReadonlySet<StreamKind>
  readonly redact: () => Redactor
  seq: number
  /** Events after this one came while it listened. */
  newSince: number
}

function tellOf(operator: Operator, world: Environment, reading: Reading, message: FeedMessage): void {
  if (message.kind === 'end') reading.client.end()
  else if (message.kind === 'events') readOn(world, reading)
  else if (message.kind === 'rewound') rewind(world, reading)
  const event = message.kind === 'rewound' ? 'clock' : message.kind
  if (event === 'end' || event === 'events' || !reading.kinds.has(event)) return
  const shown = once(message, () => presented(operator, world, message))
  if (shown) reading.client.tell(shown)
}

/** What was restored has been told before, or never happened here. */
function rewind(world: Environment, reading: Reading): void {
  reading.seq = lastEventSeq(world)
  reading.newSince = reading.seq
}

function presented(operator: Operator, world: Environment, message: FeedMessage): LiveMessage | null {
  if (message.kind === 'request') {
    return { event: 'request', data: operator.worlds.redactor().all(summariseLoggedCall(message.entry)) }
  }
  if (message.kind === 'delivery') {
    const delivery = findDelivery(world, message.deliveryId)
    return delivery && { event: 'delivery', data: operator.worlds.redactor().all(presentDelivery(delivery)) }
  }
  return { event: 'clock', data: presentClock(world) }
}

/** Many may listen to the same; it is worked out for the first of them. */
const shownOnce = new WeakMap<FeedMessage, LiveMessage | null>()

function once(message: FeedMessage, show: () => LiveMessage | null): LiveMessage | null {
  const known = shownOnce.get(message)
  if (known !== undefined) return known
  const shown = show()
  shownOnce.set(message, shown)
  return shown
}

/** Tells of the events that it has not seen, as long as it keeps up; it comes back when it has read them. */
function readOn(world: Environment, reading: Reading): void {
  const { client, kinds, redact } = reading
  if (!kinds.has('event') && !kinds.has('delivery')) return
  while (world.db.open && client.keepsUp()) {
    const events = allEvents(world, { afterSeq: reading.seq, limit: EVENTS_AT_ONCE })
    for (const event of events) {
      reading.seq = event.seq
      if (kinds.has('event')) client.tell({ event: 'event', data: redact().all(presentListedEvent(event)) })
      if (kinds.has('delivery') && event.seq > reading.newSince) tellDeliveries(world, reading, event.id)
    }
    if (events.length < EVENTS_AT_ONCE) return
  }
}

/** Those that wait for their first attempt, or were dropped; each attempt is told of by itself. */
function tellDeliveries(world: Environment, { client, redact }: Reading, eventId: string): void {
  const { rows } = listDeliveries(world, { eventId, cursor: undefined, limit: COPIES_AT_MOST })
  for (const delivery of rows.reverse()) {
    if (delivery.attempts === 0) client.tell({ event: 'delivery', data: redact().all(presentDelivery(delivery)) })
  }
}
