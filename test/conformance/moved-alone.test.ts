import { createServer } from 'node:http'
import { expect, it } from 'vitest'
import { loadScenarios } from '../../src/conformance/format/load-scenarios.ts'
import type { NamedStep, Step } from '../../src/conformance/format/scenario.ts'
import type { CheckResult } from '../../src/conformance/result/result.ts'
import { listening } from '../support/listening.ts'
import { judge, registry, scenario } from '../support/referee.ts'
import { answerJson, scriptedTarget } from '../support/scripted-target.ts'

const { scenarios } = loadScenarios('scenarios/orders/filters-together.yaml', registry)
const ROOT = '/api/partner/v1'
const DOMAINS = ['a.test', 'b.test', 'c.test']

interface Kept {
  public_id: string
  domain: string
  status: string
  sale_price_cents: number
  currency: string
}

/** Judges a target whose list is under filters, and whose orders have this state at every read after the sale. */
async function judgedWith(
  statusAtReads: string,
  filter: (order: Kept, status: string) => boolean,
  of = scenarios,
  at = 'all_of_them',
  refundStatus = 201,
) {
  const orders: Kept[] = []
  const desk = await listening(createServer((_, response) => answerJson(response, 409, { problem: 'not from here' })))
  const target = await scriptedTarget(
    (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://target.test')
      const path = pathname.replace(ROOT, '')
      const [domain, status] = [searchParams.get('domain'), searchParams.get('status')]
      const shown = orders.map((order) => ({ ...order, status: statusAtReads }))
      if (path === '/refunds') {
        request.resume()
        answerJson(response, refundStatus, shown[0])
      } else if (request.method === 'POST') {
        const pieces: Buffer[] = []
        request.on('data', (piece: Buffer) => pieces.push(piece))
        request.on('end', () => {
          const sold = JSON.parse(Buffer.concat(pieces).toString()).domain
          const order = { public_id: `ord_${orders.length + 1}`, domain: sold, status: 'EXTERNALLY_PAID' }
          orders.push({ ...order, sale_price_cents: 1000, currency: 'USD' })
          answerJson(response, 201, orders.at(-1))
        })
      } else if (path === '/availability') answerJson(response, 200, { domain, available: true, price_cents: 1000 })
      else if (path === '/pricing') answerJson(response, 200, { price_cents: 1000, currency: 'USD' })
      else if (path === '/payouts') answerJson(response, 200, { payouts: [], total_paid_cents: 500 })
      else if (path === '/events') answerJson(response, 200, { events: [], next_cursor: null })
      else if (path === '/orders') {
        const found = shown.filter(
          (order) => order.domain === (domain ?? order.domain) && (status === null || filter(order, status)),
        )
        answerJson(response, 200, { orders: found, next_cursor: null })
      } else {
        const order = shown.find(({ public_id }) => path === `/orders/${public_id}`)
        if (order) answerJson(response, 200, order)
        else answerJson(response, 404, { code: 'not_found', message: 'no such order' })
      }
    },
    {
      credentials: [
        { name: 'main', key_id: 'pk_test_1', secret: 'sk_test_1', scopes: ['search', 'buy', 'webhook', 'report'] },
      ],
      fixtures: { sellable: DOMAINS },
      operator: { actions: { start_transfer: { request: `POST ${desk}` } } },
      dialect: {
        roles: { 'payouts.total': '/total_paid_cents' },
        params: { 'orders.domain': 'domain', 'orders.from': 'from', 'orders.to': 'to' },
      },
    },
  )
  const result = await judge(target, of)
  return result.scenarios.flatMap(({ checks }) => checks).find(({ step }) => step === at) as CheckResult
}

it('a filter by the state of a sale proves nothing, if the target has moved the order on its own', async () => {
  const check = await judgedWith('TRANSFER_IN_PROGRESS', (order, status) => order.status === status)
  expect([check.verdict, check.note]).toEqual([
    'inconclusive',
    expect.stringMatching(/^the target moved order ord_\d from EXTERNALLY_PAID to TRANSFER_IN_PROGRESS on its own/),
  ])
})

it('a filter that loses an order is wrong, if the order is where it was', async () => {
  expect((await judgedWith('EXTERNALLY_PAID', () => false)).verdict).toBe('fail')
})

/** A scenario that records an order and then does this. */
function afterASale(proves: string, ...steps: Step[]) {
  const made = { id: 'made', call: { op: 'orders.create' } } as const
  return scenario({ proves: [proves], needs: ['fixture.sellable'], effects: { orders: 1 }, steps: [made, ...steps] })
}

const paying = afterASale('PAY-01', {
  id: 'paid',
  call: { op: 'payouts.list' },
  expect: { roles: { 'payouts.total': 300 }, says: 'nothing more is paid', shows: 'PAY-01' },
})

it.each([
  ['inconclusive', 'TRANSFER_COMPLETED'],
  ['fail', 'EXTERNALLY_PAID'],
])('a total of payouts that has grown is %s, if a sale is %s afterwards', async (verdict, status) => {
  expect((await judgedWith(status, () => true, [paying], 'paid')).verdict).toBe(verdict)
})

const reading = afterASale('ORD-09', {
  id: 'read',
  call: { op: 'orders.detail', path: { public_id: '${made.order.public_id}' } },
  expect: { roles: { 'order.status': 'EXTERNALLY_PAID' }, says: 'it is where it was', shows: 'ORD-09' },
})

it.each([
  ['inconclusive', 'TRANSFER_IN_PROGRESS'],
  // No target undoes an order on its own.
  ['fail', 'REFUNDED'],
])('an order that should be where it was is %s, if it is %s', async (verdict, status) => {
  expect((await judgedWith(status, () => true, [reading], 'read')).verdict).toBe(verdict)
})

const readForADomain = afterASale('ORD-01', {
  id: 'read',
  call: { op: 'orders.detail', path: { public_id: '${made.order.public_id}' } },
  expect: { roles: { 'order.domain': 'other.test' }, says: 'it is of another domain', shows: 'ORD-01' },
})

it('what an order has beside its state is wrong, wherever the order is', async () => {
  expect((await judgedWith('TRANSFER_IN_PROGRESS', () => true, [readForADomain], 'read')).verdict).toBe('fail')
})

it.each([
  ['inconclusive', 'refused'],
  // A refund holds its order.
  ['fail', 'accepted'],
])('an order that is on its way behind a refund is %s, if the refund was %s', async (verdict, outcome) => {
  const refund: Step = {
    id: 'refund',
    call: { op: 'refunds.create', body: { set: { public_id: '${made.order.public_id}' } } },
    expect: { status: [201, 409] },
  }
  const { steps } = reading.scenario
  const behind = { ...reading, scenario: { ...reading.scenario, steps: [steps[0], refund, steps[1]] as NamedStep[] } }
  const status = outcome === 'refused' ? 409 : 201
  expect((await judgedWith('TRANSFER_IN_PROGRESS', () => true, [behind], 'read', status)).verdict).toBe(verdict)
})

const refunding = afterASale('REF-02', {
  id: 'refunded',
  call: { op: 'refunds.create', body: { set: { public_id: '${made.order.public_id}' } } },
  expect: { refused: true, says: 'it is not refunded', shows: 'REF-02' },
})

it('a refund that was wrongly accepted has moved its order itself, and is wrong', async () => {
  expect((await judgedWith('REFUNDED', () => true, [refunding], 'refunded')).verdict).toBe('fail')
})

const granting = afterASale(
  'REF-01',
  {
    id: 'refund',
    call: { op: 'refunds.create', body: { set: { public_id: '${made.order.public_id}' } } },
    expect: { accepted: true, shows: 'REF-01' },
  },
  { id: 'told', events: { where: { type: 'order.refunded' } }, expect: { count: 1, shows: 'REF-01' } },
)

it.each([
  ['refund', 'TRANSFER_IN_PROGRESS', 'fail'],
  ['refund', 'TRANSFER_COMPLETED', 'inconclusive'],
  ['told', 'TRANSFER_COMPLETED', 'inconclusive'],
])('where a refund is refused, the check of step %s of an order that became %s is %s', async (at, status, verdict) => {
  expect((await judgedWith(status, () => true, [granting], at, 409)).verdict).toBe(verdict)
})

const starting = afterASale(
  'STATE-01',
  { id: 'started', operator: { start_transfer: '${made.order.public_id}' } },
  {
    id: 'read',
    call: { op: 'orders.detail', path: { public_id: '${made.order.public_id}' } },
    expect: { roles: { 'order.status': 'TRANSFER_IN_PROGRESS' }, says: 'the transfer began', shows: 'STATE-01' },
  },
)

it('a step that the operator refuses says where the order is', async () => {
  const check = await judgedWith('TRANSFER_IN_PROGRESS', () => true, [starting], 'read')
  expect(check).toMatchObject({ verdict: 'inconclusive' })
  expect(check.actual).toMatch(/the operator answered 409.*; order ord_\d was TRANSFER_IN_PROGRESS then/)
})
