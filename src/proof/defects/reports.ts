import { cents, type Fields, sumOf } from './answers.ts'
import { both, type Defect, defect } from './defect.ts'
import {
  altering,
  eachOf,
  ignoring,
  isOfLaterPartner,
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
    ...both(listingEveryones('me.sales'), listingEveryones('me.commissions')),
  }),
  ...(['accrued', 'pending', 'paid_out', 'reversed'] as const).map((kind) =>
    defect(`ledger-lacks-${kind.replace('_', '-')}-lines`, ['RPT-03'], {
      summary: `Lines of the kind ${kind} are not in the ledger.`,
      ...keeping('me.commissions', (line) => line['kind'] !== kind),
    }),
  ),
  defect('ledger-has-accruals-twice', ['RPT-03'], {
    summary: 'The ledger has each accrued commission twice.',
    ...listing('me.commissions', (lines) =>
      twice(lines, (line) => line['kind'] === 'accrued' && cents(line, 'amount_cents') > 0),
    ),
  }),
  defect('attributed-sales-lack-their-buyer', ['RPT-02'], {
    summary: 'An attributed sale does not show its buyer.',
    ...eachOf('me.sales', (sale) => ({ ...sale, buyer: null })),
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
    ...altering('analytics', (_, { world, ...input }, correct) => {
      const bodies = partnersOf(world).map((caller) => correct({ ...input, world, caller }).body as Fields)
      return { gmv_cents: sumOf(bodies, 'gmv_cents'), commission_cents: sumOf(bodies, 'commission_cents') }
    }),
  }),
]

function funnel(name: string, summary: string, change: (body: Fields) => Fields): Defect {
  return defect(`funnel-${name}`, ['RPT-05'], { summary, ...altering('analytics', change) })
}
