import { describe, expect, it } from 'vitest'
import { createDialect } from '../../src/conformance/dialect/dialect.ts'
import { modelsIn, statesIn } from '../../src/conformance/dialect/words.ts'
import type { Answer } from '../../src/conformance/http/exchange.ts'
import type { EndpointId } from '../../src/contract/endpoints.ts'
import { judge, scenario } from '../support/referee.ts'
import { answerJson, scriptedTarget } from '../support/scripted-target.ts'

function answer(op: EndpointId, json: unknown): Answer {
  return { op, status: 200, headers: [], body: Buffer.from(JSON.stringify(json)), json }
}

function availability(json: unknown): unknown {
  const dialect = createDialect({})
  const detail = answer('domains.detail', json)
  dialect.learn(detail, 'e1')
  const found = dialect.find('listing.available', detail)
  return found.found ? found.value : found.why
}

describe('whether a domain is for sale', () => {
  it.each([
    [{ data: { name: 'a.test', availability: 'for_sale' } }, true],
    [{ data: { name: 'a.test', availability: 'FOR SALE' } }, true],
    [{ name: 'a.test', available: 1 }, true],
    [{ name: 'a.test', available: 0 }, false],
    [{ name: 'a.test', available: 'Y' }, true],
    [{ name: 'a.test', available: 'N' }, false],
  ])('may be a word or a digit: %j', (json, expected) => {
    expect(availability(json)).toBe(expected)
  })

  it.each([
    { name: 'a.test', status: 'ok' },
    { name: 'a.test', available: 3 },
  ])('is not said by %j', (json) => {
    expect(availability(json)).toBe('absent')
  })
})

it('a word that is neither yes nor no is open, also where the target file names its place', () => {
  const told = createDialect({ roles: { 'listing.available': '/phase' } })
  const found = told.find('listing.available', answer('domains.detail', { name: 'a.test', phase: 'sunrise' }))
  expect(found).toMatchObject({ found: false, documented: false, detail: expect.stringContaining('sunrise') })
})

it.each([
  ['20261129T221724Z', '2026-11-29T22:17:24.000Z'],
  ['Sun, 29 Nov 2026 22:17:24 GMT', '2026-11-29T22:17:24.000Z'],
  ['Sun, 29 Nov 2026', '2026-11-29'],
  ['1795990644', '2026-11-29T22:17:24.000Z'],
  ['20261939T295969Z', '20261939T295969Z'],
  ['in the morning', 'in the morning'],
])('%s is the instant %s', (on, value) => {
  const dialect = createDialect({ roles: { 'case.created_at': '/on' } })
  expect(dialect.find('case.created_at', answer('brokerage.detail', { on }))).toMatchObject({ value })
})

describe('the words of a target', () => {
  const order = { public_id: 'ord_1', domain: 'a.test', sale_price_cents: 100, currency: 'USD' }

  it('are known from each answer that shows one', () => {
    const dialect = createDialect({})
    dialect.learn(answer('orders.detail', { data: { ...order, status: 'CLAWED_BACK' } }), 'e1')
    dialect.learn(answer('transactions.list', { transactions: [{ id: 't1', payment_model: 'BROKERED' }] }), 'e2')
    expect(statesIn(dialect.words.get('order.status'))).toEqual({ refunded: 'CLAWED_BACK' })
    expect(modelsIn(dialect.words.get('transaction.payment_model'))).toEqual({ brokerage: 'BROKERED' })
  })

  it('are known where the target file has every place', () => {
    const dialect = createDialect({ roles: { 'transactions.items': '/rows', 'transaction.payment_model': '/kind' } })
    dialect.learn(answer('transactions.list', { rows: [{ kind: 'hosted' }] }), 'e1')
    expect(modelsIn(dialect.words.get('transaction.payment_model'))).toEqual({ hosted_checkout: 'hosted' })
  })

  it('name a state if only one of them can, and if it is no state on the way', () => {
    expect(statesIn(['REFUND_PENDING'])).toEqual({})
    expect(statesIn(['REFUND_PENDING', 'REFUNDED', 'PENDING_REVIEW'])).toEqual({
      held: 'PENDING_REVIEW',
      refunded: 'REFUNDED',
    })
    expect(statesIn(['REFUNDED', 'REVERSED', 'SETTLED'])).toEqual({})
  })
})

it('what an answer holds that the target was free to refuse is left to the target, too', async () => {
  const target = await scriptedTarget((_request, response) =>
    answerJson(response, 404, { code: 'not_found', message: 'no' }),
  )
  const detail = scenario({
    proves: ['INV-06'],
    steps: [
      {
        call: { op: 'domains.detail', path: { name: 'in-use.example' } },
        expect: [
          { accepted: true, open: 'INV-12' },
          { roles: { 'listing.metadata': { present: true } }, shows: 'INV-06' },
        ],
      },
    ],
  })
  const { scenarios } = await judge(target, [detail])
  expect(scenarios[0]?.checks).toMatchObject([{ requirement: 'INV-06', verdict: 'not_run', reason: 'open-point' }])
})
