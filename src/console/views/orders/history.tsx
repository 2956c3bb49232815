import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Delivery } from '../../../operator-api/rows/deliveries.ts'
import type { Order } from '../../../operator-api/rows/orders.ts'
import type { LoggedRequest } from '../../../operator-api/rows/requests.ts'
import { atMostEvery } from '../../browser/clock.ts'
import { useConsole, useWorld } from '../../console-context.ts'
import { Panel } from '../../kit/facts.tsx'
import { StateBadge, StatusBadge } from '../../kit/state-badge.tsx'
import { instantText } from '../../kit/time.tsx'
import { useQuery } from '../../live/use-query.ts'
import { Link, useAddress } from '../../router/link.tsx'
import { CallText } from '../requests/list.tsx'

const REFRESH_EVERY_MS = 500

interface Entry {
  readonly at: string
  readonly kind: string
  readonly key: string
  readonly what: ComponentChildren
}

/** Everything that concerns an order in one list, newest first: calls, steps with their events, deliveries. */
export function HistoryPanel({ order }: { order: Order }) {
  const { world } = useWorld()
  const input = { q: order.public_id, limit: 50 }
  const calls = useQuery('requests.list', { w: world }, { input, live: ['request'] })
  const deliveries = useDeliveries(order)
  const entries = [
    ...(calls.data?.requests ?? []).toReversed().map(callEntry),
    ...order.timeline.map(stepEntry),
    ...deliveries.map(deliveryEntry),
  ].sort((a, b) => a.at.localeCompare(b.at))
  return (
    <Panel title="History">
      <ol class="history">
        {entries.toReversed().map(({ at, kind, key, what }) => (
          <li key={key}>
            <span class="soft">{instantText(at)}</span>
            <span>{kind}</span>
            <span class="what">{what}</span>
          </li>
        ))}
      </ol>
    </Panel>
  )
}

/** The deliveries of the events in its timeline. */
function useDeliveries({ timeline }: Order): readonly Delivery[] {
  const { client } = useConsole()
  const { world, live } = useWorld()
  const [found, setFound] = useState<readonly Delivery[]>([])
  const events = timeline.flatMap(({ event_id }) => event_id ?? []).join()
  useEffect(() => {
    let isCurrent = true
    const read = async () => {
      const ids = events === '' ? [] : events.split(',')
      const lists = ids.map((event_id) => client.call('deliveries.list', { w: world }, { event_id }))
      const pages = await Promise.all(lists).catch(() => [])
      if (isCurrent) setFound(pages.flatMap((page) => page.deliveries))
    }
    const refresh = atMostEvery(REFRESH_EVERY_MS, () => void read())
    refresh()
    const stop = live.watch(['delivery'], refresh)
    return () => {
      isCurrent = false
      refresh.cancel()
      stop()
    }
  }, [client, live, world, events])
  return found
}

function callEntry(call: LoggedRequest): Entry {
  return { at: call.world_time, kind: 'Request', key: call.request_id, what: <Call call={call} /> }
}

function Call({ call }: { call: LoggedRequest }) {
  const address = useAddress()
  return (
    <>
      <StatusBadge status={call.status} /> <CallText call={call} />
      <Link to={address('requests', call.request_id)}>{call.request_id}</Link>
    </>
  )
}

function stepEntry({ status, at, event_id, note }: Order['timeline'][number], index: number): Entry {
  const what = (
    <>
      <StateBadge state={status} />
      {event_id !== null && <EventLink id={event_id} />}
      {note !== null && <span>{note}</span>}
    </>
  )
  return { at, kind: event_id === null ? 'Step' : 'Event', key: `${index} ${status}`, what }
}

function EventLink({ id }: { id: string }) {
  const address = useAddress()
  return <Link to={address('events', id)}>{id}</Link>
}

function deliveryEntry(delivery: Delivery): Entry {
  const at = delivery.last_attempt?.at ?? delivery.created_at
  return { at, kind: 'Delivery', key: delivery.delivery_id, what: <DeliveryLine delivery={delivery} /> }
}

function DeliveryLine({ delivery: { delivery_id, state, type, attempt_count } }: { delivery: Delivery }) {
  const address = useAddress()
  return (
    <>
      <StateBadge state={state} /> <code>{type}</code>
      <Link to={address('deliveries', delivery_id)}>{delivery_id}</Link>
      <span class="soft">{attempt_count === 1 ? '1 attempt' : `${attempt_count} attempts`}</span>
    </>
  )
}
