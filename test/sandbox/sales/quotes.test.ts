import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'

const START = Date.UTC(2026, 0, 1)

const quote = (sandbox: TestSandbox, domain: string, as = 'main') =>
  sandbox.call({ path: '/quotes', body: { domain }, as })

function buy(sandbox: TestSandbox, offer: { domain: string; price_cents: number; quote_id?: string }, as = 'main') {
  const body = {
    domain: offer.domain,
    expected_price: offer.price_cents,
    currency: 'USD',
    buyer: { email: 'buyer@example.test' },
    ...(offer.quote_id && { quote_id: offer.quote_id }),
  }
  return sandbox.call({ path: '/orders', body, key: randomUUID(), as })
}

const advance = (sandbox: TestSandbox, by: string) =>
  sandbox.operate('POST', '/v1/worlds/default/clock/advance', { by })

async function freshDomain(sandbox: TestSandbox): Promise<string> {
  return (await sandbox.forSale(1))[0]?.domain as string
}

test('a quote is a firm price with an id, a signed token and ten minutes', async () => {
  const sandbox = await startSandbox({ frozen: true, clockMs: START })
  const domain = await freshDomain(sandbox)
  const { status, json } = await quote(sandbox, domain)
  expect(status).toBe(201)
  expect(json).toMatchObject({
    quote_id: expect.stringMatching(/^qt_/),
    domain,
    currency: 'USD',
    created_at: '2026-01-01T00:00:00.000Z',
    expires_at: '2026-01-01T00:10:00.000Z',
  })
  expect(json.quote_token.split('.')).toHaveLength(2)
})

test('the quoted price holds although the listing price has moved', async () => {
  const sandbox = await startSandbox()
  const { json: offer } = await quote(sandbox, await freshDomain(sandbox))
  await sandbox.operate('PATCH', `/v1/worlds/default/domains/${offer.domain}`, {
    price_cents: offer.price_cents + 5_000,
  })
  expect((await buy(sandbox, { domain: offer.domain, price_cents: offer.price_cents })).json.code).toBe(
    'price_mismatch',
  )
  const { status, json } = await buy(sandbox, offer)
  expect([status, json.sale_price_cents, json.quote_id]).toEqual([201, offer.price_cents, offer.quote_id])
})

test('a quote is good at exactly 600 seconds and expired one millisecond later', async () => {
  const sandbox = await startSandbox({ frozen: true, clockMs: START })
  const { json: inTime } = await quote(sandbox, await freshDomain(sandbox))
  const { json: late } = await quote(sandbox, await freshDomain(sandbox))
  await advance(sandbox, '10m')
  expect((await buy(sandbox, inTime)).status).toBe(201)
  const receipt = await sandbox.operate('POST', '/v1/worlds/default/clock/advance', { to: '2026-01-01T00:10:00.001Z' })
  expect(receipt.json.happened).toEqual([
    {
      at: '2026-01-01T00:10:00.001Z',
      kind: 'quote.expired',
      id: late.quote_id,
      summary: `the quote for ${late.domain} expired and its reservation ended`,
    },
  ])
  const { status, json } = await buy(sandbox, late)
  expect([status, json.code]).toEqual([422, 'quote_expired'])
})

test('while it is reserved another partner can neither quote nor buy; afterwards it can', async () => {
  const sandbox = await startSandbox({ frozen: true, clockMs: START })
  const { json: offer } = await quote(sandbox, await freshDomain(sandbox))
  const plain = { domain: offer.domain, price_cents: offer.price_cents }
  expect((await quote(sandbox, offer.domain, 'other-partner')).json.code).toBe('conflict')
  expect((await buy(sandbox, plain, 'other-partner')).json.code).toBe('conflict')
  await advance(sandbox, '10m1s')
  expect((await quote(sandbox, offer.domain, 'other-partner')).status).toBe(201)
  expect((await buy(sandbox, plain)).json.code).toBe('conflict')
})

test('a second quote by the same partner replaces the first', async () => {
  const sandbox = await startSandbox()
  const domain = await freshDomain(sandbox)
  const { json: first } = await quote(sandbox, domain)
  const { json: second } = await quote(sandbox, domain)
  expect((await buy(sandbox, first)).json.code).toBe('quote_expired')
  expect((await buy(sandbox, second)).status).toBe(201)
})

test('a quote of another partner, for another domain, or made up is validation_error naming quote_id', async () => {
  const sandbox = await startSandbox()
  const { json: offer } = await quote(sandbox, await freshDomain(sandbox))
  const [other] = await sandbox.forSale(1)
  const attempts = [
    await buy(sandbox, offer, 'other-partner'),
    await buy(sandbox, { ...(other as { domain: string; price_cents: number }), quote_id: offer.quote_id }),
    await buy(sandbox, { ...offer, quote_id: 'qt_made_up' }),
  ]
  for (const { status, json } of attempts) {
    expect([status, json.code]).toEqual([400, 'validation_error'])
    expect(json.message).toContain('quote_id')
  }
})

test('a used quote buys nothing a second time', async () => {
  const sandbox = await startSandbox()
  const { json: offer } = await quote(sandbox, await freshDomain(sandbox))
  const { json: order } = await buy(sandbox, offer)
  await sandbox.operate('POST', `/v1/worlds/default/orders/${order.public_id}/refund`, {})
  expect((await buy(sandbox, offer)).json.code).toBe('conflict')
  expect((await buy(sandbox, { domain: offer.domain, price_cents: offer.price_cents })).status).toBe(201)
})

test('a quote says what an order for it would earn', async () => {
  const sandbox = await startSandbox()
  const offer = (await quote(sandbox, await freshDomain(sandbox))).json
  expect(offer.commission_cents).toBe(Math.floor(offer.price_cents / 5))
  expect((await buy(sandbox, offer)).json.commission_cents).toBe(offer.commission_cents)
})
