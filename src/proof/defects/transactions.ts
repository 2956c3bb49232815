import { PAYMENT_MODELS, type PaymentModel } from '../../contract/payment-models.ts'
import type { World } from '../../sandbox/kernel/world.ts'
import { listTransactions } from '../../sandbox/reports/transactions.ts'
import type { Fields } from './answers.ts'
import { changing, type Defect } from './defect.ts'
import { type AnyInput, handling, itemsOf, showing, underRules } from './routes.ts'

type Tampered = Pick<Defect, 'hooks'>

const FILTERS = ['from', 'to', 'status', 'payment_model'] as const

/** Mistakes of GET /transactions. */
export const transactionDefects: readonly Defect[] = [
  {
    id: 'transaction-totals-of-the-page',
    breaks: ['TXN-01'],
    summary: 'The totals are those of the page.',
    ...changing('reports', { totals: 'page' }),
  },
  {
    id: 'transaction-totals-without-the-filter',
    breaks: ['TXN-01'],
    summary: 'The totals ignore the filters.',
    ...changing('reports', { totals: 'everything' }),
  },
  {
    id: 'transaction-totals-of-everyone',
    breaks: ['TXN-01'],
    summary: 'The totals count the sales of all partners.',
    ...handling('transactions.list', (input, sound) => {
      const everyones = sound(
        underRules(input, (rules) => ({ ...rules, reports: { ...rules.reports, shows: 'everyones' } })),
      )
      return {
        ...sound(input),
        body: { ...(sound(input).body as Fields), totals: (everyones.body as Fields)['totals'] },
      }
    }),
  },
  {
    id: 'transaction-list-shows-everyones',
    breaks: ['TXN-01'],
    summary: 'Transactions list the sales of all partners.',
    ...changing('reports', { shows: 'everyones' }),
  },
  lacking('hosted_checkout'),
  lacking('brokerage'),
  lacking('partner_collected'),
  {
    id: 'short-pages-of-transactions-are-empty',
    breaks: ['TXN-01'],
    summary: 'A page that is asked to be short holds nothing, and leads nowhere.',
    ...showing('transactions.list', (body, { query }) =>
      query['limit'] === undefined ? body : { ...body, transactions: [], next_cursor: null },
    ),
  },
  {
    id: 'transactions-lack-referred-sales',
    breaks: ['TXN-01'],
    summary: 'Sales that a tracking link led to are not among the transactions.',
    ...showing('transactions.list', (body, { world }) => ({
      ...body,
      transactions: itemsOf(body, 'transactions').filter((row) => !isReferred(world, row['public_id'])),
    })),
  },
  {
    id: 'transactions-lack-sales-paid-out',
    breaks: ['TXN-01'],
    summary: 'Sales whose commission has been paid out are no longer among the transactions.',
    ...showing('transactions.list', (body, { world }) => ({
      ...body,
      transactions: itemsOf(body, 'transactions').filter((row) => !isPaidOut(world, row['public_id'])),
    })),
  },
  {
    id: 'transaction-amount-is-net',
    breaks: ['TXN-01'],
    summary: 'A transaction shows the price less the commission.',
    ...rows((row) => ({ ...row, sale_price_cents: Number(row['sale_price_cents']) - Number(row['commission_cents']) })),
  },
  {
    id: 'transaction-gmv-lacks-a-row',
    breaks: ['TXN-01'],
    summary: 'GMV leaves the first row out.',
    ...totals(({ gmv_cents: gmv }, [first]) => ({ gmv_cents: Number(gmv) - Number(first?.['sale_price_cents'] ?? 0) })),
  },
  {
    id: 'transaction-gmv-is-the-commission',
    breaks: ['TXN-01'],
    summary: 'GMV counts commission.',
    ...totals(({ commission_cents: commission }) => ({ gmv_cents: commission })),
  },
  {
    id: 'transaction-commission-lacks-own-sales',
    breaks: ['TXN-01'],
    summary: 'The commission total leaves out what the partner has collected itself.',
    ...handling('transactions.list', (input, sound) => {
      const { reports } = input.world.rules
      const models = reports.models.filter((model) => model !== 'partner_collected')
      const others = sound(underRules(input, (rules) => ({ ...rules, reports: { ...rules.reports, models } })))
      const body = sound(input).body as { totals: Fields }
      const { commission_cents } = (others.body as { totals: Fields }).totals
      return { ...others, body: { ...body, totals: { ...body.totals, commission_cents } } }
    }),
  },
  ...FILTERS.map(
    (ignored): Defect => ({
      id: `transactions-ignore-${ignored.replace('_', '-')}`,
      breaks: ['TXN-02'],
      summary: `Transactions are listed whatever ${ignored} says.`,
      ...changing('reports', { transactionFilters: FILTERS.filter((name) => name !== ignored) }),
    }),
  ),
  {
    id: 'transactions-heed-the-model-alone',
    breaks: ['TXN-02'],
    summary: 'With several filters only payment_model counts.',
    ...handling('transactions.list', (input, sound) => sound(heedingFirst(input, ['payment_model']))),
  },
  {
    id: 'transactions-heed-the-status-alone',
    breaks: ['TXN-02'],
    summary: 'With a status the stretch of time does not count.',
    ...handling('transactions.list', (input, sound) => sound(heedingFirst(input, ['status', 'payment_model']))),
  },
  {
    id: 'transactions-fit-any-filter',
    breaks: ['TXN-02'],
    summary: 'A transaction is listed that fits one of several filters.',
    ...handling('transactions.list', fittingAny),
  },
  {
    id: 'transactions-swap-from-and-to',
    breaks: ['TXN-02'],
    summary: 'The filters from and to are taken for each other.',
    ...handling('transactions.list', (input, sound) => {
      const { from, to, ...query } = input.query
      return sound({
        ...input,
        query: { ...query, ...(to !== undefined && { from: to }), ...(from !== undefined && { to: from }) },
      })
    }),
  },
]

function lacking(model: PaymentModel): Defect {
  return {
    id: `transactions-lack-${model.replace('_', '-')}-sales`,
    breaks: ['TXN-01'],
    summary: `Sales of the model ${model} are not among the transactions.`,
    ...changing('reports', { models: PAYMENT_MODELS.filter((name) => name !== model) }),
  }
}

function rows(change: (row: Fields) => Fields): Tampered {
  return showing('transactions.list', (body) => ({ ...body, transactions: itemsOf(body, 'transactions').map(change) }))
}

function totals(change: (totals: Fields, listed: Fields[]) => Fields): Tampered {
  return showing('transactions.list', (body) => {
    const sound = body['totals'] as Fields
    return { ...body, totals: { ...sound, ...change(sound, itemsOf(body, 'transactions')) } }
  })
}

function isReferred({ db }: World, publicId: unknown): boolean {
  const row = db.prepare('SELECT link_id FROM orders WHERE public_id = ?').get(publicId)
  return ((row as { link_id: string | null } | undefined)?.link_id ?? null) !== null
}

function isPaidOut({ db }: World, publicId: unknown): boolean {
  const paidOut = db.prepare(
    "SELECT 1 FROM sales JOIN ledger_entries ON sale_seq = sales.seq WHERE public_id = ? AND kind = 'paid_out'",
  )
  return paidOut.get(publicId) !== undefined
}

/** The query with the filters alone that are asked for and named here; where there is none of them, as it is. */
function heedingFirst(input: AnyInput, heeded: readonly string[]): AnyInput {
  if (!heeded.some((name) => input.query[name] !== undefined)) return input
  const others = FILTERS.filter((name) => !heeded.includes(name))
  const query = Object.fromEntries(Object.entries(input.query).filter(([name]) => !others.includes(name as 'from')))
  return { ...input, query }
}

const MANY = 10_000

/** The rows that fit one filter each, together. */
function fittingAny(input: AnyInput, sound: (input: AnyInput) => { created: boolean; body: unknown }) {
  const asked = FILTERS.filter((name) => input.query[name] !== undefined)
  if (asked.length < 2) return sound(input)
  const { world, caller } = input
  const all = listTransactions(world, caller, { limit: MANY }).rows.map(({ transactionId }) => transactionId)
  const lists = asked.map((name) =>
    itemsOf(sound({ ...input, query: { [name]: input.query[name], limit: 100 } }).body as Fields, 'transactions'),
  )
  const found = new Map(lists.flat().map((row) => [String(row['transaction_id']), row]))
  const reply = sound(input)
  const transactions = all.flatMap((id) => found.get(id) ?? [])
  return { ...reply, body: { ...(reply.body as Fields), transactions, next_cursor: null } }
}
