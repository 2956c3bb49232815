import type { IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import type { Step } from '../../src/conformance/format/scenario.ts'
import { judge, scenario } from '../support/referee.ts'
import { answerJson, scriptedTarget } from '../support/scripted-target.ts'

const ROOT = '/api/partner/v1'

const MAIN = {
  name: 'main',
  key_id: 'pk_test_1',
  secret: 'sk_test_1',
  scopes: ['search', 'buy', 'webhook', 'embed'],
}

const ORDER = {
  public_id: 'ord_1',
  domain: 'a.test',
  status: 'EXTERNALLY_PAID',
  sale_price_cents: 1000,
  currency: 'USD',
}

interface Given {
  status?: number
  json: unknown
}

/** A small service whose answers a test changes by `METHOD /path`; the query decides where the answer is a function. */
function serviceWith(changes: Record<string, (query: URLSearchParams) => Given>) {
  const answers: typeof changes = {
    'GET /availability': () => ({ json: { domain: 'a.test', available: true, price_cents: 1000 } }),
    'GET /pricing': () => ({ json: { price_cents: 1000, currency: 'USD' } }),
    'GET /events': () => ({ json: { events: [], next_cursor: null } }),
    'GET /orders': () => ({ json: { orders: [ORDER], next_cursor: null } }),
    'GET /orders/ord_1': () => ({ json: ORDER }),
    'POST /orders': () => ({ status: 201, json: ORDER }),
    ...changes,
  }
  return scriptedTarget(
    (request: IncomingMessage, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://target.test')
      const known = answers[`${request.method} ${pathname.replace(ROOT, '')}`]
      const { status = 200, json } = known?.(searchParams) ?? {
        status: 404,
        json: { code: 'not_found', message: 'no' },
      }
      answerJson(response, status, json)
    },
    {
      credentials: [MAIN],
      fixtures: { sellable: ['a.test', 'b.test', 'c.test'], unlisted: ['nowhere.test'] },
      dialect: { params: { 'orders.cursor': 'cursor' } },
    },
  )
}

/** The failed checks of a scenario with these steps, with the exchanges that they show. */
async function failuresOf(target: Awaited<ReturnType<typeof serviceWith>>, steps: Step[]) {
  const { scenarios, exchanges } = await judge(target, [scenario({ steps })])
  const failed = (scenarios[0]?.checks ?? []).filter(({ verdict }) => verdict === 'fail')
  return failed.map(({ requirement, exchange }) => ({
    requirement,
    status: exchanges.find(({ id }) => id === exchange)?.status,
  }))
}

async function violationsOf(target: Awaited<ReturnType<typeof serviceWith>>, steps: Step[]): Promise<string[]> {
  const given = scenario({ needs: ['fixture.sellable'], effects: { orders: 1, checkout_sessions: 1 }, steps })
  const { scenarios } = await judge(target, [given])
  return (scenarios[0]?.checks ?? [])
    .filter(({ verdict }) => verdict === 'fail')
    .map(({ step, requirement, actual }) => `${step} ${requirement} ${actual}`)
}

/** Something else that is asked, so that the scenario would have gone on. */
const OBSERVES: Step = { id: 'last', call: { op: 'availability', query: { domain: 'a.test' } }, observe: 'NONCE-05' }
const LIST: Step[] = [{ id: 'list', call: { op: 'orders.list', all_pages: true } }, OBSERVES]
const READ: Step = { id: 'read', call: { op: 'orders.detail', path: { public_id: '${made.order.public_id}' } } }
const POLLED: Step[] = [{ id: 'made', call: { op: 'orders.create' } }, READ, OBSERVES]

it('a cursor that leads back to entries it came from violates the paging of its list', async () => {
  const target = await serviceWith({
    'GET /orders': (query) => ({ json: { orders: [ORDER], next_cursor: query.get('cursor') === 'b' ? 'a' : 'b' } }),
  })
  expect(await violationsOf(target, LIST)).toEqual([
    'list ORD-08 the cursor of orders.list leads back to a page that it came from',
  ])
})

it('a cursor that stays the same behind an empty page is the end of its list', async () => {
  const target = await serviceWith({
    'GET /orders': (query) => ({ json: { orders: query.has('cursor') ? [] : [ORDER], next_cursor: 'b' } }),
  })
  expect(await violationsOf(target, LIST)).toEqual([])
})

it('a history that refuses a valid reading twice keeps events out of reach', async () => {
  const refusal = { status: 422, json: { code: 'validation_error', message: 'no' } }
  const target = await serviceWith({ 'GET /events': () => refusal })
  expect(await violationsOf(target, [{ id: 'before', events: { type: 'order.recorded' } }, OBSERVES])).toEqual([
    'before EVT-01 the event history was answered 422 twice to a valid reading',
  ])
})

it('a target that takes names of .example for malformed is asked between for a name of the target file', async () => {
  const refusal = { status: 400, json: { code: 'validation_error', message: 'no' } }
  const target = await serviceWith({
    'GET /availability': (query) =>
      query.get('domain')?.endsWith('.example') ? refusal : { json: { domain: query.get('domain'), available: false } },
    'GET /events': () => refusal,
  })
  const steps: Step[] = [{ id: 'before', events: { type: 'order.recorded' } }, OBSERVES]
  expect(await failuresOf(target, steps)).toEqual([{ requirement: 'EVT-01', status: 400 }])
})

it('a history that refuses a valid reading is shown by the refusal, and not by what was accepted between', async () => {
  const refusal = { status: 422, json: { code: 'validation_error', message: 'no' } }
  const target = await serviceWith({ 'GET /events': () => refusal })
  const steps: Step[] = [{ id: 'before', events: { type: 'order.recorded' } }, OBSERVES]
  expect(await failuresOf(target, steps)).toEqual([{ requirement: 'EVT-01', status: 422 }])
})

it('a history that has forgotten a cursor of an earlier reading is read from its beginning', async () => {
  const told = Array.from({ length: 3 }, (_, n) => ({ id: `evt_${n}`, type: 'order.recorded', data: { order: ORDER } }))
  let readings = 0
  const target = await serviceWith({
    'GET /events': (query) => {
      const after = query.get('after_id')
      // From the fourth reading on, the first events are gone, and so is the cursor behind them.
      const kept = ++readings > 3 ? told.slice(2) : told.slice(0, 2)
      const at = kept.findIndex(({ id }) => id === after)
      if (after !== null && at === -1) return { status: 410, json: { code: 'gone', message: 'no' } }
      const page = kept.slice(at + 1, at + 2)
      return { json: { events: page, next_cursor: page[0]?.id ?? after } }
    },
  })
  const steps: Step[] = [
    { id: 'first', call: { op: 'availability', query: { domain: 'a.test' } } },
    { id: 'told', events: { type: 'order.recorded', after: 'first' }, expect: { count: 1, shows: 'EVT-01' } },
  ]
  const { scenarios } = await judge(target, [scenario({ steps })])
  expect(scenarios[0]?.checks).toMatchObject([{ verdict: 'pass' }])
})

it('an order that the target recorded and does not have any more violates ORD-09', async () => {
  const target = await serviceWith({
    'GET /orders/ord_1': () => ({ status: 404, json: { code: 'not_found', message: 'no' } }),
  })
  expect(await violationsOf(target, POLLED)).toEqual(['read ORD-09 404 not_found: no'])
})

it('an order that is missing once and there again violates nothing', async () => {
  let looks = 0
  const target = await serviceWith({
    'GET /orders/ord_1': () =>
      ++looks === 1 ? { status: 404, json: { code: 'not_found', message: 'no' } } : { json: ORDER },
  })
  expect(await violationsOf(target, POLLED)).toEqual([])
})

it('a checkout address that leads nowhere by itself violates CHK-01', async () => {
  const target = await serviceWith({
    'POST /checkout-session': () => ({ status: 201, json: { checkout_url: '/checkout?pt=token' } }),
  })
  const steps: Step[] = [
    { id: 'session', call: { op: 'checkout.create' } },
    { id: 'page', page: { open: '${session.checkout.url}' } },
    OBSERVES,
  ]
  expect(await violationsOf(target, steps)).toEqual(['page CHK-01 checkout.url is "/checkout?pt=token"'])
})
