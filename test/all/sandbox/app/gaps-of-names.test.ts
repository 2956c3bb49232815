import { describe, expect, it } from 'vitest'
import { dialectOf } from '../../../../src/conformance/target/own-sandbox.ts'
import { DEFAULT_GAPS, type GapChoices } from '../../../../src/contract/choices.ts'
import { openApiDocument } from '../../../../src/sandbox/openapi/document.ts'
import { observed } from '../../../support/gap-values.ts'
import { deliveriesOf, register, settled } from '../../../support/hooks.ts'
import { accepts, startReceiver } from '../../../support/receiver.ts'
import { step } from '../../../support/sales.ts'
import { startSandbox, type TestSandbox } from '../../../support/sandbox.ts'

/** Whether a read is accepted with a parameter of that name. */
async function knows(sandbox: TestSandbox, path: string, query: string): Promise<boolean> {
  const { status, json } = await sandbox.call({ path: `${path}?${query}` })
  const isUnknown = status === 400 && /unknown parameter/.test(json.message)
  expect(status === 200 || isUnknown, json.message).toBe(true)
  return status === 200
}

describe('names of parameters', () => {
  const [usual, created, dates] = [
    'from=2026-01-01&to=2026-02-01',
    'created_after=2026-01-01&created_before=2026-02-01',
    'start_date=2026-01-01&end_date=2026-02-01',
  ]
  observed<'window-parameters', string[]>(
    'window-parameters',
    {
      'from, to': [usual],
      'created_after, created_before': [created],
      'start_date, end_date': [dates],
    },
    async (sandbox) => {
      const known: string[] = []
      for (const query of [usual, created, dates]) {
        const paths = ['/orders', '/settlements', '/payouts', '/me/clicks', '/analytics', '/brokerage']
        const all = await Promise.all(paths.map((path) => knows(sandbox, path, query)))
        expect(new Set(all).size).toBe(1)
        if (all[0]) known.push(query)
      }
      expect(await knows(sandbox, '/transactions', usual)).toBe(true)
      return known
    },
  )

  it('a chosen window has its effect, and its faults are told by its own names', async () => {
    const gaps = { 'window-parameters': 'created_after, created_before' } as const
    const sandbox = await startSandbox({ inventory: 20, gaps, frozen: true, clockMs: Date.UTC(2026, 0, 15) })
    await sandbox.sell()
    const count = async (query: string) => (await sandbox.call({ path: `/orders?${query}` })).json.orders.length
    expect([await count('created_after=2026-01-15'), await count('created_after=2026-01-16')]).toEqual([1, 0])
    const { json } = await sandbox.call({ path: '/orders?created_after=yesterday' })
    expect(json.message).toMatch(/^created_after must be/)
  })

  observed('domain-parameter', { domain: ['domain'], domain_name: ['domain_name'] }, async (sandbox) => {
    const { json } = await sandbox.sell()
    const [sold] = [json.domain]
    await sandbox.sell()
    const known: string[] = []
    for (const name of ['domain', 'domain_name']) {
      if (!(await knows(sandbox, '/orders', `${name}=${sold}`))) continue
      expect((await sandbox.call({ path: `/orders?${name}=${sold}` })).json.orders).toHaveLength(1)
      known.push(name)
    }
    return known
  })

  /** Follows a list of three orders one by one, by these names. */
  async function followed(sandbox: TestSandbox, cursor: string, limit: string, next: string) {
    for (let i = 0; i < 3; i++) await sandbox.sell()
    const seen: string[] = []
    let at = ''
    do {
      const { status, json } = await sandbox.call({ path: `/orders?${limit}=1${at && `&${cursor}=${at}`}` })
      if (status !== 200) return null
      seen.push(json.orders[0].public_id)
      at = json[next]
    } while (at && seen.length < 5)
    return new Set(seen).size
  }

  observed(
    'cursor-parameter',
    { cursor: 'cursor', page_token: 'page_token', starting_after: 'starting_after' },
    async (sandbox) => {
      const found: string[] = []
      for (const name of ['cursor', 'page_token', 'starting_after']) {
        if ((await followed(sandbox, name, 'limit', 'next_cursor')) !== null) found.push(name)
      }
      for (const path of ['/transactions', '/links', '/me/sales']) {
        expect((await sandbox.call({ path: `${path}?${found[0]}=none` })).json.message).toMatch(/cursor/)
      }
      return found.join()
    },
  )

  observed('limit-parameter', { limit: ['limit'], page_size: ['page_size'] }, async (sandbox) => {
    expect(await knows(sandbox, '/events', 'limit=1')).toBe(true)
    const known: string[] = []
    for (const name of ['limit', 'page_size']) if (await knows(sandbox, '/transactions', `${name}=1`)) known.push(name)
    return known
  })

  observed('next-cursor-field', { next_cursor: 3, next_page_token: 3 }, async (sandbox) => {
    const { json } = await sandbox.call({ path: '/orders' })
    const name = Object.keys(json).find((key) => key.startsWith('next_')) as string
    const { json: events } = await sandbox.call({ path: '/events' })
    expect(events).toHaveProperty('next_cursor')
    const { json: transactions } = await sandbox.call({ path: '/transactions' })
    expect(transactions).toHaveProperty(name)
    return followed(sandbox, 'cursor', 'limit', name)
  })

  it('the chosen field and no other leads on', async () => {
    const sandbox = await startSandbox({ inventory: 20, gaps: { 'next-cursor-field': 'next_page_token' } })
    expect(Object.keys((await sandbox.call({ path: '/orders' })).json)).toEqual(['orders', 'next_page_token'])
  })

  observed('orders-order', { 'newest first': [2, 1, 0], 'oldest first': [0, 1, 2] }, async (sandbox) => {
    const made: string[] = []
    for (let i = 0; i < 3; i++) made.push((await sandbox.sell()).json.public_id)
    const first = await sandbox.call({ path: '/orders?limit=2' })
    const rest = await sandbox.call({ path: `/orders?limit=2&cursor=${first.json.next_cursor}` })
    expect(rest.json.next_cursor).toBeNull()
    return [...first.json.orders, ...rest.json.orders].map(({ public_id }) => made.indexOf(public_id))
  })
})

describe('names of states', () => {
  /** Where the state of an order is told, after a step. */
  async function toldAfter(sandbox: TestSandbox, stepName: string): Promise<string> {
    const { public_id } = (await sandbox.sell()).json
    await step(sandbox, public_id, stepName)
    const { json } = await sandbox.call({ path: `/orders/${public_id}` })
    expect(json.timeline.at(-1).status).toBe(json.status)
    for (const path of ['/orders', '/transactions']) {
      const filtered = await sandbox.call({ path: `${path}?status=${json.status}` })
      const [row] = filtered.json.orders ?? filtered.json.transactions
      expect(row).toMatchObject({ public_id, status: json.status })
    }
    return json.status
  }

  observed('held-status', { MANUAL_REVIEW: 'MANUAL_REVIEW', ON_HOLD: 'ON_HOLD', HELD: 'HELD' }, (sandbox) =>
    toldAfter(sandbox, 'hold'),
  )

  observed('refunded-status', { REFUNDED: 'REFUNDED', CLAWED_BACK: 'CLAWED_BACK' }, (sandbox) =>
    toldAfter(sandbox, 'refund'),
  )

  observed('cancelled-status', { CANCELLED: 'CANCELLED', CANCELED: 'CANCELED', VOIDED: 'VOIDED' }, (sandbox) =>
    toldAfter(sandbox, 'cancel'),
  )

  it('hold in refunds, events, deliveries and messages alike, and our own names are then unknown', async () => {
    const gaps = {
      'refunded-status': 'CLAWED_BACK',
      'held-status': 'ON_HOLD',
      'hosted-order-state': 'EXTERNALLY_PAID',
    } as const
    const sandbox = await startSandbox({ inventory: 20, gaps })
    const receiver = await startReceiver(accepts, { anything: true })
    await register(sandbox, receiver.url)
    const { public_id } = (await sandbox.sell()).json
    const refund = await sandbox.call({ path: '/refunds', body: { public_id } })
    expect(refund.json.status).toBe('CLAWED_BACK')
    const { events } = (await sandbox.call({ path: '/events' })).json
    expect(events.at(-1).data.order.status).toBe('CLAWED_BACK')
    await settled(sandbox)
    const [, delivery] = await deliveriesOf(sandbox)
    expect(JSON.parse(delivery?.body as string).data).toEqual(events.at(-1).data)
    const again = await sandbox.call({ path: '/refunds', body: { public_id } })
    expect(again.json.message).toMatch(/is CLAWED_BACK; .*ON_HOLD/)
    const { status, json } = await sandbox.call({ path: '/orders?status=REFUNDED' })
    expect([status, json.message]).toEqual([400, expect.stringContaining('CLAWED_BACK')])
  })

  it('are the operator’s own to an operator', async () => {
    const sandbox = await startSandbox({ inventory: 20, gaps: { 'cancelled-status': 'VOIDED' } })
    const { public_id } = (await sandbox.sell()).json
    await step(sandbox, public_id, 'cancel')
    const { json } = await sandbox.operate('GET', `/v1/worlds/default/orders/${public_id}`)
    expect(json.status).toBe('CANCELLED')
    expect((await sandbox.operate('GET', '/v1/worlds/default/audit')).json.findings ?? []).toEqual([])
  })
})

describe('what is told of chosen names', () => {
  const gaps: GapChoices = {
    ...DEFAULT_GAPS,
    'window-parameters': 'start_date, end_date',
    'cursor-parameter': 'page_token',
    'limit-parameter': 'page_size',
    'next-cursor-field': 'next_page_token',
    'domain-parameter': 'domain_name',
    'held-status': 'HELD',
    'expected-price-unit': 'units',
    'order-required-fields': 'domain, expected_price, buyer.email',
    'idempotency-key-max-length': 64,
    'repeated-order-status': '200',
    'orders-order': 'oldest first',
  }
  // biome-ignore lint/suspicious/noExplicitAny: the document is judged member by member
  const api = openApiDocument({ gaps }) as any

  it('OpenAPI has the parameters, marked with their open points', () => {
    const { parameters } = api.paths['/api/partner/v1/orders'].get
    const marks = parameters.map((one: { name: string; 'x-gap'?: { id: string } }) => [one.name, one['x-gap']?.id])
    expect(marks).toEqual([
      ['status', undefined],
      ['domain_name', 'domain-parameter'],
      ['start_date', 'window-parameters'],
      ['end_date', 'window-parameters'],
      ['page_token', 'cursor-parameter'],
      ['page_size', 'limit-parameter'],
    ])
  })

  it('OpenAPI has the fields, states and requirements, in schemas and examples', () => {
    const { OrderList, Order, OrderRequest, OrderFacts } = api.components.schemas
    expect(Object.keys(OrderList.properties)).toEqual(['orders', 'next_page_token'])
    expect(OrderList.description).toContain('oldest first')
    for (const { properties } of [Order, OrderFacts]) expect(properties.status.enum).toContain('HELD')
    expect(OrderRequest.required).toEqual(['domain', 'expected_price', 'buyer'])
    expect(OrderRequest.properties.expected_price.description).toContain('units')
    const { requestBody, responses } = api.paths['/api/partner/v1/orders'].post
    expect(requestBody.content['application/json'].example.expected_price).toBe(300)
    expect(Object.keys(responses).slice(0, 2)).toEqual(['200', '201'])
    expect(api.components.parameters.IdempotencyKey.schema.maxLength).toBe(64)
  })

  it('the runner’s dialect of our own sandbox follows', () => {
    expect(dialectOf({ gaps, credentials: [] })).toMatchObject({
      priceUnit: 'units',
      statuses: { held: 'HELD', refunded: 'REFUNDED', cancelled: 'CANCELLED' },
      params: {
        'orders.domain': 'domain_name',
        'orders.from': 'start_date',
        'orders.cursor': 'page_token',
        'reports.to': 'end_date',
        'reports.limit': 'page_size',
      },
      roles: { 'list.next': '/next_page_token', 'orders.list:orders.next': '/next_page_token' },
    })
  })
})
