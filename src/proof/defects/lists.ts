import type { World } from '../../sandbox/kernel/world.ts'
import { HOUR_MS, later } from './answers.ts'
import { type Defect, defect, perWorld, type Tampered } from './defect.ts'
import { eachOf, listing } from './routes.ts'

/** Reports that may date a row by their own reading, and where. */
const DATED = [
  ['transactions', 'transactions.list', 'transactions', 'created_at', 'TXN-01'],
  ['payouts', 'payouts.list', 'payouts', 'paid_at', 'PAY-01'],
  ['referral-payouts', 'me.payouts', 'payouts', 'paid_at', 'RPT-04'],
] as const

/** Mistakes that no scenario looks for where they are made: only a rule about every call of a run finds them. */
export const listMistakes: readonly Defect[] = [
  ...DATED.map(([rows, endpoint, list, name, requirement]) =>
    defect(`${rows}-have-another-date-at-each-reading`, [requirement], {
      summary: `The rows of ${endpoint} have a date that is an hour later each time they are read.`,
      ...counting((readings) =>
        eachOf(endpoint, list, (row, { world }) => ({ ...row, [name]: later(row[name], readings(world) * HOUR_MS) })),
      ),
    }),
  ),
  ...(
    [
      ['orders.list', 'orders', 'ORD-08'],
      ['brokerage.list', 'cases', 'BRKL-01'],
      ['links.list', 'links', 'LINK-02'],
    ] as const
  ).map(([id, name, requirement]) =>
    defect(`long-pages-of-${name}-have-the-last-twice`, [requirement], {
      summary: `A page of more than two ${name} has its last one twice.`,
      ...listing(id, name, (rows) => (rows.length > 2 ? [...rows, ...rows.slice(-1)] : rows)),
    }),
  ),
]

/** A server that counts what it shows. */
function counting(show: (next: (world: World) => number) => Tampered): Tampered {
  const counts = perWorld(() => ({ shown: 0 }))
  return show((world) => ++counts(world).shown)
}
