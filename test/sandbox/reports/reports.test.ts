import { expect, test } from 'vitest'
import { advance, closeDeal, deliver, payOut, sellHosted, settle, step, walk } from '../../support/sales.ts'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'
import { visitor } from '../../support/visitor.ts'

const CLOCK = { frozen: true, clockMs: Date.UTC(2026, 0, 15, 12) }

const get = async (sandbox: TestSandbox, path: string) => (await sandbox.call({ path })).json

/** One sale of each model, one that was refunded, and a case that ended without a deal. */
async function oneOfEach(sandbox: TestSandbox) {
  const { json: own } = await sandbox.sell()
  await advance(sandbox, '1d')
  const hosted = await sellHosted(sandbox)
  await advance(sandbox, '1d')
  const caseId = await closeDeal(sandbox, 50_001)
  const { json: undone } = await sandbox.sell()
  await sandbox.call({ path: '/refunds', body: { public_id: undone.public_id } })
  const lost = { tier: 'self_serve', buyer_email: 'b@example.test', budget: 500 }
  const { json } = await sandbox.call({ path: '/brokerage', body: lost })
  const closed = await sandbox.operate('POST', `/v1/worlds/default/brokerage/${json.case_id}/close-no-deal`, {})
  expect(closed.status).toBe(200)
  return { own, hosted, caseId, undone }
}

test('transactions list every sale under every model, undone ones with zero, and totals are the sum of the rows', async () => {
  const sandbox = await startSandbox(CLOCK)
  const { own, hosted, caseId, undone } = await oneOfEach(sandbox)
  const { transactions, totals, next_cursor } = await get(sandbox, '/transactions')
  expect(next_cursor).toBe(null)
  expect(transactions).toMatchObject([
    { public_id: undone.public_id, sale_price_cents: 0, commission_cents: 0, status: 'REFUNDED' },
    {
      case_id: caseId,
      public_id: null,
      domain: null,
      sale_price_cents: 50_001,
      commission_cents: 5_000,
      status: 'DEAL_CLOSED',
    },
    { public_id: hosted.public_id, sale_price_cents: hosted.price_cents, payment_model: 'hosted_checkout' },
    {
      transaction_id: expect.stringMatching(/^txn_/),
      public_id: own.public_id,
      case_id: null,
      domain: own.domain,
      sale_price_cents: own.sale_price_cents,
      commission_cents: own.commission_cents,
      currency: 'USD',
      payment_model: 'partner_collected',
      status: 'EXTERNALLY_PAID',
      created_at: own.created_at,
    },
  ])
  expect(totals).toEqual({
    count: 4,
    gmv_cents: own.sale_price_cents + hosted.price_cents + 50_001,
    commission_cents: own.commission_cents + Math.floor(hosted.price_cents / 5) + 5_000,
  })
})

test('transactions are filtered from a date on and before a date, and by no unknown status or model', async () => {
  const sandbox = await startSandbox(CLOCK)
  const { own, hosted, caseId, undone } = await oneOfEach(sandbox)
  const ids = async (query: string) => {
    const { transactions, totals } = await get(sandbox, `/transactions?${query}`)
    expect(totals.count).toBe(transactions.length)
    return transactions.map((row: { public_id: string; case_id: string }) => row.public_id ?? row.case_id)
  }
  expect(await ids('from=2026-01-16')).toEqual([undone.public_id, caseId, hosted.public_id])
  expect(await ids('to=2026-01-17')).toEqual([hosted.public_id, own.public_id])
  expect(await ids('status=REFUNDED')).toEqual([undone.public_id])
  expect(await ids('status=DEAL_CLOSED')).toEqual([caseId])
  for (const query of ['status=SOLD', 'payment_model=referral']) {
    expect((await sandbox.call({ path: `/transactions?${query}` })).status).toBe(400)
  }
})

test('pages of transactions hold every sale once, also while sales are added', async () => {
  const sandbox = await startSandbox(CLOCK)
  const sold: string[] = []
  for (let i = 0; i < 5; i++) sold.unshift((await sandbox.sell()).json.public_id)
  const seen = await walk(sandbox, '/transactions', 'transactions', sandbox.sell)
  expect(seen.map(({ public_id: publicId }) => publicId)).toEqual(sold)
})

test('a commission goes from accrued to pending to paid out, and its balance is right on every line', async () => {
  const sandbox = await startSandbox(CLOCK)
  const hosted = await sellHosted(sandbox)
  const cents = Math.floor(hosted.price_cents / 5)
  await advance(sandbox, '1d')
  await step(sandbox, hosted.public_id, 'complete-transfer')
  await advance(sandbox, '1d')
  await payOut(sandbox)
  await step(sandbox, hosted.public_id, 'refund')
  const { json: own } = await sandbox.sell()
  await deliver(sandbox, own.public_id)
  await settle(sandbox)
  const { entries, balance_cents, currency } = await get(sandbox, '/me/commissions')
  const line = ({ kind, amount_cents, balance_cents }: Record<string, unknown>) => [kind, amount_cents, balance_cents]
  expect(entries.map(line)).toEqual([
    ['reversed', -cents, -cents],
    ['paid_out', -cents, 0],
    ['pending', cents, cents],
    ['accrued', -cents, 0],
    ['accrued', cents, cents],
  ])
  expect(entries[0]).toMatchObject({ public_id: hosted.public_id, case_id: null })
  expect([balance_cents, currency]).toEqual([-cents, 'USD'])
  const windowed = await get(sandbox, '/me/commissions?from=2026-01-16&to=2026-01-17')
  expect(windowed.entries.map(line)).toEqual([
    ['pending', cents, cents],
    ['accrued', -cents, 0],
  ])
  expect(windowed.balance_cents).toBe(-cents)
  const page = await get(sandbox, `/me/commissions?limit=2&cursor=${entries[1].entry_id}`)
  expect(page.entries).toEqual(entries.slice(2, 4))
})

test('a deal’s cut is pending at once and names its case', async () => {
  const sandbox = await startSandbox()
  const caseId = await closeDeal(sandbox, 99_999)
  const { entries } = await get(sandbox, '/me/commissions')
  expect(entries[0]).toMatchObject({ kind: 'pending', amount_cents: 9_999, public_id: null, case_id: caseId })
})

test('sales that a link led to are listed with buyer and commission, and the funnel agrees with them', async () => {
  const sandbox = await startSandbox(CLOCK)
  const { json: link } = await sandbox.call({ path: '/links', body: { kind: 'generic' } })
  for (let n = 0; n < 3; n++) await visitor().get(link.url)
  const sold = await sellHosted(sandbox, { link_id: link.link_id })
  await sellHosted(sandbox)
  await advance(sandbox, '1d')
  const undone = await sellHosted(sandbox, { link_id: link.link_id })
  await step(sandbox, undone.public_id, 'cancel')
  const { sales } = await get(sandbox, '/me/sales')
  expect(sales).toMatchObject([
    { public_id: undone.public_id, amount_cents: 0, commission_cents: 0 },
    {
      public_id: sold.public_id,
      link_id: link.link_id,
      buyer: { email: 'buyer@example.test', country: 'US' },
      domain: sold.domain,
      amount_cents: sold.price_cents,
      commission_cents: Math.floor(sold.price_cents / 5),
      currency: 'USD',
      created_at: '2026-01-15T12:00:00.000Z',
    },
  ])
  const money = { gmv_cents: sold.price_cents, commission_cents: Math.floor(sold.price_cents / 5), currency: 'USD' }
  for (const [query, figures] of [
    ['', { clicks: 3, checkouts: 2, sales: 2, conversion_rate: 0.6667, ...money }],
    ['?to=2026-01-16', { clicks: 3, checkouts: 1, sales: 1, conversion_rate: 0.3333, ...money }],
    [
      '?from=2026-01-16',
      { clicks: 0, checkouts: 1, sales: 1, conversion_rate: 0, ...money, gmv_cents: 0, commission_cents: 0 },
    ],
  ] as const) {
    expect(await get(sandbox, `/analytics${query}`)).toEqual(figures)
  }
  expect((await get(sandbox, '/me/sales?from=2026-01-16')).sales).toHaveLength(1)
})
