import type { OrderStepName } from '../../../contract/order-states.ts'
import type { Order } from '../../../operator-api/rows/orders.ts'
import { asked } from '../../api/command-line.ts'
import { useWorld } from '../../console-context.ts'
import { Button } from '../../kit/button.tsx'
import { CopyAsCommand } from '../../kit/copy.tsx'
import { Facts, Panel, ViewHead } from '../../kit/facts.tsx'
import { moneyText } from '../../kit/money.ts'
import { StateBadge } from '../../kit/state-badge.tsx'
import { Unanswered } from '../../kit/states.tsx'
import { Instant } from '../../kit/time.tsx'
import { useAct } from '../../live/use-act.ts'
import { useQuery } from '../../live/use-query.ts'
import type { ViewProps } from '../view.ts'
import { HistoryPanel } from './history.tsx'
import { StateMachine } from './state-machine.tsx'
import { operationOfStep, STEPS, stepWords, whyNot } from './steps.tsx'

/** One order: its state, what can be done with it, and its history. */
export function OrderView({ params }: ViewProps) {
  const { world } = useWorld()
  const publicId = params['public_id'] ?? ''
  const order = useQuery(
    'orders.show',
    { w: world, public_id: publicId },
    { live: ['request', 'event', 'clock', 'act'] },
  )
  if (order.data === undefined) return <Unanswered error={order.error} />
  return (
    <>
      <ViewHead
        title={
          <>
            {order.data.domain} <span class="soft">{order.data.public_id}</span>
          </>
        }
      >
        <CopyAsCommand of={asked('orders.show', { w: world, public_id: publicId })} />
      </ViewHead>
      <StepsPanel order={order.data} reload={order.reload} />
      <div class="columns">
        <HistoryPanel order={order.data} />
        <MoneyPanel order={order.data} />
      </div>
    </>
  )
}

function StepsPanel({ order, reload }: { order: Order; reload: () => void }) {
  const { world } = useWorld()
  const { isBusy, act } = useAct()
  const take = (step: OrderStepName) => {
    const params = { w: world, public_id: order.public_id }
    act((call) => call(operationOfStep(step), params, {}), `${stepWords(step)}: done`, reload)
  }
  return (
    <Panel title="State" actions={<StateBadge state={order.status} />}>
      <StateMachine now={order.status} visited={order.timeline.map(({ status }) => status)} allowed={order.steps} />
      <div class="buttons">
        {STEPS.map((step) => (
          <Button key={step} isBusy={isBusy} disabledBecause={whyNot(step, order)} onClick={() => take(step)}>
            {stepWords(step)}
          </Button>
        ))}
      </div>
    </Panel>
  )
}

function MoneyPanel({ order }: { order: Order }) {
  const money = (cents: number) => moneyText(cents, order.currency)
  return (
    <Panel title="Money">
      <Facts
        rows={[
          ['Price', money(order.sale_price_cents)],
          ['Commission', money(order.commission_cents)],
          ['Partner owes', money(order.amount_owed_cents)],
          ['Payment', order.payment_model],
          ['Buyer', order.buyer.email],
          ['Partner', order.partner_id],
          ['Quote', order.quote_id],
          ['External reference', order.external_payment_ref],
          ['Created', <Instant at={order.created_at} />],
          ['Changed', <Instant at={order.updated_at} />],
        ]}
      />
    </Panel>
  )
}
