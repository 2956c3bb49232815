import type { EndpointId } from '../../contract/endpoints.ts'
import type { PayoutKind } from '../../sandbox/settlement/payout-runs.ts'
import { cents, type Fields } from './answers.ts'
import { type Defect, defect, perWorld, type Tampered } from './defect.ts'
import { altering, isOfThirtyDays, itemsOf, showing } from './routes.ts'

/** Mistakes of payouts, of either list of them. */
export const payoutDefects: readonly Defect[] = [
  defect('payouts-lack-hosted-sales', ['PAY-01'], {
    summary: 'The commission of hosted sales is never paid.',
    ...neverPaying('commission'),
  }),
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
  defect('payouts-total-of-a-month', ['PAY-01'], {
    summary: 'The total paid is that of the last thirty days.',
    ...showing('payouts.list', (body, input) => {
      const recent = itemsOf(body, 'payouts').filter(({ paid_at: at }) => isOfThirtyDays(at, input))
      return { ...body, total_paid_cents: recent.reduce((sum, payout) => sum + cents(payout, 'amount_cents'), 0) }
    }),
  }),
]

function total(id: EndpointId | readonly EndpointId[], change: (paid: number, list: Fields[]) => number): Tampered {
  return showing(id, (body) => ({
    ...body,
    total_paid_cents: change(Number(body['total_paid_cents']), itemsOf(body, 'payouts')),
  }))
}

/** A server on which payouts of a kind do not exist. */
function neverPaying(kind: PayoutKind): Tampered {
  return altering('payouts.list', (body) => {
    const list = itemsOf(body, 'payouts')
    const missing = list.filter((payout) => payout['kind'] === kind)
    return {
      payouts: list.filter((payout) => payout['kind'] !== kind),
      total_paid_cents: cents(body, 'total_paid_cents') - sumOf(missing),
    }
  })
}

function sumOf(payouts: readonly Fields[]): number {
  return payouts.reduce((sum, payout) => sum + cents(payout, 'amount_cents'), 0)
}

const looks = perWorld(() => ({ count: 0 }))
