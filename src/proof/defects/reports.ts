import { cents, type Fields } from './answers.ts'
import { type Defect, defect } from './defect.ts'
import {
  altering,
  eachOf,
  handling,
  ignoring,
  isOfLaterPartner,
  isOfThirtyDays,
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
  ...(['accrued', 'pending', 'paid_out', 'reversed'] as const).map((kind) =>
    defect(`ledger-lacks-${kind.replace('_', '-')}-lines`, ['RPT-03'], {
      summary: `Lines of the kind ${kind} are not in the ledger.`,
      ...keeping('me.commissions', 'entries', (line) => line['kind'] !== kind),
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
]

function funnel(name: string, summary: string, change: (body: Fields) => Fields): Defect {
  return defect(`funnel-${name}`, ['RPT-05'], { summary, ...altering('analytics', change) })
}
