import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { audited, deliver, sellHosted, settle, step } from '../../support/sales.ts'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'
import { size } from '../../support/size.ts'

const refund = (sandbox: TestSandbox, publicId: string, as = 'main') =>
  sandbox.call({ path: '/refunds', body: { public_id: publicId }, as })

const eventsOf = async (sandbox: TestSandbox) =>
  (await sandbox.call({ path: '/events?limit=200' })).json.events.map((event: { type: string }) => event.type)

test.for([
  ['EXTERNALLY_PAID', []],
  ['MANUAL_REVIEW', ['hold']],
  ['TRANSFER_IN_PROGRESS', ['start-transfer']],
] as const)('an order that is %s is refunded in full, with order.refunded', async ([state, steps]) => {
  const sandbox = await startSandbox()
  const { json: order } = await sandbox.sell()
  await step(sandbox, order.public_id, ...steps)
  const body = { public_id: order.public_id, reason: 'the buyer changed their mind' }
  const { status, json } = await sandbox.call({ path: '/refunds', body })
  expect([state, status]).toEqual([state, 201])
  expect(json).toMatchObject({
    refund_id: expect.stringMatching(/^rf_/),
    public_id: order.public_id,
    status: 'REFUNDED',
    amount_cents: order.sale_price_cents,
    currency: 'USD',
  })
  const { json: history } = await sandbox.call({ path: '/events?limit=200' })
  expect(history.events.at(-1)).toMatchObject({
    type: 'order.refunded',
    data: { order: { public_id: order.public_id, status: 'REFUNDED' } },
  })
  const { json: detail } = await sandbox.call({ path: `/orders/${order.public_id}` })
  expect(detail).toMatchObject({ status: 'REFUNDED', commission_cents: 0, amount_owed_cents: 0 })
  expect(detail.timeline.at(-1)).toMatchObject({ status: 'REFUNDED', note: 'the buyer changed their mind' })
  expect(await audited(sandbox)).toMatchObject({ balanced: true, checked: { undone: 1, undone_by_partner: 1 } })
})

test('from TRANSFER_COMPLETED on a refund is 409 naming the state, and nothing changes', async () => {
  const sandbox = await startSandbox()
  const { json: order } = await sandbox.sell()
  await deliver(sandbox, order.public_id)
  for (const state of ['TRANSFER_COMPLETED', 'SETTLED']) {
    const before = await eventsOf(sandbox)
    const { status, json } = await refund(sandbox, order.public_id)
    expect([status, json.code]).toEqual([409, 'conflict'])
    expect(json.message).toContain(state)
    expect(await eventsOf(sandbox)).toEqual(before)
    expect((await sandbox.call({ path: `/orders/${order.public_id}` })).json.status).toBe(state)
    await settle(sandbox)
  }
})

test('a hosted sale is not refunded by its partner: 409 naming its model', async () => {
  const sandbox = await startSandbox()
  const { public_id } = await sellHosted(sandbox)
  const { status, json } = await refund(sandbox, public_id)
  expect([status, json.code]).toEqual([409, 'conflict'])
  expect(json.message).toContain('hosted_checkout')
  expect((await sandbox.call({ path: `/orders/${public_id}` })).json.status).toBe('TRANSFER_IN_PROGRESS')
})

test('a second refund, and one of a cancelled order, is 409', async () => {
  const sandbox = await startSandbox()
  const [{ json: refunded }, { json: cancelled }] = [await sandbox.sell(), await sandbox.sell()]
  expect((await refund(sandbox, refunded.public_id)).status).toBe(201)
  await step(sandbox, cancelled.public_id, 'cancel')
  for (const { public_id } of [refunded, cancelled]) {
    const { status, json } = await refund(sandbox, public_id)
    expect([status, json.code]).toEqual([409, 'conflict'])
  }
})

test('an unknown order and another partner’s look alike', async () => {
  const sandbox = await startSandbox()
  const { json: order } = await sandbox.sell()
  const foreign = await refund(sandbox, order.public_id, 'other-partner')
  const unknown = await refund(sandbox, 'ord_0000000000000000', 'other-partner')
  expect(foreign.status).toBe(404)
  expect(foreign.json).toEqual({ ...unknown.json, request_id: foreign.json.request_id })
  expect((await sandbox.call({ path: `/orders/${order.public_id}` })).json.status).toBe('EXTERNALLY_PAID')
})

test('the domain is for sale again at once, and its quote is not', async () => {
  const sandbox = await startSandbox()
  const [listing] = await sandbox.forSale(1)
  const { json: quote } = await sandbox.call({ path: '/quotes', body: { domain: listing!.domain } })
  const body = {
    domain: listing!.domain,
    expected_price: listing!.price_cents,
    currency: 'USD',
    buyer: { email: 'second@example.test' },
  }
  const buy = (changes = {}) =>
    sandbox.call({ path: '/orders', body: { ...body, ...changes }, key: randomUUID(), as: 'main' })
  const { json: order } = await buy({ quote_id: quote.quote_id })
  expect((await refund(sandbox, order.public_id)).status).toBe(201)
  expect((await sandbox.call({ path: `/availability?domain=${listing!.domain}` })).json.available).toBe(true)
  expect((await buy({ quote_id: quote.quote_id })).status).toBe(409)
  expect((await buy()).status).toBe(201)
  expect((await sandbox.call({ path: `/availability?domain=${listing!.domain}` })).json.available).toBe(false)
  expect((await audited(sandbox)).balanced).toBe(true)
})

test.for([
  [{}, 'public_id is required'],
  [{ public_id: 7 }, 'public_id must be a string'],
  [{ public_id: 'ord_x', reason: '' }, 'reason must'],
  [{ public_id: 'ord_x', amount_cents: 5 }, 'unknown field amount_cents'],
] as const)('a refund of %j is validation_error', async ([body, message]) => {
  const sandbox = await startSandbox()
  const { status, json } = await sandbox.call({ path: '/refunds', body })
  expect([status, json.code]).toEqual([400, 'validation_error'])
  expect(json.message).toContain(message)
})

const RACES = size(20, 100)

test(`of a refund and a completion at the same moment exactly one wins, ${RACES} times over`, {
  timeout: 60_000,
}, async () => {
  const sandbox = await startSandbox()
  const winners = { refund: 0, completion: 0 }
  for (let round = 0; round < RACES; round++) {
    const { json: order } = await sandbox.sell()
    await step(sandbox, order.public_id, 'start-transfer')
    const complete = () => sandbox.operate('POST', `/v1/worlds/default/orders/${order.public_id}/complete-transfer`, {})
    const race =
      round % 2 ? [refund(sandbox, order.public_id), complete()] : [complete(), refund(sandbox, order.public_id)]
    const answers = await Promise.all(race)
    expect(answers.map(({ status }) => status < 300).filter(Boolean)).toHaveLength(1)
    const { json: detail } = await sandbox.call({ path: `/orders/${order.public_id}` })
    if (detail.status === 'REFUNDED') winners.refund++
    else winners.completion++
    expect(['REFUNDED', 'TRANSFER_COMPLETED']).toContain(detail.status)
  }
  expect(winners.refund + winners.completion).toBe(RACES)
  expect((await audited(sandbox)).differences).toEqual([])
})

test('of many refunds of one order at once exactly one is made', async () => {
  const sandbox = await startSandbox()
  const { json: order } = await sandbox.sell()
  const answers = await Promise.all(Array.from({ length: 10 }, () => refund(sandbox, order.public_id)))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)])
  expect((await eventsOf(sandbox)).filter((type: string) => type === 'order.refunded')).toHaveLength(1)
  expect((await audited(sandbox)).balanced).toBe(true)
})
