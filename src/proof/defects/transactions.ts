import type { PaymentModel } from '../../contract/payment-models.ts'
import type { World } from '../../sandbox/kernel/world.ts'
import { listTransactions } from '../../sandbox/reports/reports.ts'
import { cents, type Fields } from './answers.ts'
import { type Defect, defect, type Tampered } from './defect.ts'
import {
  type AnyInput,
  eachOf,
  handling,
  ignoring,
  ignoringBeside,
  itemsOf,
  keeping,
  listingEveryones,
  showing,
} from './routes.ts'

const FILTERS = ['from', 'to', 'status', 'payment_model'] as const

/** Mistakes of GET /transactions. */
export const transactionDefects: readonly Defect[] = [
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
  lackingModel('hosted_checkout'),
  lackingModel('brokerage'),
  lackingModel('partner_collected'),
  defect('short-pages-of-transactions-are-empty', ['TXN-01'], {
    summary: 'A page with a limit is empty and has no next_cursor.',
    ...showing('transactions.list', (body, { query }) =>
      query['limit'] === undefined ? body : { ...body, transactions: [], next_cursor: null },
    ),
  }),
  defect('transactions-lack-referred-sales', ['TXN-01'], {
    summary: 'Sales that a tracking link led to are not among the transactions.',
    ...keeping('transactions.list', 'transactions', (row, { world }) => !isReferred(world, row['public_id'])),
  }),
  defect('transactions-lack-sales-paid-out', ['TXN-01'], {
    summary: 'Sales whose commission has been paid out are no longer among the transactions.',
    ...keeping('transactions.list', 'transactions', (row, { world }) => !isPaidOut(world, row['public_id'])),
  }),
  defect('transaction-amount-is-net', ['TXN-01'], {
    summary: 'A transaction shows the price less the commission.',
    ...eachOf('transactions.list', 'transactions', (row) => ({
      ...row,
      sale_price_cents: Number(row['sale_price_cents']) - Number(row['commission_cents']),
    })),
  }),
  defect('transaction-gmv-lacks-a-row', ['TXN-01'], {
    summary: 'GMV leaves the first row out.',
    ...totals(({ gmv_cents: gmv }, [first]) => ({ gmv_cents: Number(gmv) - Number(first?.['sale_price_cents'] ?? 0) })),
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
  defect('transactions-heed-the-model-alone', ['TXN-02'], {
    summary: 'With several filters only payment_model counts.',
    ...handling('transactions.list', (input, correct) => correct(heedingFirst(input, ['payment_model']))),
  }),
  defect('transactions-heed-the-status-alone', ['TXN-02'], {
    summary: 'With a status the stretch of time does not count.',
    ...handling('transactions.list', (input, correct) => correct(heedingFirst(input, ['status', 'payment_model']))),
  }),
  defect('transactions-fit-any-filter', ['TXN-02'], {
    summary: 'A transaction is listed that fits one of several filters.',
    ...handling('transactions.list', fittingAny),
  }),
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

function sumOf(rows: readonly Fields[], name: string): number {
  return rows.reduce((sum, row) => sum + cents(row, name), 0)
}

function isReferred({ db }: World, publicId: unknown): boolean {
  const row = db.prepare('SELECT link_id FROM orders WHERE public_id = ?').get(publicId)
  return ((row as { link_id: string | null } | undefined)?.link_id ?? null) !== null
}

function isPaidOut({ db }: World, publicId: unknown): boolean {
  const paidOut = db.prepare(
    "SELECT 1 FROM orders JOIN sales ON order_seq = orders.seq JOIN ledger_entries ON sale_seq = sales.seq WHERE public_id = ? AND ledger_entries.kind = 'paid_out'",
  )
  return paidOut.get(publicId) !== undefined
}

/** The query with only those filters that are asked for and named here; unchanged if it has none of them. */
function heedingFirst(input: AnyInput, heeded: readonly string[]): AnyInput {
  if (!heeded.some((name) => input.query[name] !== undefined)) return input
  const others = FILTERS.filter((name) => !heeded.includes(name))
  const query = Object.fromEntries(Object.entries(input.query).filter(([name]) => !others.includes(name as 'from')))
  return { ...input, query }
}

const MANY = 10_000

/** The rows that fit one filter each, together. */
function fittingAny(input: AnyInput, correct: (input: AnyInput) => { created: boolean; body: unknown }) {
  const asked = FILTERS.filter((name) => input.query[name] !== undefined)
  if (asked.length < 2) return correct(input)
  const { world, caller } = input
  const all = listTransactions(world, caller, { limit: MANY }).rows.map(({ seq }) =>
    world.chance.id('transaction', seq),
  )
  const lists = asked.map((name) =>
    itemsOf(correct({ ...input, query: { [name]: input.query[name], limit: 100 } }).body as Fields, 'transactions'),
  )
  const found = new Map(lists.flat().map((row) => [String(row['transaction_id']), row]))
  const reply = correct(input)
  const transactions = all.flatMap((id) => found.get(id) ?? [])
  return { ...reply, body: { ...(reply.body as Fields), transactions, next_cursor: null } }
}
