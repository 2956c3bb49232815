import { expect, test } from 'vitest'
import { advance, audited, closeDeal, deliver, payOut, sellHosted, step } from '../../support/sales.ts'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'

const CLOCK = { frozen: true, clockMs: Date.UTC(2026, 0, 15, 12) }

const payouts = async (sandbox: TestSandbox, query = '', path = '/payouts') =>
  (await sandbox.call({ path: path + query })).json

async function deliveredHosted(sandbox: TestSandbox, body: { domain?: string } = {}) {
  const sale = await sellHosted(sandbox, body)
  await step(sandbox, sale.public_id, 'complete-transfer')
  return { ...sale, commission: (await sandbox.call({ path: `/orders/${sale.public_id}` })).json.commission_cents }
}

test('commission and brokerage cuts are paid once, each by a payout of its kind; partner-collected sales never', async () => {
  const sandbox = await startSandbox(CLOCK)
  const { json: own } = await sandbox.sell()
  await deliver(sandbox, own.public_id)
  const [a, b] = [await deliveredHosted(sandbox), await deliveredHosted(sandbox)]
  await sellHosted(sandbox)
  for (const priceCents of [99_999, 250_005]) await closeDeal(sandbox, priceCents)
  expect((await payouts(sandbox)).payouts).toEqual([])
  const { status, json: run } = await payOut(sandbox)
  expect(status).toBe(201)
  expect(run.payouts).toHaveLength(2)
  const { payouts: paid, total_paid_cents, next_cursor } = await payouts(sandbox)
  expect(next_cursor).toBe(null)
  const common = { payout_id: expect.stringMatching(/^po_/), currency: 'USD', paid_at: '2026-01-15T12:00:00.000Z' }
  expect(paid).toEqual([
    { ...common, kind: 'brokerage', amount_cents: 9_999 + 25_000 },
    { ...common, kind: 'commission', amount_cents: a.commission + b.commission },
  ])
  expect(total_paid_cents).toBe(a.commission + b.commission + 34_999)
  expect((await payOut(sandbox)).json.payouts).toEqual([])
  expect((await audited(sandbox)).differences).toEqual([])
})

test('what was paid for a sale that was undone comes off the next payout', async () => {
  const sandbox = await startSandbox()
  const undone = await deliveredHosted(sandbox)
  await payOut(sandbox)
  await step(sandbox, undone.public_id, 'refund')
  expect((await payOut(sandbox)).json.payouts).toEqual([])
  expect((await sandbox.call({ path: '/me/commissions' })).json.balance_cents).toBe(-undone.commission)
  const sales = [await deliveredHosted(sandbox), await deliveredHosted(sandbox), await deliveredHosted(sandbox)]
  const earned = sales.reduce((sum, { commission }) => sum + commission, 0)
  const { json: run } = await payOut(sandbox)
  expect(run.payouts).toMatchObject([{ kind: 'commission', amount_cents: earned - undone.commission }])
  expect((await sandbox.call({ path: '/me/commissions' })).json.balance_cents).toBe(0)
  expect((await audited(sandbox)).differences).toEqual([])
})

test('sales that come to nothing, because one pays back another, make no payout', async () => {
  const sandbox = await startSandbox()
  for (const domain of ['undone.test', 'earned.test'])
    await sandbox.operate('POST', '/v1/worlds/default/domains', { domain, price_cents: 50_000 })
  const undone = await deliveredHosted(sandbox, { domain: 'undone.test' })
  await payOut(sandbox)
  await step(sandbox, undone.public_id, 'refund')
  await deliveredHosted(sandbox, { domain: 'earned.test' })
  expect((await sandbox.call({ path: '/me/commissions' })).json.balance_cents).toBe(0)
  expect((await payOut(sandbox)).json.payouts).toEqual([])
})

test('the total paid is over the whole filter, not the page, and the same under /me', async () => {
  const sandbox = await startSandbox(CLOCK)
  const amounts: number[] = []
  for (let day = 0; day < 3; day++) {
    await closeDeal(sandbox, 10_010 * (day + 1))
    amounts.push((await payOut(sandbox)).json.payouts[0].amount_cents)
    await advance(sandbox, '1d')
  }
  expect(amounts).toEqual([1_001, 2_002, 3_003])
  for (const path of ['/payouts', '/me/payouts']) {
    const page = await payouts(sandbox, '?limit=1', path)
    expect(page.payouts.map(({ amount_cents }: { amount_cents: number }) => amount_cents)).toEqual([3_003])
    expect(page.total_paid_cents).toBe(6_006)
    const next = await payouts(sandbox, `?limit=1&cursor=${page.next_cursor}`, path)
    expect(next).toMatchObject({ payouts: [{ amount_cents: 2_002 }], total_paid_cents: 6_006 })
    expect((await payouts(sandbox, '?from=2026-01-16&to=2026-01-17', path)).total_paid_cents).toBe(2_002)
  }
})
