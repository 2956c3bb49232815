import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { MAY_ACT } from '../../../src/sandbox/app/faults.ts'
import { startSandbox, type TestAnswer, type TestCall, type TestSandbox } from '../../support/sandbox.ts'

const facts = ({ status, json }: TestAnswer) => [status, json.code]

function orderOf(domain: string, price: number, call: Partial<TestCall> = {}): TestCall {
  const body = { domain, expected_price: price, currency: 'USD', buyer: { email: 'buyer@example.test' } }
  return { path: '/orders', body, key: randomUUID(), ...call }
}

async function priceOf(sandbox: TestSandbox, domain: string): Promise<number> {
  const { json } = await sandbox.operate('GET', `/v1/worlds/default/domains/${domain}`)
  return json.price_cents
}

/** The calls of the request log about a path, newest first, with what the operator is told of them. */
async function logged(sandbox: TestSandbox, requestId: unknown): Promise<TestAnswer> {
  return sandbox.operate('GET', `/v1/worlds/default/requests/${String(requestId)}`)
}

test('error-N: the first call about it is 500 and changes nothing; the same call again does its work', async () => {
  const sandbox = await startSandbox()
  const call = orderOf('error-1.test', await priceOf(sandbox, 'error-1.test'))
  const failed = await sandbox.call(call)
  expect(facts(failed)).toEqual([500, 'internal_error'])
  expect((await sandbox.call({ path: '/orders' })).json.orders).toEqual([])
  expect((await sandbox.call({ path: '/events' })).json.events).toEqual([])
  const recorded = await sandbox.call(call)
  expect([recorded.status, recorded.headers['idempotent-replayed']]).toEqual([201, undefined])
  const { json } = await logged(sandbox, failed.headers['x-request-id'])
  expect(JSON.stringify(json)).toContain('error-1.test does this to the first call about it')
})

test('rate-limited-N: the first call about it is 429 with Retry-After 1, then it behaves', async () => {
  const sandbox = await startSandbox()
  const refused = await sandbox.call({ path: '/pricing?domain=rate-limited-1.test' })
  expect([...facts(refused), refused.headers['retry-after']]).toEqual([429, 'rate_limited', '1'])
  expect((await sandbox.call({ path: '/pricing?domain=rate-limited-1.test' })).status).toBe(200)
})

test.each([
  ['its path', { path: '/domains/error-2.test' }],
  ['its path in another case', { path: '/domains/ERROR-2.Test' }],
  ['its path with an escape', { path: '/domains/%65rror-2.test' }],
  ['its query', { path: '/availability?domain=error-2.test' }],
  ['its query with a letter that is mapped', { path: `/availability?domain=${encodeURIComponent('ｅrror-2.test')}` }],
  ['the filter of a list', { path: '/orders?domain=error-2.test' }],
  ['its body', { path: '/quotes', body: { domain: 'error-2.test' } }],
  ['its body with an escape of JSON', { path: '/quotes', body: '{"domain":"\\u0065rror-2.test"}' }],
  ['its body with a dot at the end', { path: '/quotes', body: { domain: 'error-2.test.' } }],
  ['the body of a checkout session', { path: '/checkout-session', body: { domain: 'error-2.test' } }],
  ['the body of a brokerage case', { path: '/brokerage', body: { domain: 'error-2.test' } }],
  ['the query of an eligibility', { path: '/brokerage/eligibility?domain=error-2.test' }],
])('a call is about a domain that is named in %s', async (_where, call) => {
  const sandbox = await startSandbox()
  expect((await sandbox.call(call)).status).toBe(500)
  expect((await sandbox.call(call)).status).not.toBe(500)
})

test.each([
  ['the word of a search', { path: '/domains/search?q=error-3.test' }],
  ['a parameter that search ignores', { path: '/domains/search?q=tea&domain=error-3.test' }],
  ['an address in a body', { path: '/quotes', body: { domain: 'stalls-1.test', currency: 'error-3.test' } }],
  ['a body that is no JSON', { path: '/quotes', body: '{"domain":"error-3.test"' }],
  ['a path that is not there', { path: '/nothing?domain=error-3.test' }],
  ['a call with a wrong signature', { path: '/domains/error-3.test', signs: { secret: 'sk_sandbox_wrong' } }],
  ['a call that is not allowed', { path: '/domains/error-3.test', as: 'only-buy' }],
])('%s does not make it act', async (_what, call) => {
  const sandbox = await startSandbox()
  expect((await sandbox.call(call)).status).not.toBe(500)
  expect((await sandbox.call({ path: '/domains/error-3.test' })).status).toBe(500)
})

test('a name acts once on whatever number of calls at the same time', async () => {
  const sandbox = await startSandbox()
  const calls = Array.from({ length: 20 }, () => sandbox.call({ path: '/domains/error-4.test' }))
  const statuses = (await Promise.all(calls)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 500)).toHaveLength(1)
  expect(statuses.filter((status) => status === 200)).toHaveLength(19)
})

test('a call that errs undoes nothing of the calls beside it', async () => {
  const sandbox = await startSandbox()
  const orders = Array.from({ length: 5 }, () => sandbox.sell())
  const [erred, ...sold] = await Promise.all([sandbox.call({ path: '/domains/error-5.test' }), ...orders])
  expect([erred.status, ...sold.map(({ status }) => status)]).toEqual([500, 201, 201, 201, 201, 201])
  expect((await sandbox.call({ path: '/orders' })).json.orders).toHaveLength(5)
})

test('slow-N: a sandbox that is closed does not wait for a late answer', async () => {
  const sandbox = await startSandbox()
  const left = sandbox.call({ path: '/domains/slow-2.test' }).catch((error: Error) => error)
  await sandbox.call({ path: '/events' })
  await sandbox.close()
  expect(await left).toBeInstanceOf(Error)
})

test('lost-reply-N: the order is recorded, the connection closed, and the retry gets the stored answer', async () => {
  const sandbox = await startSandbox()
  const price = await priceOf(sandbox, 'lost-reply-1.test')
  expect(facts(await sandbox.call(orderOf('lost-reply-1.test', price - 1)))).toEqual([422, 'price_mismatch'])
  const call = orderOf('lost-reply-1.test', price)
  await expect(sandbox.call(call)).rejects.toThrow(/socket hang up|ECONNRESET/)
  const { json } = await sandbox.call({ path: '/orders' })
  expect(json.orders.map(({ domain }: { domain: string }) => domain)).toEqual(['lost-reply-1.test'])
  const retried = await sandbox.call(call)
  expect([retried.status, retried.headers['idempotent-replayed'], retried.json.public_id]).toEqual([
    201,
    'true',
    json.orders[0].public_id,
  ])
  expect((await sandbox.call({ path: '/orders' })).json.orders).toHaveLength(1)
})

test('lost-reply-N: calls of others on other connections go on', async () => {
  const sandbox = await startSandbox()
  const price = await priceOf(sandbox, 'lost-reply-2.test')
  const [lost, ...others] = await Promise.allSettled([
    sandbox.call(orderOf('lost-reply-2.test', price)),
    ...Array.from({ length: 5 }, () => sandbox.call({ path: '/availability?domain=lost-reply-2.test' })),
  ])
  expect([lost, ...others].map(({ status }) => status)).toEqual(['rejected', ...others.map(() => 'fulfilled')])
})

test.each([
  [false, 'sunharvest.test'],
  [false, 'STALLS-1.TEST'],
  [false, 'xn--caf-dma.test'],
  [false, 'deal-closes-7.test'],
  [false, '{"domain":"kiosk.test","expected_price":1}'],
  [true, 'slow-1.test'],
  [true, 'Error-1.Test'],
  [true, 'rate-limited-3.test'],
  [true, '{"domain":"lost-reply-1.test"}'],
  [true, '{"domain":"\\u0065"}'],
  [true, 'ｅrror-1.test'],
])('the quick look says %s of whether %s has to be read with care', (isLetThrough, text) => {
  expect(MAY_ACT.test(text)).toBe(isLetThrough)
})
