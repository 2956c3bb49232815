import { ORDER_STEPS, type OrderStep, type OrderStepName } from '../../contract/order-states.ts'
import { findEvent } from '../../sandbox/events/events.ts'
import { findListing } from '../../sandbox/inventory/listings.ts'
import type { World } from '../../sandbox/kernel/world.ts'
import { orderFacts } from '../../sandbox/sales/order-steps.ts'
import { findOrder } from '../../sandbox/sales/orders.ts'
import { type Fields, without } from './answers.ts'
import { changing, type Defect, defect, type Ruled } from './defect.ts'
import { hasBeenInReview, hasQuote } from './orders.ts'
import { altering, eachOf, keeping } from './routes.ts'

const DAY_MS = 86_400_000

/** Mistakes in what follows the recording of an order. */
export const lifecycleDefects: readonly Defect[] = [
  untold('transfer-start', 'Starting a transfer', 'start-transfer', ['STATE-01', 'STATE-06']),
  defect('transfer-start-leaves-the-state', ['STATE-01'], {
    summary: 'An order whose transfer has started stays EXTERNALLY_PAID.',
    ...step('start-transfer', { to: 'EXTERNALLY_PAID' }),
  }),
  untold('transfer-completion', 'Completing a transfer', 'complete-transfer', ['STATE-02', 'STATE-06']),
  defect('transfer-completion-settles', ['STATE-02'], {
    summary: 'A completed order is SETTLED without a settlement run.',
    ...step('complete-transfer', { to: 'SETTLED' }),
  }),
  untold('settlement', 'Settling an order', 'settle', ['STATE-03', 'STATE-06']),
  defect('settlement-leaves-the-state', ['STATE-03'], {
    summary: 'A settled order stays TRANSFER_COMPLETED and is settled again by each run.',
    ...step('settle', { to: 'TRANSFER_COMPLETED' }),
  }),
  untold('clearing', 'Clearing a held order', 'clear', ['STATE-04']),
  defect('clearing-leaves-the-order-held', ['STATE-04'], {
    summary: 'A cleared order stays held.',
    ...step('clear', { to: 'MANUAL_REVIEW' }),
  }),
  untold('refund', 'Refunding an order', 'refund', ['STATE-05']),
  defect('refund-leaves-the-state', ['STATE-05'], {
    summary: 'A refunded order is EXTERNALLY_PAID as before.',
    ...step('refund', { to: 'EXTERNALLY_PAID' }),
  }),
  defect('cancellation-leaves-the-state', ['STATE-05'], {
    summary: 'A cancelled order is EXTERNALLY_PAID as before.',
    ...step('cancel', { to: 'EXTERNALLY_PAID' }),
  }),
  defect('events-of-steps-lack-the-price', ['STATE-01', 'STATE-02', 'STATE-03', 'STATE-04', 'STATE-05', 'REF-01'], {
    summary: 'The order in an event has its price and currency only where it was recorded.',
    ...eachOf('events.list', 'events', (event) => {
      const { order } = event['data'] as { order?: Fields }
      if (order === undefined || event['type'] === 'order.recorded') return event
      return { ...event, data: { order: without(order, 'sale_price_cents', 'currency') } }
    }),
  }),
  defect('reviewed-orders-are-told-no-more', ['STATE-01', 'STATE-03', 'STATE-05'], {
    summary: 'An order that has been in review has no events of its later steps.',
    ...keeping('events.list', 'events', (event, { world }) => {
      const { order } = event['data'] as { order?: Fields }
      const isTold = ['order.recorded', 'order.manual_review_cleared'].includes(String(event['type']))
      return order === undefined || isTold || !hasBeenInReview(world, order['public_id'])
    }),
  }),
  defect('second-clearing-is-not-told', ['STATE-04'], {
    summary: 'Only the first time that a held order is cleared emits an event.',
    ...keeping('events.list', 'events', ({ id, type, data }, { world }) => {
      const { order } = data as { order?: Fields }
      if (type !== 'order.manual_review_cleared') return true
      const first = world.db.prepare(
        "SELECT min(seq) FROM events WHERE type = 'order.manual_review_cleared' AND json_extract(data, '$.order.public_id') = ?",
      )
      return findEvent(world, String(id))?.seq === first.pluck().get(order?.['public_id'])
    }),
  }),
  defect('orders-with-a-quote-start-silently', ['STATE-06'], {
    summary: 'The start of the transfer of an order with a quote emits no event.',
    ...keeping('events.list', 'events', ({ type, data }, { world }) => {
      const { order } = data as { order?: Fields }
      return type !== 'order.transfer_started' || !hasQuote(world, order?.['public_id'])
    }),
  }),
  defect('settlement-passes-over-the-day-before', ['STATE-03'], {
    summary: 'A run settles only what was delivered on its own day.',
    ...altering('orders.detail', ({ status, timeline }) => ({
      status: status === 'SETTLED' && isDeliveredBefore(timeline as Fields[]) ? 'TRANSFER_COMPLETED' : status,
    })),
  }),
  defect('clearing-is-told-with-the-former-state', ['STATE-04'], {
    summary: 'The order in order.manual_review_cleared is still in review.',
    ...eachOf('events.list', 'events', (event) => {
      const { order } = event['data'] as { order?: Fields }
      const isCleared = event['type'] === 'order.manual_review_cleared'
      return isCleared ? { ...event, data: { order: { ...order, status: 'MANUAL_REVIEW' } } } : event
    }),
  }),
  defect('events-show-orders-as-they-are-now', ['STATE-06'], {
    summary: 'The order in an event is looked up when the history is read, so past events change later.',
    ...eachOf('events.list', 'events', (event, { world }) => ({
      ...event,
      data: { order: currentFacts(world, event) },
    })),
  }),
  defect('events-show-the-price-of-the-day', ['STATE-06'], {
    summary: 'The order in an event has what its domain is listed for when the history is read.',
    ...eachOf('events.list', 'events', (event, { world }) => atPriceOfTheDay(world, event)),
  }),
  defect('polling-shows-the-price-of-the-day', ['STATE-06'], {
    summary: 'Order detail shows what its domain is listed for now.',
    ...altering('orders.detail', (body, { world }) => ({
      sale_price_cents: findListing(world, String(body['domain']))?.priceCents ?? body['sale_price_cents'],
    })),
  }),
  ...(['REFUNDED', 'SETTLED'] as const).map((state) =>
    defect(`timeline-lacks-${state.toLowerCase()}`, ['ORD-09'], {
      summary: `The timeline of an order does not show that it is ${state}.`,
      ...altering('orders.detail', ({ timeline }) => ({
        timeline: (timeline as Fields[]).filter(({ status }) => status !== state),
      })),
    }),
  ),
]

/** Do days lie between the delivery of an order and its settlement? */
function isDeliveredBefore(timeline: readonly Fields[]): boolean {
  const [delivered, settled] = timeline.slice(-2).map(({ at }) => Date.parse(String(at)))
  return Number(settled) - Number(delivered) > DAY_MS
}

function untold(act: string, words: string, name: OrderStepName, breaks: Defect['breaks']): Defect {
  return defect(`${act}-is-not-told`, breaks, { summary: `${words} emits no event.`, ...step(name, { event: null }) })
}

function step(name: OrderStepName, change: Partial<OrderStep>): Ruled {
  return changing('steps', { [name]: { ...ORDER_STEPS[name], ...change } })
}

function atPriceOfTheDay(world: World, event: Fields): Fields {
  const { order } = event['data'] as { order?: { domain: string; sale_price_cents: number } }
  if (order === undefined) return event
  const sale_price_cents = findListing(world, order.domain)?.priceCents ?? order.sale_price_cents
  return { ...event, data: { order: { ...order, sale_price_cents } } }
}

function currentFacts(world: World, event: Fields): unknown {
  const { order: reported } = event['data'] as { order: { public_id: string } }
  const order = findOrder(world, reported.public_id)
  return order ? orderFacts(order) : reported
}
