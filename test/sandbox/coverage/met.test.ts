import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ENDPOINT_IDS } from '../../../src/contract/endpoint-ids.ts'
import { ERROR_CODES } from '../../../src/contract/errors.ts'
import { coverageIn, metIn, rowIn } from '../../support/coverage.ts'
import { closeDeal, deliver, sellHosted, settle, step } from '../../support/sales.ts'
import { startSandbox, type TestCall, type TestSandbox } from '../../support/sandbox.ts'

const NOW_MS = Date.parse('2026-03-01T00:00:00.000Z')
const FROZEN = { inventory: 0, frozen: true, clockMs: NOW_MS }

/** What one act adds to what is met. */
async function gained(sandbox: TestSandbox, act: () => Promise<unknown>): Promise<string[]> {
  const before = await metIn(sandbox)
  await act()
  return (await metIn(sandbox)).filter((id) => !before.includes(id))
}

describe('a world that nobody has called', () => {
  it('has met nothing, and says how to meet each row that counts', async () => {
    const { summary, sections, since } = await coverageIn(await startSandbox(FROZEN))
    expect([summary.met, summary.percent, summary.wrong, since]).toEqual([0, 0, 0, null])
    const rows = sections.flatMap((section) => section.rows)
    for (const row of rows) {
      expect([row.id, row.state]).toEqual([row.id, row.state === 'not_counted' ? 'not_counted' : 'not_met'])
      expect([row.id, row.hint === null]).toEqual([row.id, row.state === 'not_counted'])
      expect(row).toMatchObject({ count: 0, first_at: null, last_at: null })
    }
    expect(sections.find(({ id }) => id === 'endpoints')?.rows.map(({ id }) => id)).toEqual(ENDPOINT_IDS)
    expect(sections.find(({ id }) => id === 'codes')?.rows.map(({ id }) => id)).toEqual(ERROR_CODES)
    expect(summary.of).toBe(rows.filter(({ state }) => state !== 'not_counted').length)
  })
})

describe('endpoints', () => {
  it('one is met by an answer of 2xx, and partly by a refusal', async () => {
    const sandbox = await startSandbox(FROZEN)
    await sandbox.call({ path: '/pricing?domain=nowhere.test' })
    expect(await rowIn(sandbox, 'endpoints', 'pricing')).toMatchObject({ state: 'partly', count: 0 })
    expect((await rowIn(sandbox, 'endpoints', 'pricing')).happened?.count).toBe(1)
    expect(await gained(sandbox, () => sandbox.call({ path: '/pricing?domain=stalls-1.test' }))).toEqual([
      'endpoints pricing',
    ])
    expect(await rowIn(sandbox, 'endpoints', 'pricing')).toMatchObject({
      count: 1,
      first_at: '2026-03-01T00:00:00.000Z',
      hint: null,
    })
  })
})

type Sent = { headers: Record<string, string> }

const REFUSED: [string, TestCall, string[]][] = [
  ['validation_error', { path: '/pricing' }, []],
  ['invalid_signature', { path: '/orders', signs: { secret: 'sk_sandbox_wrong' } }, []],
  ['missing_credentials', { path: '/orders', after: ({ headers }) => void delete headers['X-Partner-Key-Id'] }, []],
  ['forbidden', { path: '/orders', as: 'only-embed' }, []],
  ['not_found', { path: '/pricing?domain=nowhere.test' }, []],
  ['invalid_timestamp', { path: '/orders', timestamp: '1000' }, ['gaps timestamp-status']],
  [
    'missing_signature_headers',
    { path: '/orders', after: ({ headers }) => void delete headers['X-Partner-Nonce'] },
    ['gaps missing-headers-status'],
  ],
  [
    'missing_idempotency_key',
    { path: '/orders', body: { domain: 'stalls-1.test' } },
    ['gaps missing-idempotency-key-status'],
  ],
  ['rate_limited', { path: '/pricing?domain=rate-limited-1.test' }, []],
  ['internal_error', { path: '/pricing?domain=error-1.test' }, []],
]

describe('error codes', () => {
  it.each(REFUSED)('%s is met by receiving it', async (code, call, more) => {
    const sandbox = await startSandbox(FROZEN)
    const isFinal = !['rate_limited', 'internal_error', 'invalid_timestamp'].includes(code)
    const expected = [`codes ${code}`, ...(isFinal ? [`retries ${code}`] : []), 'gaps error-layout', ...more]
    expect((await gained(sandbox, () => sandbox.call(call))).sort()).toEqual(expected.sort())
  })

  it('a call that belongs to no world is counted in the only world, and in none where there are more', async () => {
    const sandbox = await startSandbox(FROZEN)
    const stray = [
      { path: '/orders', after: ({ headers }: Sent) => void delete headers['X-Partner-Key-Id'] },
      { path: '/orders', headers: { 'X-Partner-Key-Id': 'pk_sandbox_unknown' } },
    ]
    for (const call of [...stray, ...stray]) await sandbox.call(call)
    const alone = await coverageIn(sandbox)
    expect((await rowIn(sandbox, 'codes', 'missing_credentials')).count).toBe(2)
    // Nobody knows whose they are, so none is another one's retry.
    expect([alone.summary.wrong, (await rowIn(sandbox, 'retries', 'invalid_signature')).state]).toEqual([0, 'met'])
    await sandbox.operate('POST', '/v1/worlds', { name: 'other' })
    for (const call of [...stray, ...stray]) await sandbox.call(call)
    expect((await coverageIn(sandbox)).sections).toEqual(alone.sections)
    expect((await coverageIn(sandbox, 'other')).summary).toMatchObject({ met: 0, of: alone.summary.of })
  })

  it('a code that a stray call alone would bring is met in any world by a fault', async () => {
    const sandbox = await startSandbox(FROZEN)
    const match = { endpoint: 'orders.list' }
    await sandbox.operate('POST', '/v1/worlds/default/faults', { match, effect: { code: 'missing_credentials' } })
    await sandbox.call({ path: '/orders' })
    expect(await rowIn(sandbox, 'codes', 'missing_credentials')).toMatchObject({ state: 'met' })
  })
})

describe('order states and steps', () => {
  it('a step that happened is partly met until the client reads of it', async () => {
    const sandbox = await startSandbox(FROZEN)
    const recorded = await gained(sandbox, () => sandbox.sell())
    expect(recorded).toEqual(expect.arrayContaining(['orders EXTERNALLY_PAID', 'orders NEW>EXTERNALLY_PAID']))
    const { orders } = (await sandbox.call({ path: '/orders' })).json
    const id = orders[0].public_id
    expect(await gained(sandbox, () => step(sandbox, id, 'hold', 'clear'))).toEqual([])
    expect(await rowIn(sandbox, 'orders', 'EXTERNALLY_PAID>MANUAL_REVIEW')).toMatchObject({
      state: 'partly',
      count: 0,
      happened: { count: 1, first_at: '2026-03-01T00:00:00.000Z' },
    })
    const learned = [
      'orders MANUAL_REVIEW',
      'orders EXTERNALLY_PAID>MANUAL_REVIEW',
      'orders MANUAL_REVIEW>EXTERNALLY_PAID',
    ]
    expect(await gained(sandbox, () => sandbox.call({ path: `/orders/${id}` }))).toEqual([
      'endpoints orders.detail',
      ...learned,
    ])
  })

  it('the history tells of steps and types, each event once', async () => {
    const sandbox = await startSandbox(FROZEN)
    const { json: order } = await sandbox.sell()
    await deliver(sandbox, order.public_id)
    await settle(sandbox)
    const learned = await gained(sandbox, () => sandbox.call({ path: '/events?limit=3' }))
    expect(learned).toEqual(
      expect.arrayContaining([
        'orders EXTERNALLY_PAID>TRANSFER_IN_PROGRESS',
        'orders TRANSFER_IN_PROGRESS>TRANSFER_COMPLETED',
        'events order.transfer_completed',
      ]),
    )
    expect(learned).not.toContain('events order.settled')
    await sandbox.call({ path: '/events?limit=3' })
    expect(await rowIn(sandbox, 'events', 'order.transfer_started')).toMatchObject({ state: 'met', count: 1 })
    const { json: page } = await sandbox.call({ path: '/events?limit=3' })
    const on = await gained(sandbox, () => sandbox.call({ path: `/events?after_id=${page.next_cursor}` }))
    expect(on).toEqual(
      expect.arrayContaining(['events order.settled', 'orders TRANSFER_COMPLETED>SETTLED', 'situations after_id']),
    )
  })

  it('a refund tells of the state it leads to, and the history of where it started', async () => {
    const sandbox = await startSandbox(FROZEN)
    const { json: order } = await sandbox.sell()
    await step(sandbox, order.public_id, 'start-transfer')
    const refund = () => sandbox.call({ path: '/refunds', body: { public_id: order.public_id } })
    expect(await gained(sandbox, refund)).toEqual(['endpoints refunds.create', 'orders REFUNDED'])
    expect(await gained(sandbox, () => sandbox.call({ path: '/events' }))).toEqual(
      expect.arrayContaining(['orders TRANSFER_IN_PROGRESS>REFUNDED', 'events order.refunded']),
    )
  })

  it('a hosted sale is met by a list', async () => {
    const sandbox = await startSandbox(FROZEN)
    expect(await gained(sandbox, () => sellHosted(sandbox))).toContain('situations checkout-paid')
    expect(await gained(sandbox, () => sandbox.call({ path: '/orders' }))).toEqual(
      expect.arrayContaining(['orders NEW>TRANSFER_IN_PROGRESS', 'gaps hosted-order-state']),
    )
  })
})

describe('brokerage cases', () => {
  it('steps are met by reading the case, and a deal by its event', async () => {
    const sandbox = await startSandbox(FROZEN)
    const opened = await gained(sandbox, () => closeDeal(sandbox, 5_000))
    expect(opened).toEqual(expect.arrayContaining(['cases OPEN', 'cases NEW>OPEN']))
    expect(opened).not.toContain('cases DEAL_CLOSED')
    expect(await gained(sandbox, () => sandbox.call({ path: '/events' }))).toEqual(
      expect.arrayContaining(['cases DEAL_CLOSED', 'cases OPEN>DEAL_CLOSED', 'events brokerage.case_completed']),
    )
    const { json } = await sandbox.call({
      path: '/brokerage',
      body: { tier: 'managed', buyer_email: 'b@example.test', budget: 1_000 },
    })
    await sandbox.operate('POST', `/v1/worlds/default/brokerage/${json.case_id}/negotiate`, {})
    expect(await gained(sandbox, () => sandbox.call({ path: `/brokerage/${json.case_id}` }))).toEqual(
      expect.arrayContaining(['cases NEGOTIATING', 'cases OPEN>NEGOTIATING']),
    )
  })
})

describe('situations', () => {
  it('a cursor that is followed, a stored answer, a quote that is used, one that ran out', async () => {
    const sandbox = await startSandbox(FROZEN)
    const [{ domain, price_cents, currency }] = (await sandbox.forSale(1)) as [
      { domain: string; price_cents: number; currency: string },
    ]
    const { json: quote } = await sandbox.call({ path: '/quotes', body: { domain } })
    const buyer = { email: 'buyer@example.test' }
    const body = { domain, expected_price: price_cents, currency, buyer, quote_id: quote.quote_id }
    const key = randomUUID()
    expect(await gained(sandbox, () => sandbox.call({ path: '/orders', body, key }))).toContain('situations quote-used')
    expect(await gained(sandbox, () => sandbox.call({ path: '/orders', body, key }))).toEqual(['situations replayed'])
    await sandbox.sell()
    const { json: page } = await sandbox.call({ path: '/orders?limit=1' })
    const readOn = () => sandbox.call({ path: `/orders?limit=1&cursor=${page.next_cursor}` })
    expect(await gained(sandbox, readOn)).toEqual(['situations cursor'])
    await sandbox.call({ path: '/quotes', body: { domain: 'stalls-99.test' } })
    const wait = () => sandbox.operate('POST', '/v1/worlds/default/clock/advance', { by: '11m' })
    expect(await gained(sandbox, wait)).toEqual(['situations quote-expired'])
  })
})

it('a world that calls its states, parameters and errors otherwise is read in its own words', async () => {
  const sandbox = await startSandbox({
    inventory: 0,
    gaps: {
      'held-status': 'HELD',
      'case-states': 'open, in_negotiation, won, lost',
      'cursor-parameter': 'page_token',
      'error-layout': 'list',
    },
  })
  const { json: order } = await sandbox.sell()
  await sandbox.sell()
  await step(sandbox, order.public_id, 'hold')
  expect((await sandbox.call({ path: `/orders/${order.public_id}` })).json.status).toBe('HELD')
  const { json: page } = await sandbox.call({ path: '/orders?limit=1' })
  await sandbox.call({ path: `/orders?limit=1&page_token=${page.next_cursor}` })
  const body = { tier: 'managed', buyer_email: 'b@example.test', budget: 1_000 }
  expect((await sandbox.call({ path: '/brokerage', body })).json.status).toBe('open')
  await sandbox.call({ path: '/pricing' })
  for (const [section, id] of [
    ['orders', 'EXTERNALLY_PAID>MANUAL_REVIEW'],
    ['orders', 'MANUAL_REVIEW'],
    ['situations', 'cursor'],
    ['cases', 'NEW>OPEN'],
    ['codes', 'validation_error'],
    ['gaps', 'error-layout'],
  ] as const) {
    expect([id, (await rowIn(sandbox, section, id)).state]).toEqual([id, 'met'])
  }
  expect((await rowIn(sandbox, 'gaps', 'error-layout')).title).toMatch(/: list$/)
})
