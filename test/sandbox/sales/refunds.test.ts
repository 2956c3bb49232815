import { expect, test } from 'vitest'
import { audited, buy, deliver, oneForSale, quote, sellHosted, settle, step } from '../../support/sales.ts'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'
import { size } from '../../support/size.ts'

const refund = (sandbox: TestSandbox, publicId: string, as = 'main') =>
  sandbox.call({ path: '/refunds', body: { public_id: publicId }, as })

test.for([
  ['EXTERNALLY_PAID', []],
  ['MANUAL_REVIEW', ['hold']],
  ['TRANSFER_IN_PROGRESS', ['start-transfer']],
] as const)('an order that is %s is refunded in full, with the reason in its timeline', async ([, steps]) => {
  const sandbox = await startSandbox()
  const { json: order } = await sandbox.sell()
  await step(sandbox, order.public_id, ...steps)
  const body = { public_id: order.public_id, reason: 'the buyer changed their mind' }
  const { status, json } = await sandbox.call({ path: '/refunds', body })
  expect(status).toBe(201)
  expect(json).toMatchObject({
    refund_id: expect.stringMatching(/^rf_/),
    public_id: order.public_id,
    status: 'REFUNDED',
    amount_cents: order.sale_price_cents,
    currency: 'USD',
  })
  const { json: detail } = await sandbox.call({ path: `/orders/${order.public_id}` })
  expect(detail).toMatchObject({ status: 'REFUNDED', commission_cents: 0, amount_owed_cents: 0 })
  expect(detail.timeline.at(-1)).toMatchObject({ status: 'REFUNDED', note: 'the buyer changed their mind' })
  expect(await audited(sandbox)).toMatchObject({ balanced: true, checked: { undone: 1, undone_by_partner: 1 } })
})

test('a refund that is refused as a conflict names the state or the payment model of the order', async () => {
  const sandbox = await startSandbox()
  const [{ json: delivered }, { json: settled }, { json: cancelled }] = [
    await sandbox.sell(),
    await sandbox.sell(),
    await sandbox.sell(),
  ]
  await deliver(sandbox, settled.public_id)
  await settle(sandbox)
  await deliver(sandbox, delivered.public_id)
  await step(sandbox, cancelled.public_id, 'cancel')
  for (const [{ public_id: publicId }, says] of [
    [delivered, 'TRANSFER_COMPLETED'],
    [settled, 'SETTLED'],
    [cancelled, 'CANCELLED'],
    [await sellHosted(sandbox), 'hosted_checkout'],
  ] as const) {
    const { status, json } = await refund(sandbox, publicId)
    expect([says, status, json.code]).toEqual([says, 409, 'conflict'])
    expect(json.message).toContain(says)
  }
})

test('a refund of another partner’s order is refused in the words for an unknown one', async () => {
  const sandbox = await startSandbox()
  const { json: order } = await sandbox.sell()
  const { json: foreign } = await refund(sandbox, order.public_id, 'other-partner')
  const { json: unknown } = await refund(sandbox, 'ord_0000000000000000', 'other-partner')
  expect(foreign).toEqual({ ...unknown, request_id: foreign.request_id })
})

test('the domain is for sale again at once, and its quote is not', async () => {
  const sandbox = await startSandbox()
  const listing = await oneForSale(sandbox)
  const isAvailable = async () =>
    (await sandbox.call({ path: `/availability?domain=${listing.domain}` })).json.available
  const { quote_id } = (await quote(sandbox, listing.domain)).json
  const { json: order } = await buy(sandbox, listing, { quote_id })
  expect((await refund(sandbox, order.public_id)).status).toBe(201)
  expect(await isAvailable()).toBe(true)
  expect((await buy(sandbox, listing, { quote_id })).status).toBe(409)
  expect((await buy(sandbox, listing)).status).toBe(201)
  expect(await isAvailable()).toBe(false)
  expect((await audited(sandbox)).balanced).toBe(true)
})

test('a refund of a malformed body is validation_error naming the field', async () => {
  const sandbox = await startSandbox()
  for (const [body, message] of [
    [{}, 'public_id is required'],
    [{ public_id: 7 }, 'public_id must be a string'],
    [{ public_id: 'ord_x', reason: '' }, 'reason must'],
    [{ public_id: 'ord_x', amount_cents: 5 }, 'unknown field amount_cents'],
  ] as const) {
    const { status, json } = await sandbox.call({ path: '/refunds', body })
    expect([status, json.code]).toEqual([400, 'validation_error'])
    expect(json.message).toContain(message)
  }
})

const RACES = size(20, 100)

test(`of a refund and a completion at the same moment exactly one wins, ${RACES} times over`, {
  timeout: 60_000,
}, async () => {
  const sandbox = await startSandbox()
  for (let round = 0; round < RACES; round++) {
    const { json: order } = await sandbox.sell()
    await step(sandbox, order.public_id, 'start-transfer')
    const complete = () => sandbox.operate('POST', `/v1/worlds/default/orders/${order.public_id}/complete-transfer`, {})
    const race =
      round % 2 ? [refund(sandbox, order.public_id), complete()] : [complete(), refund(sandbox, order.public_id)]
    const answers = await Promise.all(race)
    expect(answers.map(({ status }) => status < 300).filter(Boolean)).toHaveLength(1)
    const { json: detail } = await sandbox.call({ path: `/orders/${order.public_id}` })
    expect(['REFUNDED', 'TRANSFER_COMPLETED']).toContain(detail.status)
  }
  expect((await audited(sandbox)).differences).toEqual([])
})

test('of many refunds of one order at once exactly one is made', async () => {
  const sandbox = await startSandbox()
  const { json: order } = await sandbox.sell()
  const answers = await Promise.all(Array.from({ length: 10 }, () => refund(sandbox, order.public_id)))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)])
  const { events } = (await sandbox.call({ path: '/events' })).json
  expect(events.filter(({ type }: { type: string }) => type === 'order.refunded')).toHaveLength(1)
  expect((await audited(sandbox)).balanced).toBe(true)
})
