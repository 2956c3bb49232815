import { type Fields, without } from './answers.ts'
import { changing, type Defect } from './defect.ts'
import { handling, itemsOf, showing, underRules } from './routes.ts'

type Tampered = Pick<Defect, 'hooks'>

/** Mistakes of attributed sales, of the commission ledger and of the funnel. */
export const reportDefects: readonly Defect[] = [
  ...(['buyer', 'domain', 'amount_cents', 'commission_cents'] as const).map(
    (field): Defect => ({
      id: `attributed-sale-without-${field.replace('_cents', '')}`,
      breaks: ['RPT-02'],
      summary: `Attributed sales have no ${field.replace('_cents', '')}.`,
      ...sales((sale) => without(sale, field)),
    }),
  ),
  {
    id: 'attributed-sale-amount-is-net',
    breaks: ['RPT-02'],
    summary: 'The amount of an attributed sale is the price less the commission.',
    ...sales((sale) => ({ ...sale, amount_cents: cents(sale, 'amount_cents') - cents(sale, 'commission_cents') })),
  },
  {
    id: 'attributed-sale-commission-is-halved',
    breaks: ['RPT-02'],
    summary: 'The commission of an attributed sale is half of what the transactions say.',
    ...sales((sale) => ({ ...sale, commission_cents: Math.floor(cents(sale, 'commission_cents') / 2) })),
  },
  {
    id: 'attributed-sales-show-everyones',
    breaks: ['RPT-02', 'RPT-03'],
    summary: 'Attributed sales and commissions are listed of all partners.',
    ...changing('reports', { shows: 'everyones' }),
  },
  {
    id: 'ledger-balance-of-the-page',
    breaks: ['RPT-03'],
    summary: 'The balance of a line sums up the page.',
    ...changing('reports', { balance: 'page' }),
  },
  {
    id: 'ledger-balance-of-the-line',
    breaks: ['RPT-03'],
    summary: 'The balance of a line is its own amount.',
    ...changing('reports', { balance: 'line' }),
  },
  {
    id: 'ledger-balance-is-the-last',
    breaks: ['RPT-03'],
    summary: 'Every line shows the balance of today.',
    ...showing('me.commissions', (body) => ({
      ...body,
      entries: itemsOf(body, 'entries').map((line) => ({ ...line, balance_cents: body['balance_cents'] })),
    })),
  },
  {
    id: 'ledger-adds-what-is-taken-back',
    breaks: ['RPT-03'],
    summary: 'A line that takes something back is added to the balance.',
    ...rebalanced(({ amount }) => Math.abs(amount)),
  },
  {
    id: 'ledger-balance-ignores-reversals',
    breaks: ['RPT-03'],
    summary: 'A reversal leaves the balance as it was.',
    ...rebalanced(({ amount, kind }) => (kind === 'reversed' ? 0 : amount)),
  },
  ...(['accrued', 'pending', 'paid_out', 'reversed'] as const).map(
    (kind): Defect => ({
      id: `ledger-lacks-${kind.replace('_', '-')}-lines`,
      breaks: ['RPT-03'],
      summary: `Lines of the kind ${kind} are not in the ledger.`,
      ...showing('me.commissions', (body) => ({
        ...body,
        entries: itemsOf(body, 'entries').filter((line) => line['kind'] !== kind),
      })),
    }),
  ),
  ...(['accrued', 'pending', 'paid_out', 'reversed'] as const).map(
    (kind): Defect => ({
      id: `ledger-has-old-${kind.replace('_', '-')}-lines-only`,
      breaks: ['RPT-03'],
      summary: `Of the kind ${kind} the ledger has one line of long ago, and no more come.`,
      ...showing('me.commissions', (body) => ({ ...body, entries: stuck(itemsOf(body, 'entries'), kind) })),
    }),
  ),
  {
    id: 'ledger-has-one-kind',
    breaks: ['RPT-03'],
    summary: 'Every line of the ledger is called commission.',
    ...lines((line) => ({ ...line, kind: 'commission' })),
  },
  {
    id: 'ledger-without-balance',
    breaks: ['RPT-03'],
    summary: 'Lines of the ledger have no balance.',
    ...lines((line) => without(line, 'balance_cents')),
  },
  {
    id: 'ledger-has-half-of-the-commission',
    breaks: ['RPT-05'],
    summary: 'The ledger has half of the commission that the sales show.',
    ...lines((line) => ({
      ...line,
      amount_cents: cents(line, 'amount_cents') / 2,
      balance_cents: cents(line, 'balance_cents') / 2,
    })),
  },
  {
    id: 'funnel-ignores-from',
    breaks: ['RPT-05'],
    summary: 'The funnel counts what was before its window.',
    ...changing('reports', { analyticsFilters: ['to'] }),
  },
  {
    id: 'funnel-ignores-to',
    breaks: ['RPT-05'],
    summary: 'The funnel counts what was after its window.',
    ...changing('reports', { analyticsFilters: ['from'] }),
  },
  {
    id: 'funnel-is-of-all-time',
    breaks: ['RPT-05'],
    summary: 'The funnel has no window, whatever is asked for.',
    ...changing('reports', { analyticsFilters: [] }),
  },
  funnel('gmv-is-net', 'GMV of the funnel is without the commission.', (body) => ({
    gmv_cents: cents(body, 'gmv_cents') - cents(body, 'commission_cents'),
  })),
  funnel('commission-is-zero', 'The funnel knows no commission.', () => ({ commission_cents: 0 })),
  funnel('gmv-is-in-units', 'GMV of the funnel is in whole units under a name that says cents.', (body) => ({
    gmv_cents: Math.round(cents(body, 'gmv_cents') / 100),
  })),
  funnel('counts-clicks-as-sales', 'The sales of the funnel are its clicks.', (body) => ({
    sales: cents(body, 'clicks'),
  })),
  funnel('counts-a-sale-too-many', 'The funnel counts one sale more than the list has.', (body) => ({
    sales: cents(body, 'sales') + 1,
  })),
  {
    id: 'funnel-counts-everyones-sales',
    breaks: ['RPT-05'],
    summary: 'GMV and commission of the funnel are those of all partners.',
    ...handling('analytics', (input, sound) => {
      const partners = new Map([...input.world.credentials.values()].map((caller) => [caller.partnerId, caller]))
      const bodies = [...partners.values()].map((caller) => sound({ ...input, caller }).body as Fields)
      const sum = (name: string) => bodies.reduce((total, body) => total + cents(body, name), 0)
      const reply = sound(input)
      const gross = { gmv_cents: sum('gmv_cents'), commission_cents: sum('commission_cents') }
      return { ...reply, body: { ...(reply.body as Fields), ...gross } }
    }),
  },
  {
    id: 'funnel-counts-unreferred-sales',
    breaks: ['RPT-05'],
    summary: 'GMV of the funnel counts every sale of the partner.',
    ...handling('analytics', (input, sound) => {
      const all = sound(underRules(input, (rules) => ({ ...rules, reports: { ...rules.reports, sales: 'all' } })))
      const reply = sound(input)
      return { ...reply, body: { ...(reply.body as Fields), gmv_cents: (all.body as Fields)['gmv_cents'] } }
    }),
  },
]

function sales(change: (sale: Fields) => Fields): Tampered {
  return showing('me.sales', (body) => ({ ...body, sales: itemsOf(body, 'sales').map(change) }))
}

function lines(change: (line: Fields) => Fields): Tampered {
  return showing('me.commissions', (body) => ({ ...body, entries: itemsOf(body, 'entries').map(change) }))
}

function funnel(name: string, summary: string, change: (body: Fields) => Fields): Defect {
  return {
    id: `funnel-${name}`,
    breaks: ['RPT-05'],
    summary,
    ...showing('analytics', (body) => ({ ...body, ...change(body) })),
  }
}

/** Lines, newest first, without those of a kind but for an old one; what is left adds up. */
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
  return showing('me.commissions', (body) => {
    const oldestFirst = [...itemsOf(body, 'entries')].reverse()
    const [first] = oldestFirst
    let balance = first ? cents(first, 'balance_cents') - cents(first, 'amount_cents') : 0
    const entries = oldestFirst.map((line) => {
      balance += counted({ amount: cents(line, 'amount_cents'), kind: String(line['kind']) })
      return { ...line, balance_cents: balance }
    })
    return { ...body, entries: entries.reverse() }
  })
}

function cents(fields: Fields, name: string): number {
  return Number(fields[name])
}
