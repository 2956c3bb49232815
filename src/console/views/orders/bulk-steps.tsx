import { useState } from 'preact/hooks'
import type { OrderStepName } from '../../../contract/order-states.ts'
import type { Order } from '../../../operator-api/rows/orders.ts'
import { type Asked, asked } from '../../api/command-line.ts'
import { useConsole, useWorld } from '../../console-context.ts'
import { Button } from '../../kit/button.tsx'
import { operationOfStep, STEPS, stepWords } from './steps.tsx'

/** The orders that are picked, of those shown. */
export interface Picked {
  readonly orders: readonly Order[]
  readonly has: (order: Order) => boolean
  readonly toggle: (order: Order) => void
  readonly clear: () => void
}

export function usePicked(rows: readonly Order[]): Picked {
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

export function PickBox({ order, picked }: { order: Order; picked: Picked }) {
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
export function BulkSteps({ picked }: { picked: Picked }) {
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
      {STEPS.map((step) => (
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
