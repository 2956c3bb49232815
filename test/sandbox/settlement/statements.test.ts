import { expect, test } from 'vitest'
import { findListing } from '../../../src/sandbox/inventory/listings.ts'
import { recordOrder, takeStep } from '../../../src/sandbox/sales/order-steps.ts'
import { startSettlement } from '../../../src/sandbox/settlement/settlement-runs.ts'
import { listStatements } from '../../../src/sandbox/settlement/statements.ts'
import { advance, audited, deliver, sellHosted, settle, step, walk } from '../../support/sales.ts'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'
import { castMember, testWorld } from '../../support/world.ts'

const CLOCK = { frozen: true, clockMs: Date.UTC(2026, 0, 15, 12) }

const statements = async (sandbox: TestSandbox, query = '', as = 'main') =>
  (await sandbox.call({ path: `/settlements${query}`, as })).json.settlements

async function delivered(sandbox: TestSandbox, as = 'main') {
  const { json: order } = await sandbox.sell({ as })
  await deliver(sandbox, order.public_id)
  return order
}

test('a run makes one statement for each partner, of exactly its delivered partner-collected orders', async () => {
  const sandbox = await startSandbox(CLOCK)
  const [a, b] = [await delivered(sandbox), await delivered(sandbox)]
  const foreign = await delivered(sandbox, 'other-partner')
  await sandbox.sell()
  const hosted = await sellHosted(sandbox)
  await step(sandbox, hosted.public_id, 'complete-transfer')
  await step(sandbox, (await delivered(sandbox)).public_id, 'refund')
  const { status, json: run } = await settle(sandbox)
  expect(status).toBe(201)
  expect(run.statements).toHaveLength(2)

  const [own] = await statements(sandbox)
  expect(own).toEqual({
    statement_id: expect.stringMatching(/^stm_/),
    period_start: '2026-01-15T12:00:00.000Z',
    period_end: '2026-01-15T12:00:00.000Z',
    gross_sold_cents: a.sale_price_cents + b.sale_price_cents,
    commission_retained_cents: a.commission_cents + b.commission_cents,
    amount_owed_cents: a.amount_owed_cents + b.amount_owed_cents,
    adjustment_cents: 0,
    currency: 'USD',
    orders: [a.public_id, b.public_id],
  })
  const [others] = await statements(sandbox, '', 'other-partner')
  expect(others.orders).toEqual([foreign.public_id])
  expect((await sandbox.call({ path: `/orders/${hosted.public_id}` })).json.status).toBe('TRANSFER_COMPLETED')
  expect((await audited(sandbox)).differences).toEqual([])
})

test('a run is found by its id as it was made, whatever runs came before and after', async () => {
  const sandbox = await startSandbox(CLOCK)
  const made = []
  for (let n = 0; n < 3; n++) {
    await delivered(sandbox)
    made.push((await settle(sandbox)).json)
  }
  for (const run of made)
    expect((await sandbox.operate('GET', `/v1/worlds/default/settlement-runs/${run.run_id}`)).json).toEqual(run)
})

test('an operator reads a run in pages of its orders, and each statement says how many it lists', async () => {
  const sandbox = await startSandbox(CLOCK)
  const orders = [await delivered(sandbox), await delivered(sandbox), await delivered(sandbox)]
  const { json: run } = await settle(sandbox)
  expect(run).toMatchObject({ settled_count: 3, settled_next_cursor: null })
  expect(run.statements.map(({ order_count }: { order_count: number }) => order_count)).toEqual([3, 0])
  expect(run.statements[0]).not.toHaveProperty('orders')
  const path = `/v1/worlds/default/settlement-runs/${run.run_id}`
  const { json: first } = await sandbox.operate('GET', `${path}?limit=2`)
  const { json: rest } = await sandbox.operate('GET', `${path}?limit=2&cursor=${first.settled_next_cursor}`)
  const ids = [first, rest].map(({ settled }) => settled.map(({ public_id }: { public_id: string }) => public_id))
  expect(ids).toEqual([orders.slice(0, 2), orders.slice(2)].map((some) => some.map(({ public_id }) => public_id)))
  expect(rest).toMatchObject({ settled_count: 3, settled_next_cursor: null, statements: run.statements })
  expect((await sandbox.operate('GET', `${path}?cursor=ord_none`)).status).toBe(400)
})

test('periods follow each other without a gap, and a run with nothing to settle says so in zeros', async () => {
  const sandbox = await startSandbox(CLOCK)
  await settle(sandbox)
  await advance(sandbox, '7d')
  await settle(sandbox)
  const [second, first] = await statements(sandbox)
  expect(second.period_start).toBe(first.period_end)
  expect(second).toMatchObject({ gross_sold_cents: 0, amount_owed_cents: 0, orders: [] })
  expect(second.period_end).toBe('2026-01-22T12:00:00.000Z')
})

test('an order undone after its statement leaves that as it is and comes off the next one', async () => {
  const sandbox = await startSandbox(CLOCK)
  const order = await delivered(sandbox)
  await settle(sandbox)
  const [before] = await statements(sandbox)
  await step(sandbox, order.public_id, 'refund')
  expect(await statements(sandbox)).toEqual([before])
  await settle(sandbox)
  await settle(sandbox)
  const [third, second, first] = await statements(sandbox)
  expect(first).toEqual(before)
  expect(second).toMatchObject({ gross_sold_cents: 0, orders: [], adjustment_cents: -order.amount_owed_cents })
  expect(third.adjustment_cents).toBe(0)
  expect((await audited(sandbox)).differences).toEqual([])
})

test('from and to are about the end of the period, and pages hold every statement once', async () => {
  const sandbox = await startSandbox(CLOCK)
  for (let day = 0; day < 5; day++) {
    await settle(sandbox)
    await advance(sandbox, '1d')
  }
  const endsOf = (rows: { period_end: string }[]) => rows.map(({ period_end: end }) => end.slice(8, 10))
  for (const [query, ends] of [
    ['', ['19', '18', '17', '16', '15']],
    ['?from=2026-01-17', ['19', '18', '17']],
    ['?to=2026-01-17', ['16', '15']],
    ['?from=2026-01-16T12:00:00Z&to=2026-01-18T12:00:00Z', ['17', '16']],
  ] as const) {
    expect(endsOf(await statements(sandbox, query))).toEqual(ends)
  }
  const walked = await walk(sandbox, '/settlements', 'settlements', () => settle(sandbox))
  expect(endsOf(walked)).toEqual(['19', '18', '17', '16', '15'])
})

const LISTS = ['/settlements', '/payouts', '/transactions', '/me/commissions', '/me/sales', '/me/payouts']

test.for(LISTS)('%s refuses a cursor that it did not give out, an unknown parameter and a wrong date', async (path) => {
  const sandbox = await startSandbox()
  const queries = [
    'cursor=stm_0',
    'color=red',
    'from=yesterday',
    'limit=0',
    'limit=101',
    'from=2026-01-01&from=2026-01-02',
  ]
  for (const query of queries) {
    const { status, json } = await sandbox.call({ path: `${path}?${query}` })
    expect([query, status, json.code]).toEqual([query, 400, 'validation_error'])
  }
})

test('another partner’s statement is no cursor', async () => {
  const sandbox = await startSandbox()
  await settle(sandbox)
  const [foreign] = await statements(sandbox, '', 'other-partner')
  expect((await sandbox.call({ path: `/settlements?cursor=${foreign.statement_id}` })).status).toBe(400)
})

test('settlement runs during orders and refunds put each order into at most one statement', async () => {
  const sandbox = await startSandbox()
  for (let round = 0; round < 10; round++) {
    const orders = [await delivered(sandbox), await delivered(sandbox, 'other-partner')]
    const { json: open } = await sandbox.sell()
    await Promise.all([
      settle(sandbox),
      sandbox.sell(),
      sandbox.call({ path: '/refunds', body: { public_id: open.public_id } }),
      settle(sandbox),
      ...orders.map(({ public_id }) => sandbox.operate('POST', `/v1/worlds/default/orders/${public_id}/refund`, {})),
    ])
  }
  const all = [
    ...(await statements(sandbox, '?limit=100')),
    ...(await statements(sandbox, '?limit=100', 'other-partner')),
  ]
  const stated = all.flatMap(({ orders }) => orders)
  expect(new Set(stated).size).toBe(stated.length)
  expect((await audited(sandbox)).differences).toEqual([])
})

test('a page of statements with very many orders ends early, has a next one, and none is left out', () => {
  const world = testWorld({ inventory: 0 })
  const caller = castMember(world, 'main')
  let sold = 0
  const settleSome = (count: number) =>
    world.commits.commitNow(() => {
      for (let n = 0; n < count; n++) {
        const domain = `live-site-${++sold}.test`
        const expectedPriceCents = findListing(world, domain)?.priceCents as number
        const input = { domain, expectedPriceCents, currency: 'USD', buyer: { email: 'buyer@example.test' } }
        const started = takeStep(world, recordOrder(world, caller, input), 'start-transfer', null)
        takeStep(world, started, 'complete-transfer', null)
      }
      startSettlement(world)
    })
  for (const count of [11, 6, 3, 2]) settleSome(count)

  const pages: number[][] = []
  let cursor: string | undefined
  do {
    const { rows, hasMore } = listStatements(world, caller, { limit: 100, cursor }, 10)
    pages.push(rows.map(({ publicIds }) => publicIds.length))
    cursor = hasMore ? rows.at(-1)?.statementId : undefined
  } while (cursor !== undefined)
  expect(pages).toEqual([[2, 3], [6], [11]])
})
