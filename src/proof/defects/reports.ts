import { cents, type Fields } from './answers.ts'
import { type Defect, defect } from './defect.ts'
import {
  type AnyInput,
  altering,
  eachOf,
  handling,
  ignoring,
  isOfLaterPartner,
  isOfThirtyDays,
  itemsOf,
  keeping,
  listing,
  listingEveryones,
  partnersOf,
  twice,
} from './routes.ts'

/** Mistakes of attributed sales, of the commission ledger and of the funnel. */
export const reportDefects: readonly Defect[] = [
  defect('attributed-sales-show-everyones', ['RPT-02', 'RPT-03'], {
    summary: 'Attributed sales and commissions are listed of all partners.',
    ...listingEveryones({ 'me.sales': 'sales', 'me.commissions': 'entries' }),
  }),
  ...(
    [
      ['latest', 0],
      ['first', -1],
    ] as const
  ).map(([which, place]) =>
    defect(`attributed-sales-have-the-${which}-buyer`, ['RPT-02'], {
      summary: `Every attributed sale has the buyer of the ${which} one.`,
      ...handling('me.sales', (input, correct) => {
        const known = itemsOf(correct({ ...input, query: {} }).body as Fields, 'sales').at(place)
        const reply = correct(input)
        const sales = itemsOf(reply.body as Fields, 'sales').map((sale) => ({ ...sale, buyer: known?.['buyer'] }))
        return { ...reply, body: { ...(reply.body as Fields), sales } }
      }),
    }),
  ),
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
  defect('ledger-has-accruals-twice', ['RPT-03'], {
    summary: 'The ledger has each accrued commission twice.',
    ...listing('me.commissions', 'entries', (lines) =>
      twice(lines, (line) => line['kind'] === 'accrued' && cents(line, 'amount_cents') > 0),
    ),
  }),
  ...(
    [
      ['attributed-sales', 'me.sales', 'sales', 'RPT-02'],
      ['ledger', 'me.commissions', 'entries', 'RPT-03'],
    ] as const
  ).flatMap(([what, id, name, requirement]) => [
    defect(`${what}-of-one-partner-only`, [requirement], {
      summary: `Of all partners, one has rows in ${id}.`,
      ...keeping(id, name, (_, input) => !isOfLaterPartner(input)),
    }),
    defect(`${what}-of-thirty-days`, [requirement], {
      summary: `Without dates, ${id} has the rows of the last thirty days.`,
      ...keeping(id, name, ({ created_at: at }, input) => isOfThirtyDays(at, input)),
    }),
  ]),
  defect('attributed-sales-lack-their-buyer', ['RPT-02'], {
    summary: 'An attributed sale does not show its buyer.',
    ...eachOf('me.sales', 'sales', (sale) => ({ ...sale, buyer: null })),
  }),
  defect('funnel-is-of-all-time', ['RPT-05'], {
    summary: 'The funnel ignores the window that the caller asks for.',
    ...ignoring('analytics', 'from', 'to'),
  }),
  funnel('gmv-is-net', 'GMV of the funnel excludes the commission.', (body) => ({
    gmv_cents: cents(body, 'gmv_cents') - cents(body, 'commission_cents'),
  })),
  defect('funnel-has-its-last-day', ['RPT-05'], {
    summary: 'The funnel of a window that ends with a day has that day, which the reports of its parts have not.',
    ...handling('analytics', (input, correct) => {
      const { to } = input.query
      const isDay = /^\d{4}-\d\d-\d\d$/.test(String(to))
      return correct(isDay ? { ...input, query: { ...input.query, to: `${to}T23:59:59.999Z` } } : input)
    }),
  }),
  defect('funnel-of-one-partner-only', ['RPT-05'], {
    summary: 'The funnel of any but the first partner has no sale.',
    ...altering('analytics', (_, input) =>
      isOfLaterPartner(input) ? { sales: 0, gmv_cents: 0, commission_cents: 0 } : {},
    ),
  }),
  defect('funnel-windows-with-one-end-are-empty', ['RPT-05'], {
    summary: 'The funnel of a window without a beginning or an end is empty, as BETWEEN has it where one is null.',
    ...altering('analytics', (_, { query }) =>
      (query['from'] === undefined) === (query['to'] === undefined)
        ? {}
        : { clicks: 0, checkouts: 0, sales: 0, gmv_cents: 0, commission_cents: 0 },
    ),
  }),
  funnel('commission-is-zero', 'The funnel shows no commission.', () => ({ commission_cents: 0 })),
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
  ...(
    [
      ['gmv', 'gmv_cents'],
      ['clicks', 'clicks'],
    ] as const
  ).map(([what, name]) =>
    defect(`funnel-of-a-window-has-everyones-${what}`, ['RPT-05'], {
      summary: `The funnel between dates has the ${what} of all partners.`,
      ...handling('analytics', (input, correct) => {
        const reply = correct(input)
        if (!hasWindow(input)) return reply
        const bodies = partnersOf(input.world).map((caller) => correct({ ...input, caller }).body as Fields)
        const sum = bodies.reduce((total, body) => total + cents(body, name), 0)
        return { ...reply, body: { ...(reply.body as Fields), [name]: sum } }
      }),
    }),
  ),
]

function hasWindow({ query }: AnyInput): boolean {
  return query['from'] !== undefined && query['to'] !== undefined
}

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
