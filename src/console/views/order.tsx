import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { moneyText } from '../../contract/money.ts'
import type { OrderStepName } from '../../contract/order-states.ts'
import { OPERATOR_STEPS, ORDER_STEPS } from '../../contract/order-states.ts'
import type { Delivery } from '../../operator-api/rows/deliveries.ts'
import type { Order } from '../../operator-api/rows/orders.ts'
import type { LoggedRequest } from '../../operator-api/rows/requests.ts'
import { asked } from '../api/command-line.ts'
import { useConsole, useWorld } from '../console-context.ts'
import { Button } from '../kit/button.tsx'
import { CopyMenu } from '../kit/copy-menu.tsx'
import { Facts, Panel, ViewHead } from '../kit/facts.tsx'
import { SwitchFilter, useFilter } from '../kit/field.tsx'
import { SpelledState, StateBadge } from '../kit/state-badge.tsx'
import { Unanswered } from '../kit/states.tsx'
import { Instant, instantText } from '../kit/time.tsx'
import { countText, MODEL_WORDS } from '../kit/words.ts'
import { keepFresh } from '../live/live.ts'
import { useAct } from '../live/use-act.ts'
import { useQuery } from '../live/use-query.ts'
import { IdLink } from '../router/link.tsx'
import { DONE, operationOfStep, StateMachine, stepWords, whyNot } from './order-states.tsx'
import { usePartnerNames } from './partners.tsx'
import { CallStatus, CallText } from './requests.tsx'
import type { ViewProps } from './view.ts'

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
        <CopyMenu of={asked('orders.show', { w: world, public_id: publicId })} />
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
    act((call) => call(operationOfStep(step), params, {}), `${order.domain}: ${DONE[step]}`, reload)
  }
  return (
    <Panel title="State" actions={<SpelledState state={order.status} />}>
      <StateMachine now={order.status} visited={order.timeline.map(({ status }) => status)} allowed={order.steps} />
      <div class="buttons">
        {OPERATOR_STEPS.map((step) => (
          <Button
            key={step}
            isBusy={isBusy}
            disabledBecause={whyNot(step, order, ORDER_STEPS[step].from, 'order')}
            onClick={() => take(step)}
          >
            {stepWords(step)}
          </Button>
        ))}
      </div>
    </Panel>
  )
}

function MoneyPanel({ order }: { order: Order }) {
  const partnerName = usePartnerNames()
  const money = (cents: number) => moneyText(cents, order.currency)
  return (
    <Panel title="Money">
      <Facts
        rows={[
          ['Price', money(order.sale_price_cents)],
          ['Commission', money(order.commission_cents)],
          ['Partner owes', money(order.amount_owed_cents)],
          ['Payment', MODEL_WORDS[order.payment_model]],
          ['Buyer', order.buyer.email],
          ["Buyer's name", order.buyer.name],
          ["Buyer's country", order.buyer.country],
          ['Partner', partnerName(order.partner_id)],
          ['Quote', order.quote_id],
          ['External reference', order.external_payment_ref],
          ['Created', <Instant at={order.created_at} />],
          ['Changed', <Instant at={order.updated_at} />],
        ]}
      />
    </Panel>
  )
}

interface TimelineRow {
  readonly at: string
  readonly kind: string
  readonly key: string
  readonly what: ComponentChildren
}

/** What happened to an order in one list, newest first: calls, steps with their events, deliveries. */
function HistoryPanel({ order }: { order: Order }) {
  const calls = useCalls(order)
  const deliveries = useDeliveries(order)
  const entries = [
    ...calls.toReversed().map(callEntry),
    ...order.timeline.map(stepEntry),
    ...deliveries.map(deliveryEntry),
  ].sort((a, b) => a.at.localeCompare(b.at))
  return (
    <Panel title="History" actions={<SwitchFilter name="calls" label="All calls" />}>
      <ol class="history">
        {entries.toReversed().map(({ at, kind, key, what }) => (
          <li key={key}>
            <time class="soft" dateTime={at} title={`World time ${at}`}>
              {instantText(at)}
            </time>
            <span>{kind}</span>
            <span class="what">{what}</span>
          </li>
        ))}
      </ol>
    </Panel>
  )
}

/** The calls that wrote about an order or asked for it by its id; with the filter also the lists in which it was. */
function useCalls({ public_id: q }: Order): readonly LoggedRequest[] {
  const { world } = useWorld()
  const [isAll] = useFilter('calls')
  const when = isAll !== 'true'
  const all = useQuery('requests.list', { w: world }, { input: { q, limit: CALLS }, live: ['request'], when: !when })
  const writes = useQuery(
    'requests.list',
    { w: world },
    { input: { q, method: 'POST', limit: CALLS }, live: ['request'], when },
  )
  const reads = useQuery(
    'requests.list',
    { w: world },
    { input: { q, endpoint: 'orders.detail', limit: CALLS }, live: ['request'], when },
  )
  const found = when ? [writes, reads] : [all]
  return found.flatMap(({ data }) => data?.requests ?? []).sort((one, other) => other.position - one.position)
}

/** So many calls of each kind are listed at most. */
const CALLS = 50

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
    const stop = keepFresh(live, ['delivery'], read)
    return () => {
      isCurrent = false
      stop()
    }
  }, [client, live, world, events])
  return found
}

function callEntry(call: LoggedRequest): TimelineRow {
  return { at: call.world_time, kind: 'Request', key: call.request_id, what: <Call call={call} /> }
}

function Call({ call }: { call: LoggedRequest }) {
  return (
    <>
      <CallStatus call={call} /> <CallText call={call} />
      <IdLink id={call.request_id} section="requests" />
    </>
  )
}

function stepEntry({ status, at, event_id, note }: Order['timeline'][number], index: number): TimelineRow {
  const what = (
    <>
      <StateBadge state={status} />
      {event_id !== null && <IdLink id={event_id} />}
      {note !== null && <span>{note}</span>}
    </>
  )
  return { at, kind: event_id === null ? 'Step' : 'Event', key: `${index} ${status}`, what }
}

function deliveryEntry(delivery: Delivery): TimelineRow {
  const at = delivery.last_attempt?.at ?? delivery.created_at
  return { at, kind: 'Delivery', key: delivery.delivery_id, what: <DeliveryLine delivery={delivery} /> }
}

function DeliveryLine({ delivery: { delivery_id, state, type, attempt_count } }: { delivery: Delivery }) {
  return (
    <>
      <StateBadge state={state} /> <code>{type}</code>
      <IdLink id={delivery_id} />
      {attempt_count > 1 && <span class="soft">{countText(attempt_count, 'attempt')}</span>}
    </>
  )
}
