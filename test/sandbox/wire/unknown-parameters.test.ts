import { expect, test } from 'vitest'
import { sandboxOfFile } from '../../support/sandbox.ts'

const sandbox = sandboxOfFile({ inventory: 0 })
const SOLD = { expected_price: 1, currency: 'USD', buyer: { email: 'jo@example.test' } }

test.for([
  ['POST', '/quotes', { domain: 'stalls-1.test' }],
  ['POST', '/orders', { domain: 'stalls-1.test', ...SOLD }],
  ['GET', '/orders/ord_1', undefined],
  ['POST', '/refunds', { public_id: 'ord_1' }],
  ['POST', '/links', { kind: 'generic' }],
  ['POST', '/checkout-session', { domain: 'stalls-1.test', return_url: 'http://a.test', cancel_url: 'http://a.test' }],
  ['POST', '/brokerage', { tier: 'managed', buyer_email: 'jo@example.test', budget_cents: 1, currency: 'USD' }],
  ['GET', '/brokerage/brk_1', undefined],
  ['PUT', '/api/partner/webhooks', { url: 'http://127.0.0.1:1/', secret: 'sixteen-characters' }],
  ['GET', '/orders', undefined],
] as const)('%s %s refuses a parameter it does not know, by name', async ([method, path, body]) => {
  const { status, json } = await sandbox.call({ method, path: `${path}?color=red`, body, key: 'a-key-of-this-call' })
  expect([status, json.code, json.message]).toEqual([400, 'validation_error', 'unknown parameter color'])
})

test.for(['/domains/search?q=solar', '/domains/stalls-1.test', '/availability?domain=stalls-1.test'])(
  'a read of the inventory ignores one: %s',
  async (path) => {
    const { status } = await sandbox.call({ path: `${path}${path.includes('?') ? '&' : '?'}color=red` })
    expect(status).toBe(200)
  },
)
