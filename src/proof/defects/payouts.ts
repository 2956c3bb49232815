import { cents, type Fields, sumOf } from './answers.ts'
import { counting, type Defect, defect, type Tampered } from './defect.ts'
import { type AnyInput, altering, eachOf, isOfThirtyDays, itemsOf, rowsOfOthers } from './routes.ts'

type PayoutList = 'payouts.list' | 'me.payouts'

/** Mistakes of payouts, of either list of them. */
export const payoutDefects: readonly Defect[] = [
  defect('payout-total-of-the-page', ['PAY-01', 'RPT-04'], {
    summary: 'The total paid is that of the page.',
    ...altering(['payouts.list', 'me.payouts'], ({ payouts }) => ({
      total_paid_cents: sumOf(payouts as Fields[], 'amount_cents'),
    })),
  }),
  defect('payout-total-grows-with-each-look', ['PAY-01'], {
    summary: 'Each time it is asked for, the total paid is a cent more.',
    ...altering('payouts.list', (body, { world }) => ({
      total_paid_cents: cents(body, 'total_paid_cents') + looks(world),
    })),
  }),
  defect('hosted-payouts-are-in-whole-units', ['PAY-01'], {
    summary: 'The commission of hosted sales is paid out without its cents.',
    ...ofAll('payouts.list', (payouts) => payouts.map(inWholeUnits), inWholeUnits),
  }),
  defect('payouts-of-a-partner-without-any-are-everyones', ['PAY-01'], {
    summary: 'A partner to whom nothing was paid sees what was paid to the others.',
    ...altering('payouts.list', (own, input, correct) => {
      if (itemsOf('payouts.list', own).length > 0) return {}
      const payouts = rowsOfOthers('payouts.list', input, correct)
      return { payouts, total_paid_cents: sumOf(payouts, 'amount_cents') }
    }),
  }),
  ...(
    [
      ['payouts', 'payouts.list', 'PAY-01'],
      ['referral-payouts', 'me.payouts', 'RPT-04'],
    ] as const
  ).map(([name, id, requirement]) =>
    defect(`${name}-total-of-a-month`, [requirement], {
      summary: `The total paid of ${id} is that of the last thirty days.`,
      ...ofAll(id, (payouts, input) => payouts.filter(({ paid_at: at }) => isOfThirtyDays(at, input))),
    }),
  ),
  defect('affiliate-payouts-total-lacks-a-fee', ['RPT-04'], {
    summary: 'A fee of 25 cents is taken off what an affiliate was paid in total, whether or not anything was paid.',
    ...altering('me.payouts', (body) => ({ total_paid_cents: cents(body, 'total_paid_cents') - 25 })),
  }),
  defect('referral-payouts-have-no-dates', ['RPT-04'], {
    summary: 'The payouts of referred sales have no dates.',
    ...eachOf('me.payouts', (payout) => ({ ...payout, paid_at: null })),
  }),
  ...(
    [
      ['payouts', 'payouts.list', 'PAY-01'],
      ['referral-payouts', 'me.payouts', 'RPT-04'],
    ] as const
  ).map(([name, id, requirement]) =>
    defect(`${name}-have-the-date-of-months-ago`, [requirement], {
      summary: `What is paid has the date of sixty days before in ${id}.`,
      ...eachOf(id, (payout) => {
        const paidAtMs = Date.parse(String(payout['paid_at'])) - 60 * 86_400_000
        return { ...payout, paid_at: new Date(paidAtMs).toISOString() }
      }),
    }),
  ),
]

/** A server with another total, made of all payouts, on this page or not. */
function ofAll(
  id: PayoutList,
  counted: (payouts: Fields[], input: AnyInput) => Fields[],
  shown: (payout: Fields) => Fields = (payout) => payout,
): Tampered {
  return altering(id, (body, input, correct) => {
    const all = itemsOf(id, correct({ ...input, query: { limit: 100 } }).body)
    return { payouts: itemsOf(id, body).map(shown), total_paid_cents: sumOf(counted(all, input), 'amount_cents') }
  })
}

function inWholeUnits(payout: Fields): Fields {
  if (payout['kind'] !== 'commission') return payout
  return { ...payout, amount_cents: Math.floor(cents(payout, 'amount_cents') / 100) * 100 }
}

const looks = counting()
