import { EVENT_TYPES } from '../../contract/event-types.ts'
import type { Delivery } from '../../operator-api/rows/deliveries.ts'
import type { PartnerEvent } from '../../operator-api/rows/events.ts'
import { asked } from '../api/command-line.ts'
import { useWorld } from '../console-context.ts'
import { Code } from '../kit/copy.tsx'
import { CopyMenu } from '../kit/copy-menu.tsx'
import { Facts, Panel, ViewHead } from '../kit/facts.tsx'
import { SelectFilter, useFilters } from '../kit/field.tsx'
import { ListView } from '../kit/list-view.tsx'
import { StateBadge } from '../kit/state-badge.tsx'
import { Empty, Unanswered } from '../kit/states.tsx'
import { LiveTable, type TableColumn } from '../kit/table.tsx'
import { Instant } from '../kit/time.tsx'
import { useList } from '../live/list.ts'
import { useQuery } from '../live/use-query.ts'
import { IdLink } from '../router/link.tsx'
import { usePartnerNames } from './partners.tsx'
import type { ViewProps } from './view.ts'

const idOf = ({ id }: PartnerEvent) => id

/** What was reported to partners, newest first. */
export function EventsView() {
  const filters = { latest: 'true', ...useFilters({ type: EVENT_TYPES }) } as const
  const columns: readonly TableColumn<PartnerEvent>[] = [
    { head: 'Event', cell: ({ id }) => <IdLink id={id} /> },
    { head: 'At', isExtra: true, cell: (event) => <Instant at={event.created_at} /> },
    { head: 'Type', cell: (event) => event.type },
    { head: 'About', cell: (event) => <IdLink id={subjectOf(event).id} /> },
    { head: 'Domain', cell: (event) => subjectOf(event).domain ?? '—' },
    { head: 'State', isExtra: true, cell: (event) => <StateBadge state={subjectOf(event).status} /> },
  ]
  return (
    <ListView
      title="Events"
      id="events.list"
      input={filters}
      live={['event', 'clock', 'act']}
      name="Events"
      columns={columns}
      idOf={idOf}
      noun="event"
      empty={[
        'No events here',
        'Every step of an order or a case that partners hear of is an event. Record an order, or move one.',
      ]}
    >
      <SelectFilter name="type" label="Type" values={EVENT_TYPES.map((name) => [name, name])} />
    </ListView>
  )
}

/** One event: its payload, and where it was delivered. */
export function EventView({ params }: ViewProps) {
  const { world } = useWorld()
  const partnerName = usePartnerNames()
  const at = { w: world, event_id: params['event_id'] ?? '' }
  const { data: event, error } = useQuery('events.show', at)
  if (event === undefined) return <Unanswered error={error} />
  const { id, domain } = subjectOf(event)
  return (
    <>
      <ViewHead title={<>Event {event.id}</>}>
        <CopyMenu of={asked('events.show', at)} />
      </ViewHead>
      <div class="columns even">
        <Panel title="Facts">
          <Facts
            rows={[
              ['Type', event.type],
              ['About', <IdLink id={id} />],
              ['Domain', domain],
              ['Partner', partnerName(event.partner_id)],
              ['At', <Instant at={event.created_at} />],
            ]}
          />
        </Panel>
        <Panel title="Data">
          <Code name="Data of the event" text={JSON.stringify(event.data, null, 2)} />
        </Panel>
      </div>
      <DeliveriesOf eventId={event.id} />
    </>
  )
}

const deliveryIdOf = ({ delivery_id: id }: Delivery) => id

function DeliveriesOf({ eventId }: { eventId: string }) {
  const list = useList('deliveries.list', {
    input: { event_id: eventId },
    idOf: deliveryIdOf,
    live: ['delivery', 'act'],
  })
  return (
    <Panel title="Deliveries">
      <LiveTable
        name="Deliveries of the event"
        list={list}
        idOf={deliveryIdOf}
        empty={<Empty title="No webhook was registered for it" />}
        columns={[
          {
            head: 'Delivery',
            cell: (row) => <IdLink id={deliveryIdOf(row)} />,
          },
          { head: 'State', cell: ({ state }) => <StateBadge state={state} /> },
          { head: 'Attempts', isNumber: true, cell: (row) => row.attempt_count },
          { head: 'Next attempt', cell: (row) => <Instant at={row.next_attempt_at} /> },
        ]}
      />
    </Panel>
  )
}

/** What an event is about, as it was then. */
interface EventSubject {
  readonly id: string
  readonly domain: string | null
  readonly status: string
}

function subjectOf({ data }: Pick<PartnerEvent, 'data'>): EventSubject {
  if ('case' in data) {
    const { case_id: id, domain, status } = data.case
    return { id, domain, status }
  }
  const { public_id: id, domain, status } = 'order' in data ? data.order : data.transfer
  return { id, domain, status }
}
