import { PAYMENT_MODELS } from '../../contract/payment-models.ts'
import type { World } from '../../sandbox/kernel/world.ts'
import { reportRoutes } from '../../sandbox/reports/routes.ts'
import { type Fields, sumOf } from './answers.ts'
import { type Defect, defect, found } from './defect.ts'
import {
  altering,
  cuttingPages,
  eachOf,
  forgettingUnknown,
  ignoring,
  ignoringBeside,
  isOfLaterPartner,
  itemsOf,
  keeping,
  listing,
  twice,
} from './routes.ts'

const FILTERS = ['from', 'to', 'status', 'payment_model'] as const

/** Mistakes of GET /transactions. */
export const transactionDefects: readonly Defect[] = [
  defect('transactions-of-too-many-skip-what-they-cut', ['TXN-01'], {
    summary: 'A limit of a hundred or more gives three sales, and a cursor behind six.',
    ...cuttingPages('transactions.list', 100, 6, (sales) => ({ transactions: sales.slice(0, 3) })),
  }),
  defect('transactions-have-a-row-for-each-step', ['TXN-01'], {
    summary: 'A sale whose transfer has begun is listed twice, as a join with its timeline yields it.',
    ...listing('transactions.list', (sales) => twice(sales, ({ status }) => status === 'TRANSFER_IN_PROGRESS')),
  }),
  ...(['TRANSFER_COMPLETED', 'SETTLED'] as const).map((status) =>
    defect(`transactions-by-status-lack-${status.toLowerCase().replace('_', '-')}`, ['TXN-02'], {
      summary: `The filter by the status ${status} finds no transaction.`,
      ...keeping('transactions.list', (_, { query }) => query['status'] !== status),
    }),
  ),
  defect('transaction-totals-of-the-page', ['TXN-01'], {
    summary: 'The totals are those of the page.',
    ...altering('transactions.list', ({ totals, ...body }) => {
      const listed = itemsOf('transactions.list', body)
      const gmv = { gmv_cents: sumOf(listed, 'sale_price_cents'), commission_cents: sumOf(listed, 'commission_cents') }
      return { totals: { ...(totals as Fields), count: listed.length, ...gmv } }
    }),
  }),
  defect('transaction-totals-without-the-filter', ['TXN-01'], {
    summary: 'The totals ignore the filters.',
    ...altering('transactions.list', (_, input, correct) => {
      const { totals } = correct({ ...input, query: {} }).body as Fields
      return { totals }
    }),
  }),
  defect('transactions-of-later-partners-lack-their-orders', ['TXN-01'], {
    summary: 'Partner-collected sales are among the transactions of the first partner only.',
    ...keeping(
      'transactions.list',
      ({ payment_model: model }, input) => model !== 'partner_collected' || !isOfLaterPartner(input),
    ),
  }),
  defect('transactions-lack-hosted-checkout-sales', ['TXN-01'], {
    summary: 'Sales of the model hosted_checkout are not among the transactions.',
    ...keeping('transactions.list', (row) => row['payment_model'] !== 'hosted_checkout'),
  }),
  defect('short-pages-of-transactions-are-empty', ['TXN-01'], {
    summary: 'A page with a limit is empty and has no next_cursor.',
    ...altering('transactions.list', (_, { query }) =>
      query['limit'] === undefined ? {} : { transactions: [], next_cursor: null },
    ),
  }),
  defect('transactions-lack-settled-sales', ['TXN-01'], {
    summary: 'Settled sales are no longer among the transactions.',
    ...keeping('transactions.list', ({ status }) => status !== 'SETTLED'),
  }),
  defect('transactions-lack-sales-paid-out', ['TXN-01'], {
    summary: 'Sales whose commission has been paid out are no longer among the transactions.',
    ...keeping('transactions.list', ({ public_id: id }, { world }) => {
      const paidOut = `SELECT 1 FROM orders JOIN sales ON order_seq = orders.seq JOIN ledger_entries ON sale_seq = sales.seq
        WHERE public_id = ? AND ledger_entries.kind = 'paid_out'`
      return found(world, paidOut, id) === undefined
    }),
  }),
  ...['hosted_checkout', 'brokerage'].map((model) =>
    defect(`transactions-show-${model.replace('_', '-')}-as-partner-collected`, ['TXN-01'], {
      summary: `A sale of the model ${model} says among the transactions that it is partner_collected.`,
      ...eachOf('transactions.list', (row) =>
        row['payment_model'] === model ? { ...row, payment_model: 'partner_collected' } : row,
      ),
    }),
  ),
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
    ...listing('transactions.list', (sales, { query }) =>
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
      ...keeping('transactions.list', (row, { query }) => query['status'] === undefined || !isLost(row)),
    }),
  ),
  defect('transactions-have-the-earlier-sale-of-a-domain', ['TXN-01'], {
    summary: 'Of two sales of a domain, the earlier one is listed, also where a filter leaves it out.',
    ...keeping('transactions.list', ({ public_id: id }, { world }) => {
      const earlier = `SELECT 1 FROM orders one JOIN orders other USING (domain)
        WHERE one.public_id = ? AND other.seq < one.seq`
      return found(world, earlier, id) === undefined
    }),
  }),
  defect('transactions-list-cases-without-a-deal', ['TXN-01'], {
    summary: 'A case that was closed without a deal is listed as a sale for its budget.',
    ...listing('transactions.list', (rows, { world, caller, query }) => [
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
    ...ignoringBeside('transactions.list', 'status', 'cursor'),
  }),
]

/** Cases that were closed without a deal, as rows of the transactions. */
function lostCases({ db }: World, partnerId: string): Fields[] {
  const lost = db.prepare(
    "SELECT case_id, domain, budget_cents AS sale_price_cents, 0 AS commission_cents, currency, 'brokerage' AS payment_model, status, case_id AS transaction_id FROM brokerage_cases WHERE partner_id = ? AND status = 'CLOSED_NO_DEAL'",
  )
  return lost.all(partnerId) as Fields[]
}
