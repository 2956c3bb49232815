import { useState } from 'preact/hooks'
import { moneyText } from '../../contract/money.ts'
import { isUndone, OPERATOR_STEPS, ORDER_STATES, ORDER_STEPS, type OrderStepName } from '../../contract/order-states.ts'
import type { QueryOf } from '../../operator-api/operations.ts'
import type { Order } from '../../operator-api/rows/orders.ts'
import { type Asked, asked } from '../api/command-line.ts'
import { useConsole, useWorld } from '../console-context.ts'
import { Button } from '../kit/button.tsx'
import { CopyMenu } from '../kit/copy-menu.tsx'
import { Dialog, YesOrNo } from '../kit/dialog.tsx'
import { ViewHead } from '../kit/facts.tsx'
import { SelectFilter, TextFilter, useFilters } from '../kit/field.tsx'
import { NoRows, RowCount } from '../kit/list-view.tsx'
import { StateBadge, stateOptions } from '../kit/state-badge.tsx'
import { LiveTable, type TableColumn } from '../kit/table.tsx'
import { Instant } from '../kit/time.tsx'
import { countText } from '../kit/words.ts'
import { useList } from '../live/list.ts'
import { useQuery } from '../live/use-query.ts'
import { IdLink } from '../router/link.tsx'
import { DONE, operationOfStep, stepWords } from './order-states.tsx'

const idOf = (order: Order) => order.public_id

/** All orders of the world, newest first. */
export function OrdersView() {
  const { world } = useWorld()
  const filters = useFilters({ status: ORDER_STATES, q: 'any', domain: 'any' })
  const list = useList('orders.list', { input: filters, idOf, live: LIVE })
  const total = useTotal(filters)
  const selection = useSelection(list.rows ?? [])
  const columns: readonly TableColumn<Order>[] = [
    {
      head: 'Select',
      headCell: () => <SelectAll selection={selection} />,
      cell: (order) => <SelectOne order={order} selection={selection} />,
    },
    { head: 'Order', cell: (order) => <IdLink id={order.public_id} /> },
    { head: 'State', cell: (order) => <StateBadge state={order.status} /> },
    { head: 'Domain', cell: (order) => order.domain },
    { head: 'Price', isNumber: true, cell: (order) => moneyText(order.sale_price_cents, order.currency) },
    {
      head: 'Buyer',
      isRest: true,
      isExtra: true,
      cell: ({ buyer: { email } }) => <span title={email}>{email}</span>,
    },
    { head: 'Created', isExtra: true, cell: (order) => <Instant at={order.created_at} /> },
  ]
  return (
    <>
      <ViewHead title="Orders" note={<RowCount list={list} noun="order" total={total} />}>
        <CopyMenu of={asked('orders.list', { w: world }, filters)} />
      </ViewHead>
      <div class="filters">
        <TextFilter name="q" label="Search" placeholder="Id, domain or buyer" />
        <SelectFilter name="status" label="State" values={stateOptions(ORDER_STATES)} />
      </div>
      <LiveTable
        name="Orders"
        list={list}
        columns={columns}
        idOf={idOf}
        empty={
          <NoRows
            noun="order"
            empty={[
              'No orders here',
              'An order appears when a partner records a sale (POST /orders) or a buyer pays a checkout session.',
            ]}
          />
        }
      />
      <BulkSteps selection={selection} />
    </>
  )
}

const LIVE = ['request', 'event', 'clock', 'act'] as const

/** How many orders the filters let through; undefined while a text is searched. */
function useTotal({ status, q, domain }: QueryOf<'orders.list'>): number | undefined {
  const { world } = useWorld()
  const { data } = useQuery('worlds.summary', { w: world }, { live: LIVE })
  if (data === undefined || q !== undefined || domain !== undefined) return undefined
  if (status !== undefined) return data.orders[status] ?? 0
  return Object.values(data.orders).reduce((sum, count) => sum + count, 0)
}

/** The orders that are selected, of those shown. */
interface OrderSelection {
  readonly shown: readonly Order[]
  readonly orders: readonly Order[]
  readonly has: (order: Order) => boolean
  readonly toggle: (order: Order) => void
  readonly set: (orders: readonly Order[]) => void
}

function useSelection(shown: readonly Order[]): OrderSelection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const toggle = ({ public_id: id }: Order) => {
    const changed = new Set(ids)
    if (!changed.delete(id)) changed.add(id)
    setIds(changed)
  }
  return {
    shown,
    orders: shown.filter(({ public_id }) => ids.has(public_id)),
    has: ({ public_id }) => ids.has(public_id),
    toggle,
    set: (orders) => setIds(new Set(orders.map(idOf))),
  }
}

function SelectOne({ order, selection }: { order: Order; selection: OrderSelection }) {
  return (
    <input
      type="checkbox"
      aria-label={`Select ${order.public_id}`}
      checked={selection.has(order)}
      onChange={() => selection.toggle(order)}
    />
  )
}

function SelectAll({ selection: { shown, orders, set } }: { selection: OrderSelection }) {
  const isAll = orders.length === shown.length
  return (
    <input
      type="checkbox"
      aria-label="Select all shown orders"
      checked={isAll}
      indeterminate={orders.length > 0 && !isAll}
      onChange={() => set(isAll ? [] : shown)}
    />
  )
}

/** Takes a step with all orders that are selected, one after the other; those that refuse it are counted and named. */
function BulkSteps({ selection: { orders, set } }: { selection: OrderSelection }) {
  const { client, toasts } = useConsole()
  const { world } = useWorld()
  const [isBusy, setBusy] = useState(false)
  const [self] = useState({})
  const [asks, setAsks] = useState<OrderStepName | null>(null)
  if (orders.length === 0) return null
  const take = async (step: OrderStepName) => {
    setBusy(true)
    const refused: { domain: string; error: unknown }[] = []
    const done: Asked[] = []
    for (const { public_id, domain } of orders) {
      const one = asked(operationOfStep(step), { w: world, public_id }, {})
      await client.call(operationOfStep(step), { w: world, public_id }, {}).then(
        () => done.push(one),
        (error) => refused.push({ domain, error }),
      )
    }
    setBusy(false)
    toasts.settle(self)
    if (done.length > 0) toasts.done(`${countText(done.length, 'order')}: ${DONE[step]}`, done)
    for (const { domain, error } of refused.slice(0, 3)) toasts.failed(error, { about: domain, of: self })
    const moreCount = refused.length - 3
    if (moreCount > 0) toasts.failed(new Error(`${countText(moreCount, 'more order')} refused the step.`), { of: self })
  }
  return (
    <section class="bulk" aria-label="Selected orders">
      <strong>{orders.length} selected</strong>
      {OPERATOR_STEPS.map((step) => (
        <Button
          key={step}
          isBusy={isBusy}
          disabledBecause={
            orders.some(({ steps }) => steps.includes(step)) ? undefined : 'None of them allows this now.'
          }
          onClick={() => (orders.length > 1 && isUndone(ORDER_STEPS[step].to) ? setAsks(step) : void take(step))}
        >
          {stepWords(step)}
        </Button>
      ))}
      <Button kind="quiet" onClick={() => set([])}>
        Clear selection
      </Button>
      {asks !== null && (
        <EndDialog step={asks} orders={orders} onYes={() => void take(asks)} onClose={() => setAsks(null)} />
      )}
    </section>
  )
}

interface EndProps {
  step: OrderStepName
  orders: readonly Order[]
  onYes: () => void
  onClose: () => void
}

/** Asks before many orders end. */
function EndDialog({ step, orders, onYes, onClose }: EndProps) {
  const count = orders.filter(({ steps }) => steps.includes(step)).length
  const others = orders.length - count
  const act = `${stepWords(step)} ${countText(count, 'order')}`
  return (
    <Dialog title={`${act}?`} onClose={onClose}>
      <p>
        No step leads back from there.
        {others > 0 && ` ${countText(others, 'selected order does', 'selected orders do')} not allow it now.`}
      </p>
      <YesOrNo yes={act} no={count === 1 ? 'Keep it' : 'Keep them'} onYes={onYes} onClose={onClose} />
    </Dialog>
  )
}
