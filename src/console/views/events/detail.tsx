import type { Delivery } from '../../../operator-api/rows/deliveries.ts'
import { asked } from '../../api/command-line.ts'
import { useWorld } from '../../console-context.ts'
import { Code, CopyAsCommand } from '../../kit/copy.tsx'
import { Facts, Panel, ViewHead } from '../../kit/facts.tsx'
import { StateBadge } from '../../kit/state-badge.tsx'
import { Empty, Unanswered } from '../../kit/states.tsx'
import { LiveTable } from '../../kit/table.tsx'
import { Instant } from '../../kit/time.tsx'
import { useList } from '../../live/use-list.ts'
import { useQuery } from '../../live/use-query.ts'
import { Link, useAddress } from '../../router/link.tsx'
import type { ViewProps } from '../view.ts'
import { subjectOf } from './subject.ts'

/** One event: its payload, and where it was delivered. */
export function EventView({ params }: ViewProps) {
  const { world } = useWorld()
  const address = useAddress()
  const at = { w: world, event_id: params['event_id'] ?? '' }
  const { data: event, error } = useQuery('events.show', at)
  if (event === undefined) return <Unanswered error={error} />
  const { id, place, domain } = subjectOf(event)
  return (
    <>
      <ViewHead title={<>Event {event.id}</>}>
        <CopyAsCommand of={asked('events.show', at)} />
      </ViewHead>
      <div class="columns even">
        <Panel title="Facts">
          <Facts
            rows={[
              ['Type', event.type],
              ['About', <Link to={address(place, id)}>{id}</Link>],
              ['Domain', domain],
              ['Partner', event.partner_id],
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

const idOf = ({ delivery_id: id }: Delivery) => id

function DeliveriesOf({ eventId }: { eventId: string }) {
  const address = useAddress()
  const list = useList('deliveries.list', { input: { event_id: eventId }, idOf, live: ['delivery', 'act'] })
  return (
    <Panel title="Deliveries">
      <LiveTable
        name="Deliveries of the event"
        list={list}
        idOf={idOf}
        empty={<Empty title="No webhook was registered for it" />}
        columns={[
          { head: 'Delivery', cell: (row) => <Link to={address('deliveries', idOf(row))}>{idOf(row)}</Link> },
          { head: 'State', cell: ({ state }) => <StateBadge state={state} /> },
          { head: 'Attempts', isNumber: true, cell: (row) => row.attempt_count },
          { head: 'Next attempt', cell: (row) => <Instant at={row.next_attempt_at} /> },
        ]}
      />
    </Panel>
  )
}
