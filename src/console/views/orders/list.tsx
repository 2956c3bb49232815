import { ORDER_STATES } from '../../../contract/order-states.ts'
import type { Order } from '../../../operator-api/rows/orders.ts'
import { asked } from '../../api/command-line.ts'
import { useWorld } from '../../console-context.ts'
import { CopyAsCommand } from '../../kit/copy.tsx'
import { ViewHead } from '../../kit/facts.tsx'
import { SelectFilter, TextFilter, useChoice, useFilter } from '../../kit/field.tsx'
import { moneyText } from '../../kit/money.ts'
import { StateBadge, stateWords } from '../../kit/state-badge.tsx'
import { Empty } from '../../kit/states.tsx'
import { type Column, LiveTable } from '../../kit/table.tsx'
import { Instant } from '../../kit/time.tsx'
import { useList } from '../../live/use-list.ts'
import { Link, useAddress } from '../../router/link.tsx'
import { BulkSteps, PickBox, usePicked } from './bulk-steps.tsx'

const idOf = (order: Order) => order.public_id

/** All orders of the world, newest first. */
export function OrdersView() {
  const { world } = useWorld()
  const address = useAddress()
  const filters = useOrderFilters()
  const list = useList('orders.list', { input: filters, idOf, live: ['request', 'event', 'clock', 'act'] })
  const picked = usePicked(list.rows ?? [])
  const columns: readonly Column<Order>[] = [
    { head: 'Pick', isHeadHidden: true, cell: (order) => <PickBox order={order} picked={picked} /> },
    { head: 'Order', cell: (order) => <Link to={address('orders', order.public_id)}>{order.public_id}</Link> },
    { head: 'State', cell: (order) => <StateBadge state={order.status} /> },
    { head: 'Domain', cell: (order) => order.domain },
    { head: 'Price', isNumber: true, cell: (order) => moneyText(order.sale_price_cents, order.currency) },
    { head: 'Buyer', isExtra: true, cell: (order) => order.buyer.email },
    { head: 'Created', isExtra: true, cell: (order) => <Instant at={order.created_at} /> },
  ]
  return (
    <>
      <ViewHead title="Orders">
        <CopyAsCommand of={asked('orders.list', { w: world }, filters)} />
      </ViewHead>
      <div class="filters">
        <TextFilter name="q" label="Search" placeholder="id, domain, buyer" />
        <SelectFilter name="status" label="State" values={ORDER_STATES.map((state) => [state, stateWords(state)])} />
      </div>
      <BulkSteps picked={picked} />
      <LiveTable name="Orders" list={list} columns={columns} idOf={idOf} empty={<NoOrders />} />
    </>
  )
}

function useOrderFilters() {
  const [q] = useFilter('q')
  const [domain] = useFilter('domain')
  const status = useChoice('status', ORDER_STATES)
  return { ...(status && { status }), ...(q && { q }), ...(domain && { domain }) }
}

function NoOrders() {
  return (
    <Empty title="No orders here">
      <p>An order appears when a partner records a sale (POST /orders) or a buyer pays a checkout session.</p>
    </Empty>
  )
}
