import type { EndpointId } from '../../contract/endpoints.ts'
import type { World } from '../../sandbox/kernel/world.ts'
import { listPayoutRuns } from '../../sandbox/settlement/payout-runs.ts'
import type { PayoutKind } from '../../sandbox/settlement/types.ts'
import { cents, type Fields, without } from './answers.ts'
import { type Defect, defect, type Tampered } from './defect.ts'
import { altering, eachOf, itemsOf, listing, listingEveryones, showing } from './routes.ts'
import { worthOf } from './settlement.ts'

/** Mistakes of payouts, of either list of them. */
export const payoutDefects: readonly Defect[] = [
  defect('payout-runs-always-pay', ['PAY-01'], {
    summary: 'A run with nothing to pay pays one cent.',
    ...altering('payouts.list', (body, { world }) => ({
      total_paid_cents: Number(body['total_paid_cents']) + idleRuns(world),
    })),
  }),
  defect('payouts-pay-partner-collected-sales', ['PAY-01'], {
    summary: 'The amount that a partner keeps of its own sales is paid out, too.',
    ...altering('payouts.list', (body, input) => {
      const [run] = listPayoutRuns(input.world, { limit: 1 }).rows
      const { commission } = worthOf(input, "orders.partner_id = @partnerId AND orders.status = 'SETTLED'")
      if (!run || commission === 0) return {}
      const paid_at = new Date(run.ranAtMs).toISOString()
      const payout = { payout_id: 'pay_0', amount_cents: commission, currency: 'USD', kind: 'commission', paid_at }
      return {
        payouts: [payout, ...itemsOf(body, 'payouts')],
        total_paid_cents: cents(body, 'total_paid_cents') + commission,
      }
    }),
  }),
  defect('payouts-lack-hosted-sales', ['PAY-01'], {
    summary: 'The commission of hosted sales is never paid.',
    ...neverPaying('commission'),
  }),
  defect('payouts-lack-brokerage', ['PAY-01'], {
    summary: 'Cuts of brokerage deals are never paid.',
    ...neverPaying('brokerage'),
  }),
  defect('payout-list-shows-everyones', ['PAY-01'], {
    summary: 'Payouts are listed of all partners.',
    ...listingEveryones({ 'payouts.list': 'payouts' }),
  }),
  defect('payout-total-of-the-page', ['PAY-01', 'RPT-04'], {
    summary: 'The total paid is that of the page.',
    ...total(['payouts.list', 'me.payouts'], (_, list) => sumOf(list)),
  }),
  defect('payout-total-grows-with-each-look', ['PAY-01'], {
    summary: 'Each time it is asked for, the total paid is a cent more.',
    ...altering('payouts.list', (body, { world }) => ({
      total_paid_cents: Number(body['total_paid_cents']) + looksAt(world),
    })),
  }),
  defect('payout-total-of-the-latest', ['PAY-01'], {
    summary: 'The total paid is the latest payout.',
    ...total('payouts.list', (_, [latest]) => Number(latest?.['amount_cents'] ?? 0)),
  }),
  defect('payout-list-says-everything-twice', ['PAY-01'], {
    summary: 'Each payout is listed twice.',
    ...listing('payouts.list', 'payouts', (list) => list.flatMap((payout) => [payout, payout])),
  }),
  defect('payout-list-is-empty', ['PAY-01'], {
    summary: 'No payout is listed, however much was paid.',
    ...altering('payouts.list', () => ({ payouts: [], total_paid_cents: 0 })),
  }),
  dateless('payouts.list', 'PAY-01'),
  dateless('me.payouts', 'RPT-04'),
  defect('affiliate-payouts-are-never-listed', ['RPT-04'], {
    summary: 'An affiliate sees a total and no payouts.',
    ...listing('me.payouts', 'payouts', () => []),
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

function dateless(id: EndpointId, requirement: string): Defect {
  return defect(`payouts-of-${id.replace('.', '-')}-without-date`, [requirement], {
    summary: `Payouts of ${id} have no date.`,
    ...eachOf(id, 'payouts', (payout) => without(payout, 'paid_at')),
  })
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
