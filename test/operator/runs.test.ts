import { expect, test } from 'vitest'
import { advance, closeDeal, deliver, payOut, settle, step } from '../support/sales.ts'
import { startSandbox } from '../support/sandbox.ts'

const START = { inventory: 0, frozen: true, clockMs: Date.parse('2026-03-01T00:00:00.000Z') }
const SETTLEMENT_RUNS = '/v1/worlds/default/settlement-runs'
const PAYOUT_RUNS = '/v1/worlds/default/payout-runs'

test('each settlement run of the past has the sums of its statements', async () => {
  const sandbox = await startSandbox(START)
  const { json: order } = await sandbox.sell()
  await deliver(sandbox, order.public_id)
  const { json: first } = await settle(sandbox)
  await step(sandbox, order.public_id, 'refund')
  await advance(sandbox, '1d')
  const { json: second } = await settle(sandbox)
  const sum = (run: typeof first, name: string) =>
    run.statements.reduce((total: number, statement: Record<string, number>) => total + (statement[name] ?? 0), 0)
  const shown = (run: typeof first, settledCount: number) => ({
    run_id: run.run_id,
    ran_at: run.ran_at,
    settled_count: settledCount,
    statement_count: run.statements.length,
    amount_owed_cents: sum(run, 'amount_owed_cents'),
    adjustment_cents: sum(run, 'adjustment_cents'),
    currency: 'USD',
  })
  const { json: page } = await sandbox.operate('GET', SETTLEMENT_RUNS)
  expect(page).toEqual({ settlement_runs: [shown(second, 0), shown(first, 1)], next_cursor: null })
  expect(page.settlement_runs[1].amount_owed_cents).toBe(order.amount_owed_cents)
  expect(page.settlement_runs[0].adjustment_cents).toBe(-order.amount_owed_cents)
})

test('each payout run of the past says how much it paid, nothing too', async () => {
  const sandbox = await startSandbox(START)
  await closeDeal(sandbox, 10_000)
  const { json: first } = await payOut(sandbox)
  const { json: second } = await payOut(sandbox)
  const ran_at = '2026-03-01T00:00:00.000Z'
  expect((await sandbox.operate('GET', PAYOUT_RUNS)).json).toEqual({
    payout_runs: [
      { run_id: second.run_id, ran_at, payout_count: 0, paid_cents: 0, currency: 'USD' },
      { run_id: first.run_id, ran_at, payout_count: 1, paid_cents: 1_000, currency: 'USD' },
    ],
    next_cursor: null,
  })
})

test('the ledger of a partner that does not exist is refused, with those that do', async () => {
  const sandbox = await startSandbox(START)
  const { status, json } = await sandbox.operate('GET', '/v1/worlds/default/ledger?partner_id=main')
  expect([status, json.detail]).toEqual([
    404,
    expect.stringMatching(/^no partner of this world is called main: it has ptr_\w+, ptr_\w+/),
  ])
})

test.each([
  [SETTLEMENT_RUNS, 'settlement_runs'],
  [PAYOUT_RUNS, 'payout_runs'],
])('%s is read page by page, and only with a cursor that it gave out', async (path, name) => {
  const sandbox = await startSandbox(START)
  const { json: one } = await sandbox.operate('POST', path, {})
  const { json: two } = await sandbox.operate('POST', path, {})
  const { json: page } = await sandbox.operate('GET', `${path}?limit=1`)
  expect([page[name].length, page[name][0].run_id, page.next_cursor]).toEqual([1, two.run_id, two.run_id])
  const { json: rest } = await sandbox.operate('GET', `${path}?limit=1&cursor=${page.next_cursor}`)
  expect([rest[name][0].run_id, rest.next_cursor]).toEqual([one.run_id, null])
  for (const query of ['cursor=none', 'limit=0', 'limit=101', 'since=now']) {
    expect((await sandbox.operate('GET', `${path}?${query}`)).json).toMatchObject({
      status: 400,
      code: 'validation_error',
    })
  }
})
