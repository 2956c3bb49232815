import type { EndpointId } from '../../contract/endpoints.ts'
import type { World } from '../../sandbox/kernel/world.ts'
import { listPayoutRuns } from '../../sandbox/settlement/payout-runs.ts'
import { type Fields, without } from './answers.ts'
import { changing, type Defect } from './defect.ts'
import { itemsOf, showing } from './routes.ts'

type Tampered = Pick<Defect, 'hooks'>

/** Mistakes of payouts, of either list of them. */
export const payoutDefects: readonly Defect[] = [
  {
    id: 'payout-runs-always-pay',
    breaks: ['PAY-01'],
    summary: 'A run that finds nothing to pay pays one cent.',
    ...showing('payouts.list', (body, { world }) => ({
      ...body,
      total_paid_cents: Number(body['total_paid_cents']) + idleRuns(world),
    })),
  },
  {
    id: 'payouts-pay-partner-collected-sales',
    breaks: ['PAY-01'],
    summary: 'What a partner keeps of its own sales is paid out as well.',
    ...changing('payouts', { models: ['partner_collected', 'hosted_checkout', 'brokerage'] }),
  },
  {
    id: 'payouts-lack-hosted-sales',
    breaks: ['PAY-01'],
    summary: 'The commission of hosted sales is never paid.',
    ...changing('payouts', { models: ['brokerage'] }),
  },
  {
    id: 'payouts-lack-brokerage',
    breaks: ['PAY-01'],
    summary: 'Cuts of brokerage deals are never paid.',
    ...changing('payouts', { models: ['hosted_checkout'] }),
  },
  {
    id: 'payout-list-shows-everyones',
    breaks: ['PAY-01'],
    summary: 'Payouts are listed of all partners.',
    ...changing('payouts', { shows: 'everyones' }),
  },
  {
    id: 'payout-total-of-the-page',
    breaks: ['PAY-01', 'RPT-04'],
    summary: 'The total paid is that of the page.',
    ...changing('payouts', { total: 'page' }),
  },
  {
    id: 'payout-total-grows-with-each-look',
    breaks: ['PAY-01'],
    summary: 'Each time it is asked for, the total paid is a cent more.',
    ...showing('payouts.list', (body, { world }) => ({
      ...body,
      total_paid_cents: Number(body['total_paid_cents']) + looksAt(world),
    })),
  },
  {
    id: 'payout-total-of-the-latest',
    breaks: ['PAY-01'],
    summary: 'The total paid is the latest payout.',
    ...total('payouts.list', (_, [latest]) => Number(latest?.['amount_cents'] ?? 0)),
  },
  {
    id: 'payout-list-says-everything-twice',
    breaks: ['PAY-01'],
    summary: 'Each payout is listed twice.',
    ...payouts('payouts.list', (list) => list.flatMap((payout) => [payout, payout])),
  },
  {
    id: 'payout-list-is-empty',
    breaks: ['PAY-01'],
    summary: 'No payout is listed, however much was paid.',
    ...showing('payouts.list', (body) => ({ ...body, payouts: [], total_paid_cents: 0 })),
  },
  dateless('payouts.list', 'PAY-01'),
  dateless('me.payouts', 'RPT-04'),
  {
    id: 'affiliate-payout-total-is-a-cent-off',
    breaks: ['RPT-04'],
    summary: 'The total that an affiliate was paid is a cent too high.',
    ...total('me.payouts', (paid) => paid + 1),
  },
  {
    id: 'affiliate-payout-total-lacks-the-latest',
    breaks: ['RPT-04'],
    summary: 'The total that an affiliate was paid lags behind by one payout.',
    ...total('me.payouts', (paid, [latest]) => paid - Number(latest?.['amount_cents'] ?? 0)),
  },
  {
    id: 'affiliate-payouts-are-never-listed',
    breaks: ['RPT-04'],
    summary: 'An affiliate sees a total and no payouts.',
    ...payouts('me.payouts', () => []),
  },
]

function payouts(id: EndpointId, change: (list: Fields[]) => Fields[]): Tampered {
  return showing(id, (body) => ({ ...body, payouts: change(itemsOf(body, 'payouts')) }))
}

function total(id: EndpointId, change: (paid: number, list: Fields[]) => number): Tampered {
  return showing(id, (body) => ({
    ...body,
    total_paid_cents: change(Number(body['total_paid_cents']), itemsOf(body, 'payouts')),
  }))
}

function dateless(id: EndpointId, requirement: string): Defect {
  return {
    id: `payouts-of-${id.replace('.', '-')}-without-date`,
    breaks: [requirement],
    summary: `Payouts of ${id} have no date.`,
    ...payouts(id, (list) => list.map((payout) => without(payout, 'paid_at'))),
  }
}

const MOST_RUNS = 1_000

function idleRuns(world: World): number {
  return listPayoutRuns(world, { limit: MOST_RUNS }).rows.filter(({ payouts }) => payouts === 0).length
}

const looks = new WeakMap<World, number>()

function looksAt(world: World): number {
  const count = (looks.get(world) ?? 0) + 1
  looks.set(world, count)
  return count
}
