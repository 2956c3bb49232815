import { EVENT_TYPES } from '../../../contract/event-types.ts'
import { DELIVERY_STATES, type Delivery } from '../../../operator-api/rows/deliveries.ts'
import { asked } from '../../api/command-line.ts'
import { useWorld } from '../../console-context.ts'
import { CopyAsCommand } from '../../kit/copy.tsx'
import { ViewHead } from '../../kit/facts.tsx'
import { SelectFilter, useChoice } from '../../kit/field.tsx'
import { StateBadge, stateWords } from '../../kit/state-badge.tsx'
import { Empty } from '../../kit/states.tsx'
import { type Column, LiveTable } from '../../kit/table.tsx'
import { Instant } from '../../kit/time.tsx'
import { useList } from '../../live/use-list.ts'
import { Link, useAddress } from '../../router/link.tsx'
import { NetworkPanel } from './network.tsx'

const idOf = ({ delivery_id: id }: Delivery) => id

/** Webhook deliveries to all partners, newest first, and how the network treats them. */
export function DeliveriesView() {
  const { world } = useWorld()
  const address = useAddress()
  const filters = useDeliveryFilters()
  const list = useList('deliveries.list', { input: filters, idOf, live: ['event', 'delivery', 'clock', 'act'] })
  const columns: readonly Column<Delivery>[] = [
    { head: 'Delivery', cell: (row) => <Link to={address('deliveries', idOf(row))}>{idOf(row)}</Link> },
    { head: 'State', cell: ({ state }) => <StateBadge state={state} /> },
    { head: 'Type', cell: ({ type }) => type },
    { head: 'Attempts', isNumber: true, cell: (row) => row.attempt_count },
    { head: 'Last answer', isNumber: true, cell: ({ last_attempt: last }) => lastAnswer(last) },
    { head: 'Next attempt', isExtra: true, cell: (row) => <Instant at={row.next_attempt_at} /> },
    { head: 'Created', isExtra: true, cell: (row) => <Instant at={row.created_at} /> },
  ]
  return (
    <>
      <ViewHead title="Deliveries">
        <CopyAsCommand of={asked('deliveries.list', { w: world }, filters)} />
      </ViewHead>
      <div class="filters">
        <SelectFilter name="state" label="State" values={DELIVERY_STATES.map((state) => [state, stateWords(state)])} />
        <SelectFilter name="type" label="Type" values={EVENT_TYPES.map((name) => [name, name])} />
      </div>
      <LiveTable name="Deliveries" list={list} columns={columns} idOf={idOf} empty={<NoDeliveries />} />
      <NetworkPanel />
    </>
  )
}

function useDeliveryFilters() {
  const state = useChoice('state', DELIVERY_STATES)
  const type = useChoice('type', EVENT_TYPES)
  return { ...(state && { state }), ...(type && { type }) }
}

function lastAnswer(last: Delivery['last_attempt']): string {
  if (last === null) return '—'
  return last.status === null ? (last.failure ?? 'no answer') : String(last.status)
}

function NoDeliveries() {
  return (
    <Empty title="No deliveries here">
      <p>Register a webhook as the partner (PUT /api/partner/webhooks), then record or move an order.</p>
    </Empty>
  )
}
