import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { startSandbox } from '../../../../support/sandbox.ts'

test('slow-N: the first call about it is answered late, done at once, and holds up no other', async () => {
  const sandbox = await startSandbox()
  const { json: listing } = await sandbox.operate('GET', '/v1/worlds/default/domains/slow-1.test')
  const order = { domain: 'slow-1.test', expected_price: listing.price_cents, currency: 'USD' }
  const call = { path: '/orders', body: { ...order, buyer: { email: 'buyer@example.test' } }, key: randomUUID() }
  const ended: string[] = []
  const slow = sandbox.call(call).finally(() => ended.push('slow'))
  await Promise.all([sandbox.call({ path: '/events' }), sandbox.sell()])
  const retried = await sandbox.call(call)
  expect(ended).toEqual([])
  const answer = await slow
  expect(answer.status).toBe(201)
  expect(retried.headers['idempotent-replayed']).toBe('true')
  expect(retried.text).toBe(answer.text)
  const { json } = await sandbox.operate('GET', `/v1/requests/${answer.headers['x-request-id']}`)
  expect(JSON.stringify(json)).toContain('slow-1.test does this to the first call about it')
})
