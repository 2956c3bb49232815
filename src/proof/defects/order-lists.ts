import { findOrder, listOrders } from '../../sandbox/sales/orders.ts'
import { presentOrder } from '../../sandbox/sales/present.ts'
import type { Order } from '../../sandbox/sales/types.ts'
import { ok, type Reply } from '../../sandbox/wire/answer.ts'
import type { Fields } from './answers.ts'
import { changing, type Defect } from './defect.ts'
import { type AnyInput, handling, itemsOf, showing, underRules } from './routes.ts'

const FILTERS = ['status', 'domain', 'from', 'to'] as const
const MANY = 10_000
const PAGE = 20

/** Mistakes of GET /orders. */
export const orderListDefects: readonly Defect[] = [
  {
    id: 'list-shows-everyones-orders',
    breaks: ['ORD-06'],
    summary: 'The list holds the orders of all partners.',
    ...changing('orders', { listShows: 'everyones' }),
  },
  ...FILTERS.map(
    (ignored): Defect => ({
      id: `list-ignores-${ignored}`,
      breaks: ['ORD-07'],
      summary: `The filter ${ignored} has no effect.`,
      ...changing('orders', { filters: FILTERS.filter((name) => name !== ignored) }),
    }),
  ),
  {
    id: 'list-of-a-status-is-empty',
    breaks: ['ORD-07'],
    summary: 'The filter status leaves nothing, whatever it says.',
    ...showing('orders.list', (body, { query }) => (query['status'] === undefined ? body : { ...body, orders: [] })),
  },
  {
    id: 'list-shows-the-first-status',
    breaks: ['ORD-07', 'REF-01'],
    summary: 'Whatever has become of an order, the list calls it recorded.',
    ...showing('orders.list', (body) => ({
      ...body,
      orders: itemsOf(body, 'orders').map((order) => ({ ...order, status: 'EXTERNALLY_PAID' })),
    })),
  },
  {
    id: 'list-obeys-one-filter-only',
    breaks: ['ORD-07'],
    summary: 'Of several filters only the first has an effect.',
    ...handling('orders.list', (input, sound) => sound(withOneFilter(input))),
  },
  {
    id: 'list-excludes-from',
    breaks: ['ORD-07'],
    summary: 'A filter by dates shows the orders before its start.',
    ...handling('orders.list', (input, sound) => sound(withDatesSwapped(input))),
  },
  {
    id: 'list-skips-one-at-each-page',
    breaks: ['ORD-08'],
    summary: 'Each page after the first leaves its first order out.',
    ...showing('orders.list', (body, { query }) =>
      query['cursor'] === undefined ? body : { ...body, orders: itemsOf(body, 'orders').slice(1) },
    ),
  },
  {
    id: 'list-repeats-one-at-each-page',
    breaks: ['ORD-08'],
    summary: 'Each page after the first starts with the last order of the page before.',
    ...showing('orders.list', (body, input) => ({
      ...body,
      orders: [...lastOfPageBefore(input), ...itemsOf(body, 'orders')],
    })),
  },
  {
    id: 'list-pages-by-offset',
    breaks: ['ORD-08'],
    summary: 'The cursor is a position, so orders that are added meanwhile shift the pages.',
    ...handling('orders.list', (input) => pageByOffset(input)),
  },
  {
    id: 'list-ends-after-one-page',
    breaks: ['ORD-08'],
    summary: 'The list has no next_cursor, however many orders there are.',
    ...showing('orders.list', (body) => ({ ...body, next_cursor: null })),
  },
]

function withOneFilter(input: AnyInput): AnyInput {
  const first = FILTERS.find((name) => input.query[name] !== undefined)
  return underRules(input, (rules) => ({
    ...rules,
    orders: { ...rules.orders, filters: rules.orders.filters.filter((name) => name === first) },
  }))
}

function withDatesSwapped(input: AnyInput): AnyInput {
  const { from, to, ...rest } = input.query
  const swapped: Fields = { ...rest }
  if (from !== undefined) swapped['to'] = from
  if (to !== undefined) swapped['from'] = to
  return { ...input, query: swapped }
}

function lastOfPageBefore({ world, query }: AnyInput): Fields[] {
  const order = query['cursor'] === undefined ? null : findOrder(world, String(query['cursor']))
  return order ? [presentOrder(world, order)] : []
}

/** The filters by dates are left to the sound list: pages are what is wrong here. */
function pageByOffset({ world, caller, query }: AnyInput): Reply {
  const start = Number(query['cursor'] ?? 0)
  const limit = Number(query['limit'] ?? PAGE)
  const { rows: orders } = listOrders(world, { partnerId: caller.partnerId, limit: MANY })
  const fitting = orders.filter((order) => fits(order, query))
  const page = fitting.slice(start, start + limit)
  return ok({
    orders: page.map((order) => presentOrder(world, order)),
    next_cursor: start + limit < fitting.length ? String(start + limit) : null,
  })
}

function fits(order: Order, { status, domain }: Fields): boolean {
  return (status === undefined || order.status === status) && (domain === undefined || order.domain === domain)
}
