import { useState } from 'preact/hooks'
import { moneyText } from '../../contract/money.ts'
import { OPERATOR_STEPS, ORDER_STATES, type OrderStepName } from '../../contract/order-states.ts'
import type { Order } from '../../operator-api/rows/orders.ts'
import { type Asked, asked } from '../api/command-line.ts'
import { useConsole, useWorld } from '../console-context.ts'
import { Button } from '../kit/button.tsx'
import { CopyAsCommand } from '../kit/copy.tsx'
import { ViewHead } from '../kit/facts.tsx'
import { SelectFilter, TextFilter, useChoice, useFilter } from '../kit/field.tsx'
import { StateBadge, stateWords } from '../kit/state-badge.tsx'
import { type Column, LiveTable } from '../kit/table.tsx'
import { Instant } from '../kit/time.tsx'
import { useList } from '../live/list.ts'
import { Link, useAddress } from '../router/link.tsx'
import { operationOfStep, stepWords } from './order-states.tsx'

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
      <LiveTable
        name="Orders"
        list={list}
        columns={columns}
        idOf={idOf}
        empty={[
          'No orders here',
          'An order appears when a partner records a sale (POST /orders) or a buyer pays a checkout session.',
        ]}
      />
    </>
  )
}

function useOrderFilters() {
  const [q] = useFilter('q')
  const [domain] = useFilter('domain')
  const status = useChoice('status', ORDER_STATES)
  return { ...(status && { status }), ...(q && { q }), ...(domain && { domain }) }
}

/** The orders that are picked, of those shown. */
interface Picked {
  readonly orders: readonly Order[]
  readonly has: (order: Order) => boolean
  readonly toggle: (order: Order) => void
  readonly clear: () => void
}

function usePicked(rows: readonly Order[]): Picked {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const toggle = ({ public_id: id }: Order) => {
    const changed = new Set(ids)
    if (!changed.delete(id)) changed.add(id)
    setIds(changed)
  }
  return {
    orders: rows.filter(({ public_id }) => ids.has(public_id)),
    has: ({ public_id }) => ids.has(public_id),
    toggle,
    clear: () => setIds(new Set()),
  }
}

function PickBox({ order, picked }: { order: Order; picked: Picked }) {
  return (
    <input
      type="checkbox"
      aria-label={`Pick ${order.public_id}`}
      checked={picked.has(order)}
      onChange={() => picked.toggle(order)}
    />
  )
}

/** Takes a step with all orders that are picked, one after the other; those that refuse it are counted and named. */
function BulkSteps({ picked }: { picked: Picked }) {
  const { client, toasts } = useConsole()
  const { world } = useWorld()
  const [isBusy, setBusy] = useState(false)
  const { orders } = picked
  if (orders.length === 0) return null
  const take = async (step: OrderStepName) => {
    setBusy(true)
    const refused: unknown[] = []
    const done: Asked[] = []
    for (const { public_id } of orders) {
      const one = asked(operationOfStep(step), { w: world, public_id }, {})
      await client.call(operationOfStep(step), { w: world, public_id }, {}).then(
        () => done.push(one),
        (error) => refused.push(error),
      )
    }
    setBusy(false)
    if (done.length > 0) toasts.done(`${stepWords(step)}: ${done.length} orders`, done)
    for (const error of refused.slice(0, 3)) toasts.failed(error)
  }
  return (
    <div class="bulk">
      <strong>{orders.length} picked</strong>
      {OPERATOR_STEPS.map((step) => (
        <Button
          key={step}
          isBusy={isBusy}
          disabledBecause={
            orders.some(({ steps }) => steps.includes(step)) ? undefined : 'None of them allows this now.'
          }
          onClick={() => void take(step)}
        >
          {stepWords(step)}
        </Button>
      ))}
      <Button kind="quiet" onClick={picked.clear}>
        Pick none
      </Button>
    </div>
  )
}
