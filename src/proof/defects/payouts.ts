import type { EndpointId } from '../../contract/endpoints.ts'
import { cents, type Fields } from './answers.ts'
import { type Defect, defect, perWorld, type Tampered } from './defect.ts'
import { type AnyInput, altering, eachOf, handling, isOfThirtyDays, itemsOf, rowsOfOthers, showing } from './routes.ts'

/** Mistakes of payouts, of either list of them. */
export const payoutDefects: readonly Defect[] = [
  defect('payout-total-of-the-page', ['PAY-01', 'RPT-04'], {
    summary: 'The total paid is that of the page.',
    ...total(['payouts.list', 'me.payouts'], (_, list) => sumOf(list)),
  }),
  defect('payout-total-grows-with-each-look', ['PAY-01'], {
    summary: 'Each time it is asked for, the total paid is a cent more.',
    ...altering('payouts.list', (body, { world }) => ({
      total_paid_cents: Number(body['total_paid_cents']) + ++looks(world).count,
    })),
  }),
  defect('affiliate-payouts-total-lacks-a-fee', ['RPT-04'], {
    summary: 'A fee of 25 cents is taken off what an affiliate was paid in total, whether or not anything was paid.',
    ...total('me.payouts', (paid) => paid - 25),
  }),
  defect('hosted-payouts-are-in-whole-units', ['PAY-01'], {
    summary: 'The commission of hosted sales is paid out without its cents.',
    ...ofAll('payouts.list', (payouts) => sumOf(payouts.map(inWholeUnits)), inWholeUnits),
  }),
  defect('payouts-of-a-partner-without-any-are-everyones', ['PAY-01'], {
    summary: 'A partner to whom nothing was paid sees what was paid to the others.',
    ...handling(['payouts.list'], (input, correct) => {
      const own = correct(input)
      if (itemsOf(own.body as Fields, 'payouts').length > 0) return own
      const payouts = rowsOfOthers(input, correct, 'payouts')
      return { ...own, body: { ...(own.body as Fields), payouts, total_paid_cents: sumOf(payouts) } }
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
      ...ofAll(id, (payouts, input) => sumOf(payouts.filter(({ paid_at: at }) => isOfThirtyDays(at, input)))),
    }),
  ),
  defect('referral-payouts-have-no-dates', ['RPT-04'], {
    summary: 'The payouts of referred sales have no dates.',
    ...eachOf('me.payouts', 'payouts', (payout) => ({ ...payout, paid_at: null })),
  }),
]

function total(id: EndpointId | readonly EndpointId[], change: (paid: number, list: Fields[]) => number): Tampered {
  return showing(id, (body) => ({
    ...body,
    total_paid_cents: change(Number(body['total_paid_cents']), itemsOf(body, 'payouts')),
  }))
}

/** A server with another total, made of all payouts, on this page or not. */
function ofAll(
  id: EndpointId,
  total: (payouts: Fields[], input: AnyInput) => number,
  shown: (payout: Fields, input: AnyInput) => Fields = (payout) => payout,
): Tampered {
  return handling(id, (input, correct) => {
    const all = itemsOf(correct({ ...input, query: { limit: 100 } }).body as Fields, 'payouts')
    const reply = correct(input)
    const payouts = itemsOf(reply.body as Fields, 'payouts').map((payout) => shown(payout, input))
    return { ...reply, body: { ...(reply.body as Fields), payouts, total_paid_cents: total(all, input) } }
  })
}

function inWholeUnits(payout: Fields): Fields {
  if (payout['kind'] !== 'commission') return payout
  return { ...payout, amount_cents: Math.floor(cents(payout, 'amount_cents') / 100) * 100 }
}

function sumOf(payouts: readonly Fields[]): number {
  return payouts.reduce((sum, payout) => sum + cents(payout, 'amount_cents'), 0)
}

const looks = perWorld(() => ({ count: 0 }))
