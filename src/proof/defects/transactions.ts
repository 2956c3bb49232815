import { PAYMENT_MODELS, type PaymentModel } from '../../contract/payment-models.ts'
import { findListing } from '../../sandbox/inventory/listings.ts'
import type { World } from '../../sandbox/kernel/world.ts'
import { reportRoutes } from '../../sandbox/reports/routes.ts'
import { cents, type Fields, without } from './answers.ts'
import { type Defect, defect, type Tampered } from './defect.ts'
import {
  eachOf,
  forgettingUnknown,
  handling,
  ignoring,
  ignoringBeside,
  isOfLaterPartner,
  isOfThirtyDays,
  itemsOf,
  keeping,
  listing,
  listingByKey,
  listingEveryones,
  showing,
  skippingWhatItCuts,
  twice,
} from './routes.ts'

const FILTERS = ['from', 'to', 'status', 'payment_model'] as const

/** Mistakes of GET /transactions. */
export const transactionDefects: readonly Defect[] = [
  defect('transactions-of-too-many-skip-what-they-cut', ['TXN-01'], {
    summary: 'A limit of a hundred or more gives three sales, and a cursor behind six.',
    ...skippingWhatItCuts('transactions.list', 'transactions'),
  }),
  defect('transactions-have-a-row-for-each-step', ['TXN-01'], {
    summary: 'A sale whose transfer has begun is listed twice, as a join with its timeline yields it.',
    ...listing('transactions.list', 'transactions', (sales) =>
      twice(sales, ({ status }) => status === 'TRANSFER_IN_PROGRESS'),
    ),
  }),
  ...(['TRANSFER_COMPLETED', 'SETTLED'] as const).map((status) =>
    defect(`transactions-by-status-lack-${status.toLowerCase().replace('_', '-')}`, ['TXN-02'], {
      summary: `The filter by the status ${status} finds no transaction.`,
      ...keeping('transactions.list', 'transactions', (_, { query }) => query['status'] !== status),
    }),
  ),
  defect('transaction-totals-of-the-page', ['TXN-01'], {
    summary: 'The totals are those of the page.',
    ...totals((_, listed) => ({
      count: listed.length,
      gmv_cents: sumOf(listed, 'sale_price_cents'),
      commission_cents: sumOf(listed, 'commission_cents'),
    })),
  }),
  defect('transaction-totals-without-the-filter', ['TXN-01'], {
    summary: 'The totals ignore the filters.',
    ...handling('transactions.list', (input, correct) => {
      const reply = correct(input)
      const all = correct({ ...input, query: {} })
      return { ...reply, body: { ...(reply.body as Fields), totals: (all.body as Fields)['totals'] } }
    }),
  }),
  defect('transaction-list-shows-everyones', ['TXN-01'], {
    summary: 'Transactions list the sales of all partners.',
    ...listingEveryones({ 'transactions.list': 'transactions' }),
  }),
  defect('transactions-of-later-partners-lack-their-orders', ['TXN-01'], {
    summary: 'Partner-collected sales are among the transactions of the first partner only.',
    ...keeping(
      'transactions.list',
      'transactions',
      ({ payment_model: model }, input) => model !== 'partner_collected' || !isOfLaterPartner(input),
    ),
  }),
  lackingModel('hosted_checkout'),
  defect('short-pages-of-transactions-are-empty', ['TXN-01'], {
    summary: 'A page with a limit is empty and has no next_cursor.',
    ...showing('transactions.list', (body, { query }) =>
      query['limit'] === undefined ? body : { ...body, transactions: [], next_cursor: null },
    ),
  }),
  defect('transactions-lack-settled-sales', ['TXN-01'], {
    summary: 'Settled sales are no longer among the transactions.',
    ...keeping('transactions.list', 'transactions', ({ status }) => status !== 'SETTLED'),
  }),
  defect('transactions-lack-sales-paid-out', ['TXN-01'], {
    summary: 'Sales whose commission has been paid out are no longer among the transactions.',
    ...keeping('transactions.list', 'transactions', (row, { world }) => !isPaidOut(world, row['public_id'])),
  }),
  defect('transactions-show-the-price-of-the-day', ['TXN-01'], {
    summary: 'Transactions show what their domains are listed for now.',
    ...eachOf('transactions.list', 'transactions', (row, { world }) => ({
      ...row,
      sale_price_cents: findListing(world, String(row['domain']))?.priceCents ?? row['sale_price_cents'],
    })),
  }),
  ...['hosted_checkout', 'brokerage'].map((model) =>
    defect(`transactions-show-${model.replace('_', '-')}-as-partner-collected`, ['TXN-01'], {
      summary: `A sale of the model ${model} says among the transactions that it is partner_collected.`,
      ...eachOf('transactions.list', 'transactions', (row) =>
        row['payment_model'] === model ? { ...row, payment_model: 'partner_collected' } : row,
      ),
    }),
  ),
  defect('transactions-go-back-thirty-days', ['TXN-01'], {
    summary: 'Without dates, the transactions are those of the last thirty days.',
    ...keeping('transactions.list', 'transactions', ({ created_at }, input) => isOfThirtyDays(created_at, input)),
  }),
  ...FILTERS.map((ignored) =>
    defect(`transactions-ignore-${ignored.replace('_', '-')}`, ['TXN-02'], {
      summary: `The list of transactions ignores ${ignored}.`,
      ...ignoring('transactions.list', ignored),
    }),
  ),
  ...FILTERS.flatMap((ignored) =>
    FILTERS.filter((beside) => beside !== ignored).map((beside) =>
      defect(`transactions-ignore-${ignored}-beside-${beside}`.replaceAll('_', '-'), ['TXN-02'], {
        summary: `The list of transactions ignores ${ignored} where ${beside} is given.`,
        ...ignoringBeside('transactions.list', ignored, beside),
      }),
    ),
  ),
  defect('transactions-of-a-status-and-a-model-are-none', ['TXN-02'], {
    summary: 'The list of transactions is empty where both status and payment_model are given.',
    ...listing('transactions.list', 'transactions', (sales, { query }) =>
      query['status'] === undefined || query['payment_model'] === undefined ? sales : [],
    ),
  }),
  ...(
    [
      ['deals', 'brokered', ({ payment_model: model }) => model === 'brokerage'],
      ['undone-sales', 'undone', ({ status }) => status === 'REFUNDED' || status === 'CANCELLED'],
    ] as const satisfies readonly (readonly [string, string, (row: Fields) => boolean])[]
  ).map(([what, words, isLost]) =>
    defect(`filter-by-status-loses-${what}`, ['TXN-02'], {
      summary: `With a status, the transactions lack what was ${words}.`,
      ...keeping(
        'transactions.list',
        'transactions',
        (row, { query }) => query['status'] === undefined || !isLost(row),
      ),
    }),
  ),
  defect('transactions-swap-from-and-to', ['TXN-02'], {
    summary: 'The filters from and to are swapped.',
    ...handling('transactions.list', (input, correct) => {
      const { from, to, ...query } = input.query
      return correct({
        ...input,
        query: { ...query, ...(to !== undefined && { from: to }), ...(from !== undefined && { to: from }) },
      })
    }),
  }),
  defect('transactions-are-those-of-the-key', ['TXN-01'], {
    summary: 'The list has the orders of the credential that asks, and not those of its partner.',
    ...listingByKey('orders.create', 'transactions.list', 'transactions', 'public_id'),
  }),
  defect('transactions-have-the-earlier-sale-of-a-domain', ['TXN-01'], {
    summary: 'Of two sales of a domain, the earlier one is listed, also where a filter leaves it out.',
    ...listing('transactions.list', 'transactions', (rows, { world }) => {
      const earlier = world.db.prepare(
        'SELECT 1 FROM orders one JOIN orders other USING (domain) WHERE one.public_id = ? AND other.seq < one.seq',
      )
      return rows.filter(({ public_id }) => earlier.get(public_id) === undefined)
    }),
  }),
  defect('transactions-list-cases-without-a-deal', ['TXN-01'], {
    summary: 'A case that was closed without a deal is listed as a sale for its budget.',
    ...listing('transactions.list', 'transactions', (rows, { world, caller, query }) => [
      ...(query['cursor'] === undefined ? lostCases(world, caller.partnerId) : []),
      ...rows,
    ]),
  }),
  defect('transactions-of-an-unknown-model-are-all', ['TXN-02'], {
    summary: 'A payment_model that does not exist is ignored.',
    ...forgettingUnknown('transactions.list', reportRoutes['transactions.list'].query, 'payment_model', PAYMENT_MODELS),
  }),
  defect('transactions-cursor-forgets-the-status', ['TXN-02'], {
    summary: 'A cursor of the transactions leads on without the filter by status.',
    ...handling('transactions.list', (input, correct) =>
      correct(input.query['cursor'] === undefined ? input : { ...input, query: without(input.query, 'status') }),
    ),
  }),
]

function lackingModel(model: PaymentModel): Defect {
  return defect(`transactions-lack-${model.replace('_', '-')}-sales`, ['TXN-01'], {
    summary: `Sales of the model ${model} are not among the transactions.`,
    ...keeping('transactions.list', 'transactions', (row) => row['payment_model'] !== model),
  })
}

function totals(change: (totals: Fields, listed: Fields[]) => Fields): Tampered {
  return showing('transactions.list', (body) => {
    const correct = body['totals'] as Fields
    return { ...body, totals: { ...correct, ...change(correct, itemsOf(body, 'transactions')) } }
  })
}

/** Cases that were closed without a deal, as rows of the transactions. */
function lostCases({ db }: World, partnerId: string): Fields[] {
  const lost = db.prepare(
    "SELECT case_id, domain, budget_cents AS sale_price_cents, 0 AS commission_cents, currency, 'brokerage' AS payment_model, status, case_id AS transaction_id FROM brokerage_cases WHERE partner_id = ? AND status = 'CLOSED_NO_DEAL'",
  )
  return lost.all(partnerId) as Fields[]
}

function sumOf(rows: readonly Fields[], name: string): number {
  return rows.reduce((sum, row) => sum + cents(row, name), 0)
}

function isPaidOut({ db }: World, publicId: unknown): boolean {
  const paidOut = db.prepare(
    "SELECT 1 FROM orders JOIN sales ON order_seq = orders.seq JOIN ledger_entries ON sale_seq = sales.seq WHERE public_id = ? AND ledger_entries.kind = 'paid_out'",
  )
  return paidOut.get(publicId) !== undefined
}
