import { expect, test } from 'vitest'
import { createSession, openSession, visit } from '../../support/checkout.ts'
import { sandboxOfFile } from '../../support/sandbox.ts'

const sandbox = sandboxOfFile({ inventory: 0 })

const NO_TEXT = ['a\u0000b', 'a\r\nb', '\t', 'a\u007fb', 'a\u009bb', 'a\u2028b', 'a\u2029b', '   ', '\u00a0\u200b']
const WORLD = '/v1/worlds/default'

type Attempt = (value: string) => Promise<{ status: number; json: Record<string, string> }>

const FIELDS: readonly (readonly [string, Attempt])[] = [
  ['buyer.name', (name) => sandbox.sell({ order: { buyer: { email: 'jo@example.test', name } } })],
  ['buyer.name', (name) => createSession(sandbox, { buyer: { name } })],
  ['external_payment_ref', (value) => sandbox.sell({ order: { external_payment_ref: value } })],
  ['reason', (reason) => sandbox.call({ path: '/refunds', body: { public_id: 'ord_1', reason }, key: 'k' })],
  ['product', (product) => sandbox.call({ path: '/links', body: { kind: 'product', product } })],
  ['reason', (reason) => sandbox.operate('POST', `${WORLD}/orders/ord_1/hold`, { reason })],
  ['reason', (reason) => sandbox.operate('POST', `${WORLD}/brokerage/brk_1/close-deal`, { reason })],
  ['buyer.name', (name) => sandbox.operate('POST', `${WORLD}/checkout-sessions/cs_1/pay`, { buyer: { name } })],
]

test.for(FIELDS)('%s takes one line of text and refuses all else by its name', async ([field, attempt]) => {
  for (const value of NO_TEXT) {
    const { status, json } = await attempt(value)
    const words = `${field} must be one line of text, neither blank nor with control characters, not "`
    expect([value, status, json['message'] ?? json['detail']]).toEqual([value, 400, expect.stringContaining(words)])
    expect(json['message'] ?? json['detail']).not.toMatch(/[\p{Cc}\u2028\u2029]/u)
  }
  expect((await attempt('Zoë 🌱 & Söhne')).json['message'] ?? '').not.toContain('one line')
})

test('an e-mail address and a return address have no control character', async () => {
  const sold = await sandbox.sell({ order: { buyer: { email: 'a\u0000b@example.test' } } })
  expect([sold.status, sold.json.message]).toEqual([400, expect.stringContaining('buyer.email must be')])
  const session = await createSession(sandbox, { return_url: 'https://shop.example/\u0001' })
  expect([session.status, session.json.message]).toEqual([400, expect.stringContaining('return_url must be')])
})

test('a refusal quotes invisible marks as escapes', async () => {
  const { json } = await sandbox.call({ path: '/quotes', body: { domain: '\u202estalls \u{e0041}' } })
  expect(json.message).toBe(String.raw`domain must be a domain name, not "\u202estalls \udb40\udc41"`)
})

test('a page shows no control character, even where one was typed into it', async () => {
  const { checkout_url: url } = await openSession(sandbox)
  const typed = new URLSearchParams({
    action: 'pay',
    price_cents: '1',
    name: 'a\u0000b\u009bc',
    email: 'x',
    country: '',
  })
  const { status, text } = await visit(url, { method: 'POST', body: typed, headers: { origin: new URL(url).origin } })
  expect(status).toBeGreaterThanOrEqual(200)
  expect(text).toContain('a\ufffdb\ufffdc')
  expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u2028\u2029]/u)
})
