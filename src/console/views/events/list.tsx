import { EVENT_TYPES } from '../../../contract/event-types.ts'
import type { PartnerEvent } from '../../../operator-api/rows/events.ts'
import { asked } from '../../api/command-line.ts'
import { useWorld } from '../../console-context.ts'
import { CopyAsCommand } from '../../kit/copy.tsx'
import { ViewHead } from '../../kit/facts.tsx'
import { SelectFilter, useChoice } from '../../kit/field.tsx'
import { StateBadge } from '../../kit/state-badge.tsx'
import { Empty } from '../../kit/states.tsx'
import { type Column, LiveTable } from '../../kit/table.tsx'
import { Instant } from '../../kit/time.tsx'
import { useList } from '../../live/use-list.ts'
import { Link, useAddress } from '../../router/link.tsx'
import { subjectOf } from './subject.ts'

const idOf = ({ id }: PartnerEvent) => id

/** What was reported to partners, newest first. */
export function EventsView() {
  const { world } = useWorld()
  const address = useAddress()
  const type = useChoice('type', EVENT_TYPES)
  const filters = { latest: 'true', ...(type && { type }) } as const
  const list = useList('events.list', { input: filters, idOf, live: ['event', 'clock', 'act'] })
  const columns: readonly Column<PartnerEvent>[] = [
    { head: 'Event', cell: ({ id }) => <Link to={address('events', id)}>{id}</Link> },
    { head: 'Type', cell: (event) => event.type },
    {
      head: 'About',
      cell: (event) => {
        const { id, place } = subjectOf(event)
        return <Link to={address(place, id)}>{id}</Link>
      },
    },
    { head: 'Domain', cell: (event) => subjectOf(event).domain ?? '—' },
    { head: 'State', isExtra: true, cell: (event) => <StateBadge state={subjectOf(event).status} /> },
    { head: 'At', isExtra: true, cell: (event) => <Instant at={event.created_at} /> },
  ]
  return (
    <>
      <ViewHead title="Events">
        <CopyAsCommand of={asked('events.list', { w: world }, filters)} />
      </ViewHead>
      <div class="filters">
        <SelectFilter name="type" label="Type" values={EVENT_TYPES.map((name) => [name, name])} />
      </div>
      <LiveTable name="Events" list={list} columns={columns} idOf={idOf} empty={<NoEvents />} />
    </>
  )
}

function NoEvents() {
  return (
    <Empty title="No events here">
      <p>Every step of an order or a case that partners hear of is an event. Record an order, or move one.</p>
    </Empty>
  )
}
