import type { Environment } from '../../sandbox/app/environment.ts'
import type { FeedMessage } from '../../sandbox/app/log.ts'
import { allEvents, findEvent, lastEventSeq } from '../../sandbox/events/events.ts'
import { findDelivery, listDeliveries } from '../../sandbox/webhooks/deliveries.ts'
import { quoted } from '../../sandbox/wire/validation.ts'
import type { Worlds } from '../../sandbox/worlds/worlds.ts'
import type { LiveClient, LiveMessage, LiveSource } from '../live.ts'
import { presentAct, summarizeLoggedCall } from '../present-request.ts'
import { problem } from '../problems.ts'
import type { HandlersOf, Operator } from '../route.ts'
import { presentClock } from './clock.ts'
import { presentDelivery } from './deliveries.ts'
import { presentListedEvent } from './events.ts'

export const streamHandlers: HandlersOf<'stream'> = {
  'stream.follow'({ operator, world, query: { only, after } }) {
    const kinds = new Set<StreamKind>(only === undefined ? USUAL_KINDS : only.split(',').map(readKind))
    const afterSeq = after === undefined ? null : (findEvent(world, after)?.seq ?? null)
    if (after !== undefined && afterSeq === null) throw problem('unknown-event')
    return { status: 200, live: worldStream(operator, world, { kinds, afterSeq }) }
  },
}

function readKind(name: string): StreamKind {
  const kind = STREAM_KINDS.find((known) => known === name)
  if (!kind) throw problem('unknown-stream-kind', { kinds: STREAM_KINDS.join(', '), value: quoted(name) })
  return kind
}

/** What a listener gets who does not name what it wants. */
const USUAL_KINDS = ['request', 'event', 'delivery', 'clock'] as const

export const STREAM_KINDS = [...USUAL_KINDS, 'act'] as const

type StreamKind = (typeof STREAM_KINDS)[number]

const EVENTS_AT_ONCE = 100
const COPIES_AT_MOST = 100

/**
 * Sends what happens in a world, from now on, or from after an event of its history. Each listener reads the events from the
 * history at its own pace, so none is missed or sent twice however slow it is; all else is sent as it happens.
 *
 * @param afterSeq events after this one are sent first; null for none from before.
 */
export function worldStream(
  { worlds }: Operator,
  world: Environment,
  { kinds, afterSeq }: { kinds: ReadonlySet<StreamKind>; afterSeq: number | null },
): LiveSource {
  return (client) => {
    const newSince = lastEventSeq(world)
    const reading: Reading = { client, kinds, worlds, world, seq: afterSeq ?? newSince, newSince }
    const stop = world.feed.watch((message) => follow(reading, message))
    client.onRead(() => readOn(reading))
    readOn(reading)
    return stop
  }
}

/** How far a listener has read the history. */
interface Reading {
  readonly client: LiveClient
  readonly kinds: ReadonlySet<StreamKind>
  readonly worlds: Worlds
  readonly world: Environment
  seq: number
  /** Events after this one came while it listened. */
  newSince: number
}

function follow(reading: Reading, message: FeedMessage): void {
  const { client, kinds, worlds, world } = reading
  if (message.kind === 'end') client.end()
  else if (message.kind === 'events') readOn(reading)
  else if (message.kind === 'rewound') {
    // What was restored has been sent before, or never happened here.
    reading.seq = lastEventSeq(world)
    reading.newSince = reading.seq
  }
  const event = message.kind === 'rewound' ? 'clock' : message.kind
  if (event === 'end' || event === 'events' || !kinds.has(event)) return
  // Many may listen to the same; it is worked out for the first of them.
  const known = shownOnce.get(message)
  const shown = known === undefined ? presented(worlds, world, message) : known
  shownOnce.set(message, shown)
  if (shown) client.tell(shown)
}

const shownOnce = new WeakMap<FeedMessage, LiveMessage | null>()

function presented(worlds: Worlds, world: Environment, message: FeedMessage): LiveMessage | null {
  if (message.kind === 'request') {
    return { event: 'request', data: worlds.redactor().all(summarizeLoggedCall(message.entry)) }
  }
  if (message.kind === 'act') return { event: 'act', data: worlds.redactor().all(presentAct(message.act)) }
  if (message.kind !== 'delivery') return { event: 'clock', data: presentClock(world) }
  const delivery = findDelivery(world, message.deliveryId)
  return delivery && { event: 'delivery', data: worlds.redactor().all(presentDelivery(world, delivery)) }
}

/** Sends the events that the listener has not seen, as long as it keeps up; it comes back when it has read them. */
function readOn(reading: Reading): void {
  const { client, kinds, worlds, world } = reading
  if (!kinds.has('event') && !kinds.has('delivery')) return
  while (world.db.open && client.keepsUp()) {
    const events = allEvents(world, { afterSeq: reading.seq, limit: EVENTS_AT_ONCE })
    for (const event of events) {
      reading.seq = event.seq
      if (kinds.has('event')) client.tell({ event: 'event', data: worlds.redactor().all(presentListedEvent(event)) })
      if (kinds.has('delivery') && event.seq > reading.newSince) sendDeliveries(reading, event.seq)
    }
    if (events.length < EVENTS_AT_ONCE) return
  }
}

/** Those that wait for their first attempt, or were dropped; each attempt is sent separately. */
function sendDeliveries({ client, worlds, world }: Reading, eventSeq: number): void {
  const { rows } = listDeliveries(world, { eventSeq, cursor: undefined, limit: COPIES_AT_MOST })
  for (const delivery of rows.reverse()) {
    if (delivery.attempts === 0)
      client.tell({ event: 'delivery', data: worlds.redactor().all(presentDelivery(world, delivery)) })
  }
}
