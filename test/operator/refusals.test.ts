import { describe, expect, test } from 'vitest'
import { sandboxOfFile, type TestCall } from '../support/sandbox.ts'

const shared = sandboxOfFile({ frozen: true })

/** Makes a call that is refused, and reads why. */
async function refused(call: TestCall) {
  const answer = await shared.call({ undocumented: true, ...call })
  const { json } = await shared.operate('GET', `/v1/requests/${answer.headers['x-request-id']}`)
  return { status: answer.status, id: json.request_id, reason: json.reason, by: json.refused_by, ...json.diagnosis }
}

const BUYER = { email: 'ada@example.test' }

describe('a call that was answered 4xx is explained by what decided', () => {
  test('409: the first body of the key, the members that differ and the first call', async () => {
    const { domain, price_cents } = (await shared.forSale(1))[0] as { domain: string; price_cents: number }
    const body = { domain, expected_price: price_cents, currency: 'USD', buyer: BUYER }
    const first = await shared.call({ path: '/orders', key: 'refusals-1', body })
    expect(first.status).toBe(201)
    const other = { ...body, buyer: { email: 'bob@example.test' } }
    const found = await refused({ path: '/orders', key: 'refusals-1', body: other })
    expect([found.status, found.by]).toEqual([409, 'request'])
    expect(found.compared).toEqual([
      { name: 'buyer.email', sent: '"bob@example.test"', expected: '"ada@example.test"' },
    ])
    expect(found.sentence).toContain(String(first.headers['x-request-id']))
    expect(found.help[0].command).toContain(`request show ${first.headers['x-request-id']}`)
  })

  test('422 price_mismatch: the price of the listing beside the one that was sent', async () => {
    const { domain, price_cents } = (await shared.forSale(1))[0] as { domain: string; price_cents: number }
    const body = { domain, expected_price: 1, currency: 'USD', buyer: BUYER }
    const found = await refused({ path: '/orders', key: 'refusals-2', body })
    expect([found.status, found.compared[0].name]).toEqual([422, 'expected_price'])
    expect(found.compared[0].expected).toContain(String(price_cents))
    expect(found.reason).toContain(domain)
  })

  test('422 quote_expired: when the quote ended in world time, and the call that gets another', async () => {
    const quote = await shared.call({ path: '/quotes', body: { domain: 'quote-expired-1.test' } })
    const { domain, quote_id, price_cents, expires_at } = quote.json
    const body = { domain, quote_id, expected_price: price_cents, currency: 'USD', buyer: BUYER }
    const found = await refused({ path: '/orders', key: 'refusals-3', body })
    expect([found.status, found.compared[0].name]).toEqual([422, 'world time'])
    expect(found.sentence).toContain(expires_at)
    expect(found.help[0].command).toContain('/quotes')
  })

  test('400: the field, what was sent and what is expected', async () => {
    const found = await refused({ path: '/quotes', body: { domain: 7 } })
    expect([found.status, found.by, found.compared]).toEqual([
      400,
      'request',
      [expect.objectContaining({ name: 'domain', sent: '7' })],
    ])
  })

  test('404: that nothing is listed, and the nearest domain that is', async () => {
    const found = await refused({ path: '/pricing?domain=sunwat.test' })
    expect([found.status, found.reason]).toEqual([404, '"sunwat.test" is not listed.'])
    expect(found.help[0].says).toBe('The nearest listed domain is sunwatt.test.')
  })

  test('403: the scope that is missing and who has it', async () => {
    const found = await refused({ as: 'only-search', path: '/payouts' })
    expect([found.status, found.by]).toEqual([403, 'scope'])
    expect(found.help[0].says).toContain('only-report')
  })

  test('409 of a state: the state of the order, and where it is shown', async () => {
    const order = await shared.sell()
    const id = order.json.public_id
    for (const step of ['start-transfer', 'complete-transfer']) {
      expect((await shared.operate('POST', `/v1/worlds/default/orders/${id}/${step}`, {})).status).toBe(200)
    }
    const found = await refused({ path: '/refunds', body: { public_id: id } })
    expect(found.compared[0]).toMatchObject({ name: 'state of the order', sent: 'TRANSFER_COMPLETED' })
    expect(found.help[0].command).toContain(`order show ${id}`)
  })
})

test('the list shows the finding of a wrong signature, and authentication is a filter', async () => {
  const wrong = await refused({ path: '/orders', signs: { secret: 'sk_sandbox_none' } })
  await shared.call({ path: '/quotes', body: { domain: 'nothing-here.test' } })
  const list = async (query: string) =>
    (await shared.operate('GET', `/v1/worlds/default/requests?${query}`)).json.requests
  const [latest, before] = await list('refused=true&limit=2')
  expect([latest.status, latest.refused_by, before.reason]).toEqual([404, 'request', wrong.sentence])
  expect((await list('authentication=true')).map(({ request_id }: { request_id: string }) => request_id)).toEqual([
    wrong.id,
  ])
})
