import { ORDER_STEPS, type OrderStep, type OrderStepName } from '../../contract/order-states.ts'
import { findListing } from '../../sandbox/inventory/listings.ts'
import { orderFacts } from '../../sandbox/sales/order-steps.ts'
import { findOrder } from '../../sandbox/sales/orders.ts'
import { orderIn } from './answers.ts'
import { changing, type Defect, defect, type Ruled } from './defect.ts'
import { altering, eachOf } from './routes.ts'

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
  defect('events-show-orders-as-they-are-now', ['STATE-06'], {
    summary: 'The order in an event is looked up when the history is read, so past events change later.',
    ...eachOf('events.list', (event, { world }) => {
      const order = findOrder(world, String(orderIn(event)?.['public_id']))
      return order ? { ...event, data: { order: orderFacts(order) } } : event
    }),
  }),
  defect('polling-shows-the-price-of-the-day', ['STATE-06'], {
    summary: 'Order detail shows what its domain is listed for now.',
    ...altering('orders.detail', (body, { world }) => ({
      sale_price_cents: findListing(world, String(body['domain']))?.priceCents ?? body['sale_price_cents'],
    })),
  }),
]

function untold(act: string, words: string, name: OrderStepName, breaks: Defect['breaks']): Defect {
  return defect(`${act}-is-not-told`, breaks, { summary: `${words} emits no event.`, ...step(name, { event: null }) })
}

function step(name: OrderStepName, change: Partial<OrderStep>): Ruled {
  return changing('steps', { [name]: { ...ORDER_STEPS[name], ...change } })
}
