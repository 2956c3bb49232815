import { expect, test } from 'vitest'
import { audited, closeDeal, deliver, payOut, sellHosted, settle, step } from '../support/sales.ts'
import { startSandbox } from '../support/sandbox.ts'

test('the audit of a world says what it checked and that all of it balances', async () => {
  const sandbox = await startSandbox()
  const { json: order } = await sandbox.sell()
  await deliver(sandbox, order.public_id)
  await sellHosted(sandbox)
  await closeDeal(sandbox, 10_000)
  await settle(sandbox)
  await payOut(sandbox)
  expect(await audited(sandbox)).toEqual({
    balanced: true,
    checked: { orders: 2, cases: 1, sales: 3, entries: 7, statements: 2, payouts: 1, undone: 0, undone_by_partner: 0 },
    differences: [],
    differences_left_out: 0,
  })
})

test('a reset leaves a world that balances and starts its periods anew', async () => {
  const sandbox = await startSandbox()
  const { json: order } = await sandbox.sell()
  await deliver(sandbox, order.public_id)
  await sellHosted(sandbox)
  await settle(sandbox)
  await payOut(sandbox)
  expect((await sandbox.operate('POST', '/v1/worlds/default/reset', {})).status).toBe(200)
  expect(await audited(sandbox)).toMatchObject({ balanced: true, checked: { sales: 0, entries: 0, statements: 0 } })
  expect((await sandbox.call({ path: '/settlements' })).json.settlements).toEqual([])
  expect((await settle(sandbox)).json.statements).toHaveLength(2)
})

test('orders that were undone are counted, and how many of them by the partner', async () => {
  const sandbox = await startSandbox()
  const [first, second, third] = [await sandbox.sell(), await sandbox.sell(), await sandbox.sell()]
  await step(sandbox, first.json.public_id, 'refund')
  await step(sandbox, second.json.public_id, 'cancel')
  await sandbox.call({ path: '/refunds', body: { public_id: third.json.public_id } })
  expect(await audited(sandbox)).toMatchObject({
    balanced: true,
    checked: { orders: 3, undone: 3, undone_by_partner: 1 },
  })
})
