import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'
import { size } from '../../support/size.ts'

async function soundBody(sandbox: TestSandbox): Promise<Record<string, unknown>> {
  const [listing] = await sandbox.forSale(1)
  const {
    domain,
    price_cents: expected_price,
    currency,
  } = listing as { domain: string; price_cents: number; currency: string }
  return { domain, expected_price, currency, buyer: { email: 'buyer@example.test' } }
}

test('an order without a key is missing_idempotency_key, and no other endpoint asks for one', async () => {
  const sandbox = await startSandbox()
  const { status, json } = await sandbox.call({ path: '/orders', body: await soundBody(sandbox) })
  expect([status, json.code]).toEqual([400, 'missing_idempotency_key'])
  expect((await sandbox.call({ path: '/quotes', body: { domain: 'stalls-1.test' } })).status).toBe(201)
})

test('the same key and body get the stored answer byte for byte; one order, one event', async () => {
  const sandbox = await startSandbox()
  const body = await soundBody(sandbox)
  const key = randomUUID()
  const first = await sandbox.call({ path: '/orders', body, key })
  await sandbox.operate('POST', `/v1/worlds/default/orders/${first.json.public_id}/start-transfer`, {})
  const again = await sandbox.call({ path: '/orders', body, key })
  expect([again.status, again.text]).toEqual([first.status, first.text])
  expect([first.headers['idempotent-replayed'], again.headers['idempotent-replayed']]).toEqual([undefined, 'true'])
  expect((await sandbox.call({ path: '/orders' })).json.orders).toHaveLength(1)
})

test('the same key with another body is 409 conflict, even where only white space differs', async () => {
  const sandbox = await startSandbox()
  const body = await soundBody(sandbox)
  const key = randomUUID()
  expect((await sandbox.call({ path: '/orders', body, key })).status).toBe(201)
  const other = await sandbox.call({ path: '/orders', body: JSON.stringify(body, null, 1), key })
  expect([other.status, other.json.code]).toEqual([409, 'conflict'])
})

const ROUNDS = size(5, 20)

test(`16 orders with one key at once are one order, and every answer carries it, ${ROUNDS} times over`, async () => {
  const sandbox = await startSandbox()
  for (let round = 0; round < ROUNDS; round++) {
    const body = await soundBody(sandbox)
    const key = randomUUID()
    const answers = await Promise.all(Array.from({ length: 16 }, () => sandbox.call({ path: '/orders', body, key })))
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1)
    expect(answers.every((answer) => answer.status === 201)).toBe(true)
  }
  expect((await sandbox.call({ path: '/orders?limit=100' })).json.orders).toHaveLength(ROUNDS)
})

test('a refused attempt leaves its key free', async () => {
  const sandbox = await startSandbox()
  const body = await soundBody(sandbox)
  const key = randomUUID()
  expect((await sandbox.call({ path: '/orders', body: { ...body, expected_price: 1 }, key })).status).toBe(422)
  expect((await sandbox.call({ path: '/orders', body, key })).status).toBe(201)
})

test('one partner’s key brings back nothing of another partner’s, and is shared within a partner', async () => {
  const sandbox = await startSandbox()
  const body = await soundBody(sandbox)
  const key = randomUUID()
  const own = await sandbox.call({ path: '/orders', body, key })
  const foreign = await sandbox.call({ path: '/orders', body, key, as: 'other-partner' })
  expect([foreign.status, foreign.json.code]).toEqual([409, 'conflict'])
  expect(foreign.text).not.toContain(own.json.public_id)
  expect((await sandbox.call({ path: '/orders', body, key, as: 'only-buy' })).text).toBe(own.text)
})

test('a retry must be signed anew: the same key with a used nonce is replay_detected', async () => {
  const sandbox = await startSandbox()
  const body = await soundBody(sandbox)
  const call = { path: '/orders', body, key: randomUUID(), nonce: randomUUID() }
  expect((await sandbox.call(call)).status).toBe(201)
  expect((await sandbox.call(call)).json.code).toBe('replay_detected')
})

test('a key is free again after 24 hours of world time', async () => {
  const sandbox = await startSandbox({ frozen: true })
  const key = randomUUID()
  const body = await soundBody(sandbox)
  const first = await sandbox.call({ path: '/orders', body, key })
  await sandbox.operate('POST', '/v1/worlds/default/clock/advance', { by: '23h59m59s' })
  expect((await sandbox.call({ path: '/orders', body, key })).text).toBe(first.text)
  const receipt = await sandbox.operate('POST', '/v1/worlds/default/clock/advance', { by: '1s' })
  expect(receipt.json.happened.map((item: { kind: string }) => item.kind)).toContain('idempotency.expired')
  expect((await sandbox.call({ path: '/orders', body: await soundBody(sandbox), key })).status).toBe(201)
})

test.for(['a b', 'k'.repeat(256), 'é'])('a key of %j is validation_error', async (key) => {
  const sandbox = await startSandbox()
  const { status, json } = await sandbox.call({ path: '/orders', body: await soundBody(sandbox), key })
  expect([status, json.code]).toEqual([400, 'validation_error'])
})
