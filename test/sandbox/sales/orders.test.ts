import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'

async function orderFor(sandbox: TestSandbox, changes: Record<string, unknown> = {}) {
  const [listing] = await sandbox.forSale(1)
  return {
    domain: listing?.domain as string,
    expected_price: listing?.price_cents as number,
    currency: 'USD',
    buyer: { email: 'buyer@example.test' },
    ...changes,
  }
}

const record = (sandbox: TestSandbox, body: unknown, as = 'main') =>
  sandbox.call({ path: '/orders', body, key: randomUUID(), as })

async function eventTypes(sandbox: TestSandbox, as = 'main'): Promise<string[]> {
  const { json } = await sandbox.call({ path: '/events?limit=200', as })
  return json.events.map((event: { type: string }) => event.type)
}

test('a sale is recorded as EXTERNALLY_PAID with its five fields, and the same five are in the event', async () => {
  const sandbox = await startSandbox()
  const body = await orderFor(sandbox, {
    external_payment_ref: 'pay-1',
    buyer: { email: 'b@example.test', country: 'DE' },
  })
  const { status, json } = await record(sandbox, body)
  expect(status).toBe(201)
  expect(json).toMatchObject({
    public_id: expect.stringMatching(/^ord_[0-9a-z]+$/),
    domain: body.domain,
    status: 'EXTERNALLY_PAID',
    sale_price_cents: body.expected_price,
    currency: 'USD',
    payment_model: 'partner_collected',
    buyer: { email: 'b@example.test', country: 'DE' },
    external_payment_ref: 'pay-1',
    quote_id: null,
  })
  expect(json.commission_cents + json.amount_owed_cents).toBe(json.sale_price_cents)
  const { json: history } = await sandbox.call({ path: '/events' })
  expect(history.events).toHaveLength(1)
  const { public_id, domain, sale_price_cents, currency } = json
  expect(history.events[0]).toMatchObject({
    type: 'order.recorded',
    data: { order: { public_id, domain, status: 'EXTERNALLY_PAID', sale_price_cents, currency } },
  })
  expect(json.timeline).toEqual([
    { status: 'EXTERNALLY_PAID', at: json.created_at, event_id: history.events[0].id, note: null },
  ])
})

test.for([-1, 1])('a price %d cent off is price_mismatch and leaves nothing behind', async (difference) => {
  const sandbox = await startSandbox()
  const body = await orderFor(sandbox)
  const { status, json } = await record(sandbox, { ...body, expected_price: body.expected_price + difference })
  expect([status, json.code]).toEqual([422, 'price_mismatch'])
  expect((await sandbox.call({ path: '/orders' })).json.orders).toEqual([])
  expect(await eventTypes(sandbox)).toEqual([])
  expect((await sandbox.call({ path: `/availability?domain=${body.domain}` })).json.available).toBe(true)
})

test('all faults of a body are named at once', async () => {
  const sandbox = await startSandbox()
  const { status, json } = await record(sandbox, {
    domain: 'no domain',
    expected_price: '1200',
    buyer: { email: 'nobody', country: 'Germany' },
    return_url: 'javascript:alert(1)',
    color: 'red',
  })
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

test.for([
  ['domain', 5],
  ['domain', null],
  ['domain', ['a.test']],
  ['expected_price', 1.5],
  ['expected_price', 1e21],
  ['expected_price', -5],
  ['currency', 'usd'],
  ['buyer', 'x'],
  ['buyer', {}],
  ['quote_id', 7],
  ['external_payment_ref', ''],
] as const)('%s as %j is validation_error naming the field', async ([field, value]) => {
  const sandbox = await startSandbox()
  const { status, json } = await record(sandbox, await orderFor(sandbox, { [field]: value }))
  expect([status, json.code]).toEqual([400, 'validation_error'])
  expect(json.message).toContain(field)
})

test('a domain that is not listed is 404 and a sold one 409', async () => {
  const sandbox = await startSandbox()
  const body = await orderFor(sandbox)
  expect((await record(sandbox, { ...body, domain: 'nowhere.example' })).json.code).toBe('not_found')
  expect((await record(sandbox, body)).status).toBe(201)
  const again = await record(sandbox, body, 'other-partner')
  expect([again.status, again.json.code]).toEqual([409, 'conflict'])
})

test('two partners on one domain at once: one sale, 20 times over', async () => {
  const sandbox = await startSandbox()
  for (let round = 0; round < 20; round++) {
    const body = await orderFor(sandbox)
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, lane) => record(sandbox, body, lane % 2 ? 'main' : 'other-partner')),
    )
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, ...Array(7).fill(409)])
  }
})

test('another partner’s order looks exactly like one that does not exist', async () => {
  const sandbox = await startSandbox()
  const { json: order } = await sandbox.sell()
  const foreign = await sandbox.call({ path: `/orders/${order.public_id}`, as: 'other-partner' })
  const unknown = await sandbox.call({ path: '/orders/ord_0000000000000000', as: 'other-partner' })
  expect(foreign.status).toBe(404)
  expect(foreign.json).toEqual({ ...unknown.json, request_id: foreign.json.request_id })
  expect((await sandbox.call({ path: '/orders', as: 'other-partner' })).json.orders).toEqual([])
})

test('the list pages newest first, every order once, also while orders are added', async () => {
  const sandbox = await startSandbox()
  const recorded: string[] = []
  for (let i = 0; i < 7; i++) recorded.unshift((await sandbox.sell()).json.public_id)
  const seen: string[] = []
  let cursor = ''
  do {
    const { json } = await sandbox.call({ path: `/orders?limit=2${cursor}` })
    seen.push(...json.orders.map((order: { public_id: string }) => order.public_id))
    await sandbox.sell()
    cursor = json.next_cursor ? `&cursor=${json.next_cursor}` : ''
  } while (cursor)
  expect(seen).toEqual(recorded)
})

test('a cursor that this list did not give out is refused', async () => {
  const sandbox = await startSandbox()
  const { json: order } = await sandbox.sell()
  const { status, json } = await sandbox.call({ path: `/orders?cursor=${order.public_id}`, as: 'other-partner' })
  expect([status, json.code]).toEqual([400, 'validation_error'])
})

test('status, domain and date range filter, alone and together', async () => {
  const sandbox = await startSandbox({ frozen: true, clockMs: Date.UTC(2026, 0, 1) })
  const { json: first } = await sandbox.sell()
  await sandbox.operate('POST', '/v1/worlds/default/clock/advance', { by: '1d' })
  const { json: second } = await sandbox.sell()
  await sandbox.operate('POST', `/v1/worlds/default/orders/${second.public_id}/hold`, {})
  const ids = async (query: string) =>
    (await sandbox.call({ path: `/orders?${query}` })).json.orders.map(
      (order: { public_id: string }) => order.public_id,
    )
  expect(await ids('status=MANUAL_REVIEW')).toEqual([second.public_id])
  expect(await ids(`domain=${first.domain.toUpperCase()}`)).toEqual([first.public_id])
  expect(await ids('from=2026-01-02')).toEqual([second.public_id])
  expect(await ids('to=2026-01-02')).toEqual([first.public_id])
  expect(await ids('from=2026-01-01&to=2026-01-03')).toEqual([second.public_id, first.public_id])
  expect(await ids(`status=EXTERNALLY_PAID&domain=${first.domain}&from=2026-01-01&to=2026-01-02`)).toEqual([
    first.public_id,
  ])
  expect(await ids(`status=EXTERNALLY_PAID&domain=${second.domain}`)).toEqual([])
})

test('a world with the same seed gives the same ids for the same calls', async () => {
  const ids = async () => (await (await startSandbox({ seed: 'same' })).sell()).json.public_id
  expect(await ids()).toBe(await ids())
})

test('an order, its timeline and its event carry the very same instant, in a world whose clock runs', async () => {
  const sandbox = await startSandbox()
  for (let i = 0; i < 30; i++) await sandbox.sell()
  const { json: history } = await sandbox.call({ path: '/events?limit=200' })
  const { json: list } = await sandbox.call({ path: '/orders?limit=100' })
  const eventTimes = new Map(
    history.events.map((event: { id: string; created_at: string }) => [event.id, event.created_at]),
  )
  for (const order of list.orders) {
    expect([order.created_at, eventTimes.get(order.timeline[0].event_id)]).toEqual([
      order.timeline[0].at,
      order.timeline[0].at,
    ])
  }
})
