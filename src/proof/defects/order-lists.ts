import { ORDER_STATES } from '../../contract/order-states.ts'
import { salesRoutes } from '../../sandbox/sales/routes.ts'
import { ok } from '../../sandbox/wire/route.ts'
import { cents, type Fields } from './answers.ts'
import { type Defect, defect, type Tampered } from './defect.ts'
import {
  type AnyInput,
  altering,
  eachOf,
  forgettingUnknown,
  handling,
  ignoring,
  ignoringBeside,
  isOfLaterPartner,
  itemsOf,
  keeping,
  listing,
  twice,
} from './routes.ts'

const FILTERS = ['status', 'domain', 'from', 'to'] as const

/** Mistakes of GET /orders. */
export const orderListDefects: readonly Defect[] = [
  defect('list-shows-orders-with-a-quote-in-whole-units', ['ORD-01'], {
    summary: 'The list shows what an order with a quote was sold for in whole units.',
    ...eachOf('orders.list', (order) =>
      order['quote_id'] === null ? order : { ...order, sale_price_cents: cents(order, 'sale_price_cents') / 100 },
    ),
  }),
  defect('cursors-name-their-partner', ['ORD-06'], {
    summary: 'A cursor leads on in the list of the partner that it was given to, whatever key sends it.',
    ...leadingOnForItsPartner(),
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
  defect('list-of-a-status-is-empty', ['ORD-07'], {
    summary: 'The filter status leaves nothing, for any value.',
    ...listing('orders.list', (orders, { query }) => (query['status'] === undefined ? orders : [])),
  }),
  defect('list-of-a-domain-is-of-one-partner', ['ORD-07'], {
    summary: 'With a domain, the list of any but the first partner is empty.',
    ...keeping('orders.list', (_, input) => input.query['domain'] === undefined || !isOfLaterPartner(input)),
  }),
  defect('list-shows-the-first-status', ['ORD-07', 'REF-01'], {
    summary: 'The list shows every order as recorded, in any state.',
    ...eachOf('orders.list', (order) => ({ ...order, status: 'EXTERNALLY_PAID' })),
  }),
  defect('list-of-an-unknown-status-is-all', ['ORD-07'], {
    summary: 'A status that does not exist is ignored.',
    ...forgettingUnknown('orders.list', salesRoutes['orders.list'].query, 'status', ORDER_STATES),
  }),
  ...(['status', 'from', 'domain'] as const).map((forgotten) =>
    defect(`list-forgets-${forgotten}-behind-a-cursor`, [forgotten === 'from' ? 'ORD-08' : 'ORD-07'], {
      summary: `Pages behind a cursor do not obey the filter ${forgotten}.`,
      ...ignoringBeside('orders.list', forgotten, 'cursor'),
    }),
  ),
  defect('list-of-a-status-goes-on-by-count', ['ORD-08'], {
    summary: 'With a status, a cursor is a number of orders, so that a new order moves the pages.',
    ...handling('orders.list', (input, correct) => {
      const { cursor, limit = 20, ...filters } = input.query
      if (filters['status'] === undefined) return correct(input)
      const orders = itemsOf('orders.list', correct({ ...input, query: { ...filters, limit: 100 } }).body)
      const from = Number(cursor ?? 0)
      const to = from + Number(limit)
      return ok({ orders: orders.slice(from, to), next_cursor: to < orders.length ? String(to) : null })
    }),
  }),
  defect('list-loses-a-lone-last-order', ['ORD-08'], {
    summary: 'A page with one order behind it has no next_cursor.',
    ...altering('orders.list', ({ next_cursor: cursor }, input, correct) => {
      if (cursor === null) return {}
      const { orders, next_cursor: next } = correct({ ...input, query: { ...input.query, cursor } }).body as Fields
      return { next_cursor: (orders as unknown[]).length === 1 && next === null ? null : cursor }
    }),
  }),
  defect('list-has-a-row-for-each-step', ['ORD-08'], {
    summary: 'An order that has made a step is listed twice, as a join with its timeline yields it.',
    ...listing('orders.list', (orders) => twice(orders, ({ status }) => status !== 'EXTERNALLY_PAID')),
  }),
  defect('list-skips-one-at-each-page', ['ORD-08'], {
    summary: 'Each page after the first leaves its first order out.',
    ...listing('orders.list', (orders, { query }) => orders.slice(query['cursor'] === undefined ? 0 : 1)),
  }),
  defect('list-ends-after-one-page', ['ORD-08'], {
    summary: 'The list has no next_cursor, however many orders there are.',
    ...altering('orders.list', () => ({ next_cursor: null })),
  }),
  defect('list-lacks-orders-with-a-quote', ['ORD-08'], {
    summary: 'An order that has a quote is not in the list.',
    ...keeping('orders.list', ({ quote_id }) => quote_id === null),
  }),
  defect('list-repeats-orders-with-a-quote', ['ORD-08'], {
    summary: 'An order that has a quote is in the list twice.',
    ...listing('orders.list', (orders) => twice(orders, ({ quote_id }) => quote_id !== null)),
  }),
]

/** A server whose cursors say whose list they lead on in. */
function leadingOnForItsPartner(): Tampered {
  const homes: Pick<AnyInput, 'world' | 'caller'>[] = []
  return handling('orders.list', (input, correct) => {
    const { world, caller, query } = input
    const [cursor, mark] = String(query['cursor'] ?? '').split('~')
    const home = homes[Number(mark)]
    const own = cursor ? { ...input, query: { ...query, cursor } } : input
    const { body, ...reply } = correct(home?.world === world ? { ...own, ...home } : own)
    const { next_cursor: next, ...page } = body as Fields
    homes.push({ world, caller })
    return { ...reply, body: { ...page, next_cursor: next === null ? null : `${next}~${homes.length - 1}` } }
  })
}
