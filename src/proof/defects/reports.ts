import { listTransactions } from '../../sandbox/reports/reports.ts'
import { windowOf } from '../../sandbox/wire/list-query.ts'
import { cents, type Fields, without } from './answers.ts'
import { type Defect, defect, type Tampered } from './defect.ts'
import { altering, eachOf, handling, ignoring, keeping, listing, listingEveryones, partnersOf } from './routes.ts'

/** Mistakes of attributed sales, of the commission ledger and of the funnel. */
export const reportDefects: readonly Defect[] = [
  ...(['buyer', 'domain', 'amount_cents', 'commission_cents'] as const).map((field) =>
    defect(`attributed-sale-without-${field.replace('_cents', '')}`, ['RPT-02'], {
      summary: `Attributed sales have no ${field.replace('_cents', '')}.`,
      ...eachOf('me.sales', 'sales', (sale) => without(sale, field)),
    }),
  ),
  defect('attributed-sale-amount-is-net', ['RPT-02'], {
    summary: 'The amount of an attributed sale is the price less the commission.',
    ...eachOf('me.sales', 'sales', (sale) => ({
      ...sale,
      amount_cents: cents(sale, 'amount_cents') - cents(sale, 'commission_cents'),
    })),
  }),
  defect('attributed-sales-show-everyones', ['RPT-02', 'RPT-03'], {
    summary: 'Attributed sales and commissions are listed of all partners.',
    ...listingEveryones({ 'me.sales': 'sales', 'me.commissions': 'entries' }),
  }),
  defect('ledger-balance-of-the-page', ['RPT-03'], {
    summary: 'The balance of a line sums up the page.',
    ...listing('me.commissions', 'entries', (entries) =>
      entries.map((line, at) => ({
        ...line,
        balance_cents: entries.slice(at).reduce((sum, before) => sum + cents(before, 'amount_cents'), 0),
      })),
    ),
  }),
  defect('ledger-balance-of-the-line', ['RPT-03'], {
    summary: 'The balance of a line is its own amount.',
    ...eachOf('me.commissions', 'entries', (line) => ({ ...line, balance_cents: line['amount_cents'] })),
  }),
  defect('ledger-adds-what-is-taken-back', ['RPT-03'], {
    summary: 'A line that takes something back is added to the balance.',
    ...rebalanced(({ amount }) => Math.abs(amount)),
  }),
  defect('ledger-balance-ignores-reversals', ['RPT-03'], {
    summary: 'A reversal leaves the balance as it was.',
    ...rebalanced(({ amount, kind }) => (kind === 'reversed' ? 0 : amount)),
  }),
  ...(['accrued', 'pending', 'paid_out', 'reversed'] as const).map((kind) =>
    defect(`ledger-lacks-${kind.replace('_', '-')}-lines`, ['RPT-03'], {
      summary: `Lines of the kind ${kind} are not in the ledger.`,
      ...keeping('me.commissions', 'entries', (line) => line['kind'] !== kind),
    }),
  ),
  ...(['accrued', 'pending', 'paid_out', 'reversed'] as const).map((kind) =>
    defect(`ledger-has-old-${kind.replace('_', '-')}-lines-only`, ['RPT-03'], {
      summary: `Of the kind ${kind} the ledger has one line of long ago, and no more come.`,
      ...listing('me.commissions', 'entries', (entries) => stuck(entries, kind)),
    }),
  ),
  defect('ledger-has-one-kind', ['RPT-03'], {
    summary: 'Every line of the ledger is called commission.',
    ...eachOf('me.commissions', 'entries', (line) => ({ ...line, kind: 'commission' })),
  }),
  defect('ledger-without-balance', ['RPT-03'], {
    summary: 'Lines of the ledger have no balance.',
    ...eachOf('me.commissions', 'entries', (line) => without(line, 'balance_cents')),
  }),
  defect('ledger-has-half-of-the-commission', ['RPT-05'], {
    summary: 'The ledger has half of the commission that the sales show.',
    ...eachOf('me.commissions', 'entries', (line) => ({
      ...line,
      amount_cents: cents(line, 'amount_cents') / 2,
      balance_cents: cents(line, 'balance_cents') / 2,
    })),
  }),
  defect('funnel-ignores-from', ['RPT-05'], {
    summary: 'The funnel counts visits and sales before its window.',
    ...ignoring('analytics', 'from'),
  }),
  defect('funnel-ignores-to', ['RPT-05'], {
    summary: 'The funnel counts visits and sales after its window.',
    ...ignoring('analytics', 'to'),
  }),
  defect('funnel-is-of-all-time', ['RPT-05'], {
    summary: 'The funnel ignores the window that the caller asks for.',
    ...ignoring('analytics', 'from', 'to'),
  }),
  funnel('gmv-is-net', 'GMV of the funnel excludes the commission.', (body) => ({
    gmv_cents: cents(body, 'gmv_cents') - cents(body, 'commission_cents'),
  })),
  funnel('commission-is-zero', 'The funnel shows no commission.', () => ({ commission_cents: 0 })),
  funnel('counts-a-sale-too-many', 'The funnel counts one sale more than the list has.', (body) => ({
    sales: cents(body, 'sales') + 1,
  })),
  defect('funnel-counts-everyones-sales', ['RPT-05'], {
    summary: 'GMV and commission of the funnel are those of all partners.',
    ...handling('analytics', (input, correct) => {
      const bodies = partnersOf(input.world).map((caller) => correct({ ...input, caller }).body as Fields)
      const sum = (name: string) => bodies.reduce((total, body) => total + cents(body, name), 0)
      const reply = correct(input)
      const gross = { gmv_cents: sum('gmv_cents'), commission_cents: sum('commission_cents') }
      return { ...reply, body: { ...(reply.body as Fields), ...gross } }
    }),
  }),
  defect('funnel-counts-unreferred-sales', ['RPT-05'], {
    summary: 'GMV of the funnel counts every sale of the partner.',
    ...altering('analytics', (_, { world, caller, query }) => ({
      gmv_cents: listTransactions(world, caller, { ...windowOf(query), limit: 1 }).totals.gmvCents,
    })),
  }),
]

function funnel(name: string, summary: string, change: (body: Fields) => Fields): Defect {
  return defect(`funnel-${name}`, ['RPT-05'], { summary, ...altering('analytics', change) })
}

/** Lines, newest first, without those of a kind but for an old one; the rest adds up. */
function stuck(entries: readonly Fields[], kind: string): Fields[] {
  let missing = entries
    .filter((line) => line['kind'] === kind)
    .reduce((sum, line) => sum + cents(line, 'amount_cents'), 0)
  const left = entries.flatMap((line) => {
    if (line['kind'] !== kind) return [{ ...line, balance_cents: cents(line, 'balance_cents') - missing }]
    missing -= cents(line, 'amount_cents')
    return []
  })
  return [...left, { entry_id: 'ent_0', kind, amount_cents: 0, balance_cents: 0, created_at: '2020-01-01T00:00:00Z' }]
}

/** Balances that go wrong from the first line of the page on, which is its last. */
function rebalanced(counted: (line: { amount: number; kind: string }) => number): Tampered {
  return listing('me.commissions', 'entries', (entries) => {
    const oldestFirst = [...entries].reverse()
    const [first] = oldestFirst
    let balance = first ? cents(first, 'balance_cents') - cents(first, 'amount_cents') : 0
    const rebalancedLines = oldestFirst.map((line) => {
      balance += counted({ amount: cents(line, 'amount_cents'), kind: String(line['kind']) })
      return { ...line, balance_cents: balance }
    })
    return rebalancedLines.reverse()
  })
}
