import { findListing } from '../../sandbox/inventory/listings.ts'
import type { Fields } from './answers.ts'
import { type Defect, defect } from './defect.ts'
import { hasBeenInReview } from './orders.ts'
import {
  type AnyInput,
  altering,
  eachOf,
  handling,
  ignoring,
  ignoringBeside,
  isOfThirtyDays,
  itemsOf,
  keeping,
  listing,
  listingEveryones,
  twice,
} from './routes.ts'

const FILTERS = ['status', 'domain', 'from', 'to'] as const

/** Mistakes of GET /orders. */
export const orderListDefects: readonly Defect[] = [
  defect('list-shows-everyones-orders', ['ORD-06'], {
    summary: 'The list holds the orders of all partners.',
    ...listingEveryones({ 'orders.list': 'orders' }),
  }),
  ...FILTERS.map((ignored) =>
    defect(`list-ignores-${ignored}`, ['ORD-07'], {
      summary: `The filter ${ignored} has no effect.`,
      ...ignoring('orders.list', ignored),
    }),
  ),
  ...FILTERS.flatMap((ignored) =>
    FILTERS.filter((beside) => beside !== ignored).map((beside) =>
      defect(`list-ignores-${ignored}-beside-${beside}`, ['ORD-07'], {
        summary: `The filter ${ignored} has no effect where ${beside} is given.`,
        ...ignoringBeside('orders.list', ignored, beside),
      }),
    ),
  ),
  ...(['status', 'from'] as const).map((forgotten) =>
    defect(`list-forgets-${forgotten}-behind-a-cursor`, [forgotten === 'status' ? 'ORD-07' : 'ORD-08'], {
      summary: `Pages behind a cursor do not obey the filter ${forgotten}.`,
      ...ignoringBeside('orders.list', forgotten, 'cursor'),
    }),
  ),
  defect('list-filters-by-the-first-status', ['ORD-07'], {
    summary: 'The filter status compares the state in which an order was recorded.',
    ...handling('orders.list', (input, correct) => {
      const { status, ...query } = input.query
      const reply = correct({ ...input, query })
      const isOfAll = status === undefined || status === 'EXTERNALLY_PAID'
      return isOfAll ? reply : { ...reply, body: { ...(reply.body as Fields), orders: [] } }
    }),
  }),
  defect('list-lacks-orders-with-a-quote', ['ORD-07'], {
    summary: 'An order with a quote is not in the list, as a wrong join leaves it out.',
    ...keeping('orders.list', 'orders', ({ quote_id }) => quote_id === null),
  }),
  defect('list-is-filtered-by-domain-after-it-is-cut', ['ORD-07'], {
    summary: 'The filter domain is applied to the page, so that an order which is not on it is not found.',
    ...handling('orders.list', (input, correct) => {
      const { domain, ...query } = input.query
      const reply = correct({ ...input, query })
      if (domain === undefined) return reply
      const body = reply.body as Fields
      const orders = itemsOf(body, 'orders').filter((order) => order['domain'] === domain)
      return { ...reply, body: { ...body, orders, next_cursor: null } }
    }),
  }),
  defect('list-has-cleared-orders-among-the-held', ['ORD-07'], {
    summary: 'The filter status reads an index that does not notice when an order is cleared.',
    ...handling('orders.list', (input, correct) => {
      const { status, ...query } = input.query
      if (status !== 'MANUAL_REVIEW') return correct(input)
      const reply = correct({ ...input, query })
      const body = reply.body as Fields
      const reviewed = itemsOf(body, 'orders').filter((order) => hasBeenInReview(input.world, order['public_id']))
      return { ...reply, body: { ...body, orders: reviewed } }
    }),
  }),
  defect('list-shows-the-price-of-the-day', ['ORD-01'], {
    summary: 'The list shows what the domains of its orders are listed for now.',
    ...eachOf('orders.list', 'orders', (order, { world }) => ({
      ...order,
      sale_price_cents: findListing(world, String(order['domain']))?.priceCents ?? order['sale_price_cents'],
    })),
  }),
  defect('list-loses-a-lone-last-order', ['ORD-08'], {
    summary: 'A page with one order behind it has no next_cursor.',
    ...handling('orders.list', (input, correct) => {
      const reply = correct(input)
      const { next_cursor: cursor, ...body } = reply.body as Fields
      if (cursor === null) return reply
      const { orders, next_cursor: next } = correct({ ...input, query: { ...input.query, cursor } }).body as Fields
      const isLone = (orders as unknown[]).length === 1 && next === null
      return { ...reply, body: { ...body, next_cursor: isLone ? null : cursor } }
    }),
  }),
  defect('list-goes-back-thirty-days', ['ORD-08'], {
    summary: 'Without dates, the list has the orders of the last thirty days.',
    ...keeping('orders.list', 'orders', ({ created_at }, input) => isOfThirtyDays(created_at, input)),
  }),
  defect('list-has-a-row-for-each-step', ['ORD-08'], {
    summary: 'An order that has made a step is listed twice, as a join with its timeline yields it.',
    ...listing('orders.list', 'orders', (orders) => twice(orders, ({ status }) => status !== 'EXTERNALLY_PAID')),
  }),
  defect('list-of-a-status-is-empty', ['ORD-07'], {
    summary: 'The filter status leaves nothing, for any value.',
    ...listing('orders.list', 'orders', (orders, { query }) => (query['status'] === undefined ? orders : [])),
  }),
  defect('list-shows-the-first-status', ['ORD-07', 'REF-01'], {
    summary: 'The list shows every order as recorded, in any state.',
    ...eachOf('orders.list', 'orders', (order) => ({ ...order, status: 'EXTERNALLY_PAID' })),
  }),
  defect('list-excludes-from', ['ORD-07'], {
    summary: 'A filter by dates shows the orders before its start.',
    ...handling('orders.list', (input, correct) => correct(withDatesSwapped(input))),
  }),
  defect('list-skips-one-at-each-page', ['ORD-08'], {
    summary: 'Each page after the first leaves its first order out.',
    ...listing('orders.list', 'orders', (orders, { query }) => orders.slice(query['cursor'] === undefined ? 0 : 1)),
  }),
  defect('list-ends-after-one-page', ['ORD-08'], {
    summary: 'The list has no next_cursor, however many orders there are.',
    ...altering('orders.list', () => ({ next_cursor: null })),
  }),
  defect('list-of-cancelled-orders-has-refunded-ones', ['ORD-07'], {
    summary: 'The filter status takes cancelled and refunded orders for the same.',
    ...handling('orders.list', (input, correct) => {
      const reply = correct(input)
      const { status } = input.query
      const other = status === 'CANCELLED' ? 'REFUNDED' : status === 'REFUNDED' ? 'CANCELLED' : null
      if (other === null) return reply
      const more = correct({ ...input, query: { ...input.query, status: other } })
      const orders = [reply, more].flatMap(({ body }) => itemsOf(body as Fields, 'orders'))
      return { ...reply, body: { ...(reply.body as Fields), orders } }
    }),
  }),
]

function withDatesSwapped(input: AnyInput): AnyInput {
  const { from, to, ...rest } = input.query
  const swapped: Fields = { ...rest }
  if (from !== undefined) swapped['to'] = from
  if (to !== undefined) swapped['from'] = to
  return { ...input, query: swapped }
}
