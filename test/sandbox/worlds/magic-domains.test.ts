import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { startSandbox, type TestAnswer, type TestCall, type TestSandbox } from '../../support/sandbox.ts'

const BUYER = { email: 'buyer@example.test' }

/** A sandbox whose world's clock moves only when it is told to. */
const frozen = () => startSandbox({ clockMs: Date.UTC(2026, 0, 15, 12), frozen: true })

async function priceOf(sandbox: TestSandbox, domain: string): Promise<number> {
  const { json } = await sandbox.call({ path: `/availability?domain=${domain}` })
  return json.price_cents
}

const quote = (sandbox: TestSandbox, domain: string, call: Partial<TestCall> = {}) =>
  sandbox.call({ path: '/quotes', body: { domain }, ...call })

/** An order at a price, with a fresh key unless one is given. */
function order(
  sandbox: TestSandbox,
  domain: string,
  price: number,
  { quoteId, ...call }: Partial<TestCall> & { quoteId?: string } = {},
): Promise<TestAnswer> {
  const body = {
    domain,
    expected_price: price,
    currency: 'USD',
    buyer: BUYER,
    ...(quoteId !== undefined && { quote_id: quoteId }),
  }
  return sandbox.call({ path: '/orders', body, key: randomUUID(), ...call })
}

async function sold(sandbox: TestSandbox, domain: string): Promise<string> {
  const answer = await order(sandbox, domain, await priceOf(sandbox, domain))
  expect(answer.status).toBe(201)
  return answer.json.public_id
}

const advance = (sandbox: TestSandbox, by: string) =>
  sandbox.operate('POST', '/v1/worlds/default/clock/advance', { by })

const statusOf = async (sandbox: TestSandbox, publicId: string) =>
  (await sandbox.call({ path: `/orders/${publicId}` })).json.status

async function eventTypes(sandbox: TestSandbox): Promise<string[]> {
  const { json } = await sandbox.call({ path: '/events' })
  return json.events.map(({ type }: { type: string }) => type)
}

const code = ({ status, json }: TestAnswer) => [status, json.code]

test('held-N: its order goes into manual review on recording', async () => {
  const sandbox = await startSandbox()
  const held = await order(sandbox, 'held-1.test', await priceOf(sandbox, 'held-1.test'))
  expect([held.status, held.json.status]).toEqual([201, 'MANUAL_REVIEW'])
  expect(held.json.timeline.map(({ status }: { status: string }) => status)).toEqual([
    'EXTERNALLY_PAID',
    'MANUAL_REVIEW',
  ])
})

test('price-moves-N: after a quote the price is another, and the quote alone holds the old one', async () => {
  const sandbox = await startSandbox()
  const before = await priceOf(sandbox, 'price-moves-1.test')
  const { json: quoted } = await quote(sandbox, 'price-moves-1.test')
  expect(quoted.price_cents).toBe(before)
  expect(await priceOf(sandbox, 'price-moves-1.test')).toBeGreaterThan(before)
  expect(code(await order(sandbox, 'price-moves-1.test', before))).toEqual([422, 'price_mismatch'])
  const held = await order(sandbox, 'price-moves-1.test', before, { quoteId: quoted.quote_id })
  expect([held.status, held.json.sale_price_cents]).toEqual([201, before])
})

test('price-moves-N: after a pricing read an order at the price that was read is a price_mismatch, and then it stays', async () => {
  const sandbox = await startSandbox()
  const price = async () => (await sandbox.call({ path: '/pricing?domain=price-moves-2.test' })).json
  const [first, second, third] = [await price(), await price(), await price()]
  expect(second.buy_now_price_cents).toBeGreaterThan(first.buy_now_price_cents)
  expect(third).toEqual(second)
  expect(second.floor_price_cents).toBe(first.floor_price_cents)
  expect(code(await order(sandbox, 'price-moves-2.test', first.buy_now_price_cents))).toEqual([422, 'price_mismatch'])
  expect((await order(sandbox, 'price-moves-2.test', third.buy_now_price_cents)).status).toBe(201)
})

test('quote-expired-N: its first quote is over when it is given and reserves nothing; the next is valid', async () => {
  const sandbox = await frozen()
  const late = await quote(sandbox, 'quote-expired-1.test')
  expect(late.status).toBe(201)
  const [createdAt, expiresAt] = [Date.parse(late.json.created_at), Date.parse(late.json.expires_at)]
  expect([expiresAt - createdAt, Date.UTC(2026, 0, 15, 12) - expiresAt]).toEqual([600_000, 1])
  const price = late.json.price_cents
  const refused = await order(sandbox, 'quote-expired-1.test', price, { quoteId: late.json.quote_id })
  expect(code(refused)).toEqual([422, 'quote_expired'])
  expect((await sandbox.call({ path: '/availability?domain=quote-expired-1.test' })).json.available).toBe(true)
  const { json: valid } = await quote(sandbox, 'quote-expired-1.test')
  expect((await order(sandbox, 'quote-expired-1.test', price, { quoteId: valid.quote_id })).status).toBe(201)
})

test.each([
  ['main', 'a quote', (sandbox: TestSandbox, as: string) => quote(sandbox, 'taken-1.test', { as })],
  ['main', 'an order', (sandbox: TestSandbox, as: string) => order(sandbox, 'taken-1.test', 1, { as })],
  ['other-partner', 'a quote', (sandbox: TestSandbox, as: string) => quote(sandbox, 'taken-1.test', { as })],
])('taken-N: %s asks for %s and another partner is quicker, for ten minutes', async (as, _what, attempt) => {
  const sandbox = await frozen()
  const price = await priceOf(sandbox, 'taken-1.test')
  expect(code(await attempt(sandbox, as))).toEqual([409, 'conflict'])
  expect((await sandbox.call({ path: '/availability?domain=taken-1.test' })).json.available).toBe(false)
  expect(code(await order(sandbox, 'taken-1.test', price, { as }))).toEqual([409, 'conflict'])
  const { json } = await advance(sandbox, '10m1s')
  expect(json.happened.map(({ kind }: { kind: string }) => kind)).toEqual(['quote.expired'])
  expect((await quote(sandbox, 'taken-1.test', { as })).status).toBe(201)
  expect((await order(sandbox, 'taken-1.test', price, { as })).status).toBe(201)
})

test('taken-N: a call that is refused for another reason leaves it free', async () => {
  const sandbox = await startSandbox()
  expect((await sandbox.call({ path: '/quotes', body: { domain: 'taken-2.test', currency: 'EUR' } })).status).toBe(400)
  expect((await sandbox.call({ path: '/quotes', body: { domain: 'taken-2.test', color: 1 } })).status).toBe(400)
  expect((await sandbox.call({ path: '/availability?domain=taken-2.test' })).json.available).toBe(true)
})

test('sold-N: it is listed and cannot be had', async () => {
  const sandbox = await startSandbox()
  expect((await sandbox.call({ path: '/domains/sold-1.test' })).json.available).toBe(false)
  expect(code(await quote(sandbox, 'sold-1.test'))).toEqual([409, 'conflict'])
  expect(code(await order(sandbox, 'sold-1.test', await priceOf(sandbox, 'sold-1.test')))).toEqual([409, 'conflict'])
})

test('stalls-N: automatic progress passes it over', async () => {
  const sandbox = await frozen()
  await sandbox.operate('PUT', '/v1/worlds/default/progress', { start_after: '1h', complete_after: '1h' })
  const [stalled, other] = [await sold(sandbox, 'stalls-1.test'), await sold(sandbox, 'deal-closes-1.test')]
  await advance(sandbox, '30d')
  expect(await statusOf(sandbox, other)).toBe('TRANSFER_COMPLETED')
  expect(await statusOf(sandbox, stalled)).toBe('EXTERNALLY_PAID')
  await sandbox.operate('POST', `/v1/worlds/default/orders/${stalled}/start-transfer`, {})
  await advance(sandbox, '30d')
  expect(await statusOf(sandbox, stalled)).toBe('TRANSFER_IN_PROGRESS')
})

test('fails-N: its transfer starts by itself and ends in a refund, and the domain can be sold again', async () => {
  const sandbox = await frozen()
  await sandbox.operate('PUT', '/v1/worlds/default/progress', { start_after: '1h', complete_after: '1h' })
  const failed = await sold(sandbox, 'fails-1.test')
  await advance(sandbox, '1h')
  const { json } = await sandbox.call({ path: `/orders/${failed}` })
  expect(json.timeline.map(({ status }: { status: string }) => status)).toEqual([
    'EXTERNALLY_PAID',
    'TRANSFER_IN_PROGRESS',
    'REFUNDED',
  ])
  expect(await eventTypes(sandbox)).toEqual(['order.recorded', 'order.transfer_started', 'order.refunded'])
  const again = await sold(sandbox, 'fails-1.test')
  await advance(sandbox, '2h')
  expect(await statusOf(sandbox, again)).toBe('TRANSFER_COMPLETED')
})

test('fails-N: a transfer that an operator starts fails too', async () => {
  const sandbox = await startSandbox()
  const failed = await sold(sandbox, 'fails-2.test')
  const { status, json } = await sandbox.operate('POST', `/v1/worlds/default/orders/${failed}/start-transfer`, {})
  expect([status, json.status]).toEqual([200, 'REFUNDED'])
})

test.each([['EXTERNALLY_PAID'], ['TRANSFER_IN_PROGRESS']])(
  'refund-race-N: in state %s the transfer completes before the refund is refused',
  async (state) => {
    const sandbox = await startSandbox()
    const raced = await sold(sandbox, 'refund-race-1.test')
    if (state === 'TRANSFER_IN_PROGRESS') {
      await sandbox.operate('POST', `/v1/worlds/default/orders/${raced}/start-transfer`, {})
    }
    const refused = await sandbox.call({ path: '/refunds', body: { public_id: raced } })
    expect(code(refused)).toEqual([409, 'conflict'])
    expect(refused.json.message).toContain('TRANSFER_COMPLETED')
    expect(await statusOf(sandbox, raced)).toBe('TRANSFER_COMPLETED')
    expect(await eventTypes(sandbox)).toEqual(['order.recorded', 'order.transfer_started', 'order.transfer_completed'])
    expect(code(await sandbox.call({ path: '/refunds', body: { public_id: raced } }))).toEqual([409, 'conflict'])
  },
)

test('refund-race-N: an order that is held is refunded', async () => {
  const sandbox = await startSandbox()
  const raced = await sold(sandbox, 'refund-race-2.test')
  await sandbox.operate('POST', `/v1/worlds/default/orders/${raced}/hold`, {})
  expect((await sandbox.call({ path: '/refunds', body: { public_id: raced } })).status).toBe(201)
})

test.each([
  ['live-site', 'active_site'],
  ['in-a-case', 'in_case'],
])('%s-N cannot be brokered: %s', async (kind, reason) => {
  const sandbox = await startSandbox()
  const { json } = await sandbox.call({ path: `/brokerage/eligibility?domain=${kind}-1.test` })
  expect([json.eligible, json.reason]).toEqual([false, reason])
  const body = { tier: 'managed', buyer_email: BUYER.email, budget: 500_000, domain: `${kind}-1.test` }
  expect(code(await sandbox.call({ path: '/brokerage', body }))).toEqual([409, 'conflict'])
})

test('deal-closes-N: its case closes with a deal one day after it was opened', async () => {
  const sandbox = await frozen()
  const body = { tier: 'managed', buyer_email: BUYER.email, budget: 500_000, domain: 'deal-closes-1.test' }
  const { status, json } = await sandbox.call({ path: '/brokerage', body })
  expect(status).toBe(201)
  const caseStatus = async () => (await sandbox.call({ path: `/brokerage/${json.case_id}` })).json.status
  await advance(sandbox, '23h59m59s')
  expect(await caseStatus()).toBe('OPEN')
  await advance(sandbox, '1s')
  expect(await caseStatus()).toBe('DEAL_CLOSED')
  expect(await eventTypes(sandbox)).toEqual(['brokerage.case_completed'])
})

test('search knows no magic name', async () => {
  const sandbox = await startSandbox()
  await sandbox.call({ path: '/domains/held-7.test' })
  const { json } = await sandbox.call({ path: '/domains/search?q=held-7.test' })
  expect(json.domains.map(({ domain }: { domain: string }) => domain)).not.toContain('held-7.test')
})

test('a reset makes the names act again', async () => {
  const sandbox = await startSandbox()
  expect((await sandbox.call({ path: '/domains/error-9.test' })).status).toBe(500)
  expect((await sandbox.call({ path: '/domains/error-9.test' })).status).toBe(200)
  await sandbox.operate('POST', '/v1/worlds/default/reset', {})
  expect((await sandbox.call({ path: '/domains/error-9.test' })).status).toBe(500)
})
