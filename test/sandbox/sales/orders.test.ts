import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { advance, buy, oneForSale, quote, step, walk } from '../../support/sales.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { size } from '../../support/size.ts'

const FROZEN = { frozen: true, clockMs: Date.UTC(2026, 0, 1) }

const idsOf = (rows: { public_id: string }[]) => rows.map(({ public_id: publicId }) => publicId)

test('an order says how it is paid, who bought and what it earns, and its timeline names its event', async () => {
  const sandbox = await startSandbox()
  const sent = { external_payment_ref: 'pay-1', buyer: { email: 'b@example.test', country: 'DE' } }
  const { json } = await sandbox.sell({ order: sent })
  expect(json).toMatchObject({
    ...sent,
    public_id: expect.stringMatching(/^ord_[0-9a-z]+$/),
    payment_model: 'partner_collected',
    quote_id: null,
  })
  expect(json.commission_cents + json.amount_owed_cents).toBe(json.sale_price_cents)
  const { events } = (await sandbox.call({ path: '/events' })).json
  expect(events).toHaveLength(1)
  expect(json.timeline).toEqual([
    { status: 'EXTERNALLY_PAID', at: json.created_at, event_id: events[0].id, note: null },
  ])
})

test('a price that is one cent off is price_mismatch', async () => {
  const sandbox = await startSandbox()
  const { domain, price_cents } = await oneForSale(sandbox)
  for (const cents of [-1, 1]) {
    const { status, json } = await buy(sandbox, { domain, price_cents: price_cents + cents })
    expect([cents, status, json.code]).toEqual([cents, 422, 'price_mismatch'])
  }
})

test('all faults of a body are named at once', async () => {
  const sandbox = await startSandbox()
  const body = {
    domain: 'no domain',
    expected_price: '1200',
    buyer: { email: 'nobody', country: 'Germany' },
    return_url: 'javascript:alert(1)',
    color: 'red',
  }
  const { status, json } = await sandbox.call({ path: '/orders', body, key: randomUUID() })
  expect([status, json.code]).toEqual([400, 'validation_error'])
  for (const part of [
    'domain must be a domain name, not "no domain"',
    'expected_price must be an integer, not "1200"',
    'currency is required',
    'buyer.email must be an e-mail address, not "nobody"',
    'buyer.country must be a two-letter country code of ISO 3166-1 in upper case, not "Germany"',
    'return_url must be an absolute http or https URL',
    'unknown field color',
  ]) {
    expect(json.message).toContain(part)
  }
})

test('a field with a value that it cannot have is validation_error naming the field', async () => {
  const sandbox = await startSandbox()
  const listing = await oneForSale(sandbox)
  for (const [field, value] of [
    ['domain', null],
    ['expected_price', 1e21],
    ['expected_price', -5],
    ['currency', 'usd'],
    ['buyer', {}],
    ['quote_id', 7],
    ['external_payment_ref', ''],
  ] as const) {
    const { status, json } = await buy(sandbox, listing, { [field]: value })
    expect([field, value, status, json.code]).toEqual([field, value, 400, 'validation_error'])
    expect(json.message).toContain(field)
  }
})

test('two partners on one domain at once: one sale, 20 times over', async () => {
  const sandbox = await startSandbox()
  for (let round = 0; round < 20; round++) {
    const listing = await oneForSale(sandbox)
    const lanes = Array.from({ length: 8 }, (_, lane) => (lane % 2 ? 'main' : 'other-partner'))
    const answers = await Promise.all(lanes.map((as) => buy(sandbox, listing, { as })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)])
  }
})

test('the list pages newest first, every order once, also while orders are added', async () => {
  const sandbox = await startSandbox()
  const recorded: string[] = []
  for (let i = 0; i < 7; i++) recorded.unshift((await sandbox.sell()).json.public_id)
  expect(idsOf(await walk(sandbox, '/orders', 'orders', sandbox.sell))).toEqual(recorded)
})

test('a cursor that this list did not give out is refused', async () => {
  const sandbox = await startSandbox()
  const { json: order } = await sandbox.sell()
  const { status, json } = await sandbox.call({ path: `/orders?cursor=${order.public_id}`, as: 'other-partner' })
  expect([status, json.code]).toEqual([400, 'validation_error'])
})

test('orders are filtered from a date on and before a date, and by a domain in any spelling', async () => {
  const sandbox = await startSandbox(FROZEN)
  const { json: first } = await sandbox.sell()
  await advance(sandbox, '1d')
  const { json: second } = await sandbox.sell()
  await step(sandbox, second.public_id, 'hold')
  const ids = async (query: string) => idsOf((await sandbox.call({ path: `/orders?${query}` })).json.orders)
  expect(await ids('status=MANUAL_REVIEW')).toEqual([second.public_id])
  expect(await ids(`domain=${first.domain.toUpperCase()}`)).toEqual([first.public_id])
  expect(await ids('from=2026-01-02')).toEqual([second.public_id])
  expect(await ids('to=2026-01-02')).toEqual([first.public_id])
  expect(await ids('from=2026-01-01&to=2026-01-03')).toEqual([second.public_id, first.public_id])
})

test('a world with the same seed gives the same ids for the same calls', async () => {
  const ids = async () => (await (await startSandbox({ seed: 'same' })).sell()).json.public_id
  expect(await ids()).toBe(await ids())
})

test('an order, its timeline and its event carry the very same instant, in a world whose clock runs', async () => {
  const sandbox = await startSandbox()
  for (let i = 0; i < 30; i++) await sandbox.sell()
  const { events } = (await sandbox.call({ path: '/events?limit=200' })).json
  const timeOf = new Map(events.map((event: { id: string; created_at: string }) => [event.id, event.created_at]))
  for (const { created_at, timeline } of (await sandbox.call({ path: '/orders?limit=100' })).json.orders) {
    const [{ at, event_id }] = timeline
    expect([created_at, timeOf.get(event_id)]).toEqual([at, at])
  }
})

test('a quote lasts ten minutes and says what an order for it earns', async () => {
  const sandbox = await startSandbox(FROZEN)
  const listing = await oneForSale(sandbox)
  const { status, json } = await quote(sandbox, listing.domain)
  expect(status).toBe(201)
  expect(json).toMatchObject({
    quote_id: expect.stringMatching(/^qt_/),
    domain: listing.domain,
    currency: 'USD',
    commission_cents: Math.floor(json.price_cents / 5),
    created_at: '2026-01-01T00:00:00.000Z',
    expires_at: '2026-01-01T00:10:00.000Z',
  })
  expect(json.quote_token.split('.')).toHaveLength(2)
  const { json: order } = await buy(sandbox, json, { quote_id: json.quote_id })
  expect([order.commission_cents, order.quote_id]).toEqual([json.commission_cents, json.quote_id])
})

test('a quote has expired one millisecond after 600 seconds, and the receipt of the clock says so', async () => {
  const sandbox = await startSandbox(FROZEN)
  const { json: late } = await quote(sandbox, (await oneForSale(sandbox)).domain)
  await advance(sandbox, '10m')
  const at = '2026-01-01T00:10:00.001Z'
  const summary = `the quote for ${late.domain} expired and its reservation ended`
  const receipt = await sandbox.operate('POST', '/v1/worlds/default/clock/advance', { to: at })
  expect(receipt.json.happened).toEqual([{ at, kind: 'quote.expired', id: late.quote_id, summary }])
  const { status, json } = await buy(sandbox, late, { quote_id: late.quote_id })
  expect([status, json.code]).toEqual([422, 'quote_expired'])
})

const ROUNDS = size(5, 20)

test(`16 orders with one key at once are one order, and every answer carries it, ${ROUNDS} times over`, async () => {
  const sandbox = await startSandbox()
  for (let round = 0; round < ROUNDS; round++) {
    const listing = await oneForSale(sandbox)
    const key = randomUUID()
    const answers = await Promise.all(Array.from({ length: 16 }, () => buy(sandbox, listing, { key })))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(201)
  }
  expect((await sandbox.call({ path: '/orders?limit=100' })).json.orders).toHaveLength(ROUNDS)
})

test('an Idempotency-Key is free again after exactly 24 hours of world time', async () => {
  const sandbox = await startSandbox(FROZEN)
  const key = randomUUID()
  const listing = await oneForSale(sandbox)
  const first = await buy(sandbox, listing, { key })
  await advance(sandbox, '23h59m59s')
  expect((await buy(sandbox, listing, { key })).text).toBe(first.text)
  const { happened } = (await advance(sandbox, '1s')).json
  expect(happened.map((item: { kind: string }) => item.kind)).toContain('idempotency.expired')
  expect((await buy(sandbox, await oneForSale(sandbox), { key })).status).toBe(201)
})

test('an Idempotency-Key has no blank and no letter beyond ASCII', async () => {
  const sandbox = await startSandbox()
  const listing = await oneForSale(sandbox)
  for (const key of ['a b', 'é']) {
    const { status, json } = await buy(sandbox, listing, { key })
    expect([key, status, json.code]).toEqual([key, 400, 'validation_error'])
  }
})

test('a price_mismatch says in the request log by what the price holds and since when', async () => {
  const at = '2026-01-15T12:00:00.000Z'
  const sandbox = await startSandbox({ inventory: 20, frozen: true, clockMs: Date.parse(at) })
  const reasonOf = async (order: Record<string, unknown>) => {
    const { status, headers } = await sandbox.sell({ order: { expected_price: 1, ...order } })
    expect(status).toBe(422)
    const { json } = await sandbox.operate('GET', `/v1/worlds/default/requests/${headers['x-request-id']}`)
    return json.diagnosis.sentence.replace(/\d+ USD cents by/, 'N by')
  }
  const says = 'expected_price is 1 USD cents, but the price is N by'
  expect(await reasonOf({ domain: 'stalls-9.test' })).toBe(`${says} the listing of stalls-9.test.`)
  const { json: quote } = await sandbox.call({ path: '/quotes', body: { domain: 'stalls-8.test' } })
  expect(await reasonOf({ domain: 'stalls-8.test', quote_id: quote.quote_id })).toBe(`${says} its quote of ${at}.`)
  await sandbox.call({ path: '/pricing?domain=price-moves-1.test' })
  expect(await reasonOf({ domain: 'price-moves-1.test' })).toBe(
    `${says} the listing of price-moves-1.test, which rose at ${at} of the world’s time, by its name.`,
  )
})
