import { expect, test } from 'vitest'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'

const WORLD = '/v1/worlds/default'

async function closedDeal(sandbox: TestSandbox, priceCents: number, as = 'main') {
  const body = {
    tier: 'managed',
    buyer_email: 'b@example.test',
    budget: 1_000_000,
    domain: `wanted-${priceCents}.example`,
  }
  const { json } = await sandbox.call({ path: '/brokerage', body, as })
  await sandbox.operate('POST', `${WORLD}/brokerage/${json.case_id}/close-deal`, { price_cents: priceCents })
  return (await sandbox.call({ path: `/brokerage/${json.case_id}`, as })).json
}

test('the cut of a deal is in the transactions at once and in the payouts after a payout run, to the cent', async () => {
  const sandbox = await startSandbox()
  const deals = [await closedDeal(sandbox, 99_999), await closedDeal(sandbox, 250_005)]
  await closedDeal(sandbox, 777, 'other-partner')
  expect(deals.map((deal) => deal.partner_cut_cents)).toEqual([9_999, 25_000])
  const { json: history } = await sandbox.call({ path: '/transactions?payment_model=brokerage' })
  expect(history.transactions).toMatchObject([
    { case_id: deals[1].case_id, domain: 'wanted-250005.example', sale_price_cents: 250_005, commission_cents: 25_000 },
    { case_id: deals[0].case_id, domain: 'wanted-99999.example', sale_price_cents: 99_999, commission_cents: 9_999 },
  ])
  expect(history.totals).toMatchObject({ count: 2, gmv_cents: 350_004, commission_cents: 34_999 })
  expect((await sandbox.call({ path: '/payouts' })).json.payouts).toEqual([])
  expect((await sandbox.operate('POST', `${WORLD}/payout-runs`, {})).status).toBe(201)
  const { json: paid } = await sandbox.call({ path: '/payouts' })
  expect(paid.payouts).toMatchObject([{ kind: 'brokerage', amount_cents: 34_999 }])
  expect(paid.total_paid_cents).toBe(34_999)
  expect((await sandbox.call({ path: '/payouts', as: 'other-partner' })).json.total_paid_cents).toBe(77)
})

test('a case that ends without a deal is in no report of money', async () => {
  const sandbox = await startSandbox()
  const body = { tier: 'self_serve', buyer_email: 'b@example.test', budget: 500 }
  const { json } = await sandbox.call({ path: '/brokerage', body })
  await sandbox.operate('POST', `${WORLD}/brokerage/${json.case_id}/close-no-deal`, {})
  await sandbox.operate('POST', `${WORLD}/payout-runs`, {})
  expect((await sandbox.call({ path: '/transactions' })).json.transactions).toEqual([])
  expect((await sandbox.call({ path: '/payouts' })).json.payouts).toEqual([])
})
