import { expect, test } from 'vitest'
import { startSandbox } from '../support/sandbox.ts'

const DOMAINS = '/v1/worlds/default/domains'

test('a listing that an operator adds is for sale at once, and can be changed and removed', async () => {
  const sandbox = await startSandbox()
  const made = await sandbox.operate('POST', DOMAINS, {
    domain: 'My-Shop.TEST.',
    price_cents: 99_900,
    topics: ['retail'],
  })
  expect([made.status, made.json]).toEqual([
    201,
    {
      domain: 'my-shop.test',
      price_cents: 99_900,
      floor_price_cents: 99_900,
      currency: 'USD',
      listed: true,
      live_site: false,
      topics: ['retail'],
      status: 'available',
      sold_by: null,
      reserved_by: null,
    },
  ])
  const price = async () => (await sandbox.call({ path: '/pricing?domain=my-shop.test' })).json
  expect(await price()).toMatchObject({ buy_now_price_cents: 99_900, floor_price_cents: 99_900 })

  const changed = await sandbox.operate('PATCH', `${DOMAINS}/MY-shop.test`, { price_cents: 120_000, live_site: true })
  expect([changed.status, changed.json]).toEqual([200, { ...made.json, price_cents: 120_000, live_site: true }])
  expect(await price()).toMatchObject({ buy_now_price_cents: 120_000 })
  expect((await sandbox.operate('GET', `${DOMAINS}/my-shop.test`)).json).toEqual(changed.json)

  await sandbox.operate('PATCH', `${DOMAINS}/my-shop.test`, { listed: false })
  expect(await price()).toMatchObject({ code: 'not_found' })
  expect((await sandbox.operate('DELETE', `${DOMAINS}/my-shop.test`)).status).toBe(204)
  expect((await sandbox.operate('GET', `${DOMAINS}/my-shop.test`)).status).toBe(404)
})

test('a listing says who has it: the quote that reserves it, or the order it is sold by', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const standing = async (name: string) => {
    const { status, sold_by, reserved_by } = (await sandbox.operate('GET', `${DOMAINS}/${name}`)).json
    return [status, sold_by, reserved_by]
  }
  const { json: quote } = await sandbox.call({ path: '/quotes', body: { domain: 'stalls-1.test' } })
  const partner = sandbox.credentials[0]?.partner_id
  expect(await standing('stalls-1.test')).toEqual([
    'reserved',
    null,
    { quote_id: quote.quote_id, partner_id: partner, until: quote.expires_at },
  ])
  const order = { domain: 'stalls-1.test', expected_price: quote.price_cents, quote_id: quote.quote_id }
  const { json: sold } = await sandbox.sell({ order })
  expect(await standing('stalls-1.test')).toEqual(['sold', sold.public_id, null])
  const { domains } = (await sandbox.operate('GET', DOMAINS)).json
  expect(domains).toMatchObject([{ domain: 'stalls-1.test', status: 'sold', sold_by: sold.public_id }])
  await sandbox.operate('POST', `/v1/worlds/default/orders/${sold.public_id}/cancel`, {})
  expect(await standing('stalls-1.test')).toEqual(['available', null, null])
  expect(await standing('sold-1.test')).toEqual(['sold', null, null])
})

test('the inventory is paged by name, without a gap or a repeat, and searched by a part of a name', async () => {
  const sandbox = await startSandbox({ inventory: 60 })
  await sandbox.operate('POST', DOMAINS, { domain: 'zz-needle-zz.test', price_cents: 100 })
  const names: string[] = []
  let after: string | null = ''
  while (after !== null) {
    const page = (await sandbox.operate('GET', `${DOMAINS}?limit=7&cursor=${after}`)).json as {
      domains: { domain: string }[]
      next_cursor: string | null
    }
    names.push(...page.domains.map(({ domain }) => domain))
    after = page.next_cursor
  }
  expect(names.length).toBeGreaterThan(60)
  expect(names).toEqual([...new Set(names)].sort())
  const found = (await sandbox.operate('GET', `${DOMAINS}?q=needle`)).json
  expect(found.domains.map(({ domain }: { domain: string }) => domain)).toEqual(['zz-needle-zz.test'])
})

test('a listing that cannot be is refused with the field that is wrong, and nothing is changed', async () => {
  const sandbox = await startSandbox()
  await sandbox.operate('POST', DOMAINS, { domain: 'there.test', price_cents: 100 })
  for (const [method, path, body, wanted, says] of [
    ['POST', DOMAINS, { domain: 'there.test', price_cents: 5 }, 409, 'there.test is listed already'],
    ['POST', DOMAINS, { domain: 'shop.com', price_cents: 5 }, 400, 'domain must end with .test'],
    ['POST', DOMAINS, { domain: 'no name', price_cents: 5 }, 400, 'domain must be a domain name'],
    ['POST', DOMAINS, { price_cents: 5 }, 400, 'domain is required'],
    ['POST', DOMAINS, { domain: 'x.test' }, 400, 'price_cents is required'],
    ['POST', DOMAINS, { domain: 'x.test', price_cents: 0 }, 400, 'price_cents must be at least 1'],
    ['POST', DOMAINS, { domain: 'x.test', price_cents: 1e15 }, 400, 'price_cents'],
    ['POST', DOMAINS, { domain: 'x.test', price_cents: 5, currency: 'usd' }, 400, 'currency must be'],
    ['POST', DOMAINS, { domain: 'x.test', price_cents: 5, floor_price_cents: 6 }, 400, 'floor_price_cents'],
    ['POST', DOMAINS, { domain: 'x.test', price_cents: 5, topics: ['<script>'] }, 400, 'topics'],
    ['PATCH', `${DOMAINS}/there.test`, { price_cents: -5 }, 400, 'price_cents must be at least 1'],
    ['PATCH', `${DOMAINS}/there.test`, { currency: 'EUR' }, 400, 'unknown field currency'],
    ['PATCH', `${DOMAINS}/nowhere.test`, { price_cents: 5 }, 404, 'nowhere.test'],
    ['DELETE', `${DOMAINS}/nowhere.test`, undefined, 404, 'nowhere.test'],
    ['DELETE', `${DOMAINS}/..%2f..%2fx`, undefined, 404, 'no listing has that name'],
    ['GET', `${DOMAINS}?limit=0`, undefined, 400, 'limit must be at least 1'],
  ] as const) {
    const { status, json } = await sandbox.operate(method, path, body)
    expect([method, path, body, status]).toEqual([method, path, body, wanted])
    expect(json.detail).toContain(says)
  }
  expect((await sandbox.operate('GET', `${DOMAINS}/there.test`)).json.price_cents).toBe(100)
  expect((await sandbox.operate('GET', `${DOMAINS}/x.test`)).status).toBe(404)
})

test('a listing in another currency is refused, and says why', async () => {
  const sandbox = await startSandbox()
  const body = { domain: 'euros.test', price_cents: 100, currency: 'EUR' }
  const { status, json } = await sandbox.operate('POST', '/v1/worlds/default/domains', body)
  expect([status, json.detail]).toEqual([400, 'currency must be USD: this sandbox sells in one currency'])
  expect((await sandbox.operate('POST', '/v1/worlds/default/domains', { ...body, currency: 'USD' })).status).toBe(201)
})
