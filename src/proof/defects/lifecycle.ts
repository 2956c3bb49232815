import type { OrderStep, OrderStepName } from '../../contract/order-states.ts'
import { findListing } from '../../sandbox/inventory/listings.ts'
import type { World } from '../../sandbox/kernel/world.ts'
import { orderFacts } from '../../sandbox/sales/order-steps.ts'
import { findOrder } from '../../sandbox/sales/orders.ts'
import type { Fields } from './answers.ts'
import type { Defect } from './defect.ts'
import { itemsOf, showing } from './routes.ts'

/** Mistakes in what follows the recording of an order. */
export const lifecycleDefects: readonly Defect[] = [
  {
    id: 'transfer-start-is-not-told',
    breaks: ['STATE-01', 'STATE-06'],
    summary: 'Starting a transfer emits no event.',
    ...step('start-transfer', { event: null }),
  },
  {
    id: 'transfer-start-leaves-the-state',
    breaks: ['STATE-01'],
    summary: 'An order whose transfer has started stays EXTERNALLY_PAID.',
    ...step('start-transfer', { to: 'EXTERNALLY_PAID' }),
  },
  {
    id: 'transfer-start-is-told-as-completed',
    breaks: ['STATE-01'],
    summary: 'Starting a transfer emits order.transfer_completed.',
    ...step('start-transfer', { event: 'order.transfer_completed' }),
  },
  {
    id: 'transfer-completion-is-not-told',
    breaks: ['STATE-02', 'STATE-06'],
    summary: 'Completing a transfer emits no event.',
    ...step('complete-transfer', { event: null }),
  },
  {
    id: 'transfer-completion-settles',
    breaks: ['STATE-02'],
    summary: 'A completed order is SETTLED without a settlement run.',
    ...step('complete-transfer', { to: 'SETTLED' }),
  },
  {
    id: 'settlement-is-not-told',
    breaks: ['STATE-03', 'STATE-06'],
    summary: 'Settling an order emits no event.',
    ...step('settle', { event: null }),
  },
  {
    id: 'settlement-leaves-the-state',
    breaks: ['STATE-03'],
    summary: 'A settled order stays TRANSFER_COMPLETED and is settled again by each run.',
    ...step('settle', { to: 'TRANSFER_COMPLETED' }),
  },
  {
    id: 'clearing-is-not-told',
    breaks: ['STATE-04'],
    summary: 'Clearing a held order emits no event.',
    ...step('clear', { event: null }),
  },
  {
    id: 'clearing-leaves-the-order-held',
    breaks: ['STATE-04'],
    summary: 'A cleared order stays held.',
    ...step('clear', { to: 'MANUAL_REVIEW' }),
  },
  {
    id: 'clearing-cancels',
    breaks: ['STATE-04'],
    summary: 'A cleared order is cancelled.',
    ...step('clear', { to: 'CANCELLED' }),
  },
  {
    id: 'refund-is-not-told',
    breaks: ['STATE-05'],
    summary: 'Refunding an order emits no event.',
    ...step('refund', { event: null }),
  },
  {
    id: 'cancellation-is-not-told',
    breaks: ['STATE-05'],
    summary: 'Cancelling an order emits no event.',
    ...step('cancel', { event: null }),
  },
  {
    id: 'refund-leaves-the-state',
    breaks: ['STATE-05'],
    summary: 'A refunded order is EXTERNALLY_PAID as before.',
    ...step('refund', { to: 'EXTERNALLY_PAID' }),
  },
  {
    id: 'cancellation-leaves-the-state',
    breaks: ['STATE-05'],
    summary: 'A cancelled order is EXTERNALLY_PAID as before.',
    ...step('cancel', { to: 'EXTERNALLY_PAID' }),
  },
  {
    id: 'refund-is-told-as-settled',
    breaks: ['STATE-05'],
    summary: 'Refunding an order emits order.settled.',
    ...step('refund', { event: 'order.settled' }),
  },
  {
    id: 'events-swap-start-and-completion',
    breaks: ['STATE-06', 'STATE-01', 'STATE-02'],
    summary: 'The history tells of a transfer’s completion before its start.',
    ...showing('events.list', (body) => ({ ...body, events: itemsOf(body, 'events').map(swapped) })),
  },
  {
    id: 'events-show-orders-as-they-are-now',
    breaks: ['STATE-06'],
    summary: 'The order in an event is looked up when the history is read, so what was told changes afterwards.',
    ...showing('events.list', (body, { world }) => ({
      ...body,
      events: itemsOf(body, 'events').map((event) => ({ ...event, data: { order: currentFacts(world, event) } })),
    })),
  },
  {
    id: 'order-detail-status-never-changes',
    breaks: ['STATE-06', 'STATE-01', 'STATE-02', 'STATE-03'],
    summary: 'Order detail shows EXTERNALLY_PAID for ever, whatever events say.',
    ...showing('orders.detail', (body) => ({ ...body, status: 'EXTERNALLY_PAID' })),
  },
  {
    id: 'polling-shows-the-price-of-the-day',
    breaks: ['STATE-06'],
    summary: 'Order detail shows what its domain is listed for now.',
    ...showing('orders.detail', (body, { world }) => ({
      ...body,
      sale_price_cents: findListing(world, String(body['domain']))?.priceCents ?? body['sale_price_cents'],
    })),
  },
]

function step(name: OrderStepName, change: Partial<OrderStep>): Pick<Defect, 'rules'> {
  return { rules: (sound) => ({ ...sound, steps: { ...sound.steps, [name]: { ...sound.steps[name], ...change } } }) }
}

function currentFacts(world: World, event: Fields): unknown {
  const { order: told } = event['data'] as { order: { public_id: string } }
  const order = findOrder(world, told.public_id)
  return order ? orderFacts(order) : told
}

const SWAPPED: Readonly<Record<string, string>> = {
  'order.transfer_started': 'order.transfer_completed',
  'order.transfer_completed': 'order.transfer_started',
}

function swapped(event: Fields): Fields {
  const type = String(event['type'])
  return { ...event, type: SWAPPED[type] ?? type }
}
