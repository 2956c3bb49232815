import { expect, it } from 'vitest'
import type { Step } from '../../src/conformance/format/scenario.ts'
import { judge, scenario } from '../support/referee.ts'
import { type Answering, answerJson, scriptedTarget } from '../support/scripted-target.ts'

const ROOT = '/api/partner/v1'

const orderOf = (number: number, domain: string) => ({
  public_id: `ord_${number}`,
  domain,
  status: 'EXTERNALLY_PAID',
  sale_price_cents: 1000,
  currency: 'USD',
})

/** A target that sells a name as often as somebody pays, and lists the oldest order first. */
function sellingAgain(): Answering {
  const orders = ['a.test', 'b.test', 'c.test'].map((domain, at) => orderOf(at + 1, domain))
  return (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://target.test')
    const domain = searchParams.get('domain')
    const answers: Record<string, () => unknown> = {
      'GET /availability': () => ({ domain, available: true, price_cents: 1000 }),
      'GET /pricing': () => ({ price_cents: 1000, currency: 'USD' }),
      'GET /orders': () => ({
        orders: orders.filter((order) => order.domain === (domain ?? order.domain)),
        next_cursor: null,
      }),
      'GET /events': () => ({ events: [], next_cursor: null }),
    }
    const known = answers[`${request.method} ${pathname.replace(ROOT, '')}`]
    if (known) return answerJson(response, 200, known())
    if (request.method !== 'POST') return answerJson(response, 404, { code: 'not_found', message: 'no' })
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      orders.push(orderOf(orders.length + 1, JSON.parse(Buffer.concat(pieces).toString()).domain))
      answerJson(response, 201, orders.at(-1))
    })
  }
}

/** Sells one of the scenario's domains and finds the sale by its name. */
const soldAndFound = (at: number): Step[] => [
  { id: `made_${at}`, call: { op: 'orders.create', body: { set: { domain: `\${sellable[${at}].domain}` } } } },
  {
    id: `found_${at}`,
    call: { op: 'orders.list', query: { domain: `\${sellable[${at}].domain}` }, all_pages: true },
    expect: [
      { items: 'orders.items', includes: { 'order.domain': `\${sellable[${at}].domain}` } },
      {
        judge: { equal: [`\${found_${at}.found.order.public_id}`, `\${made_${at}.order.public_id}`] },
        says: 'what is found is what this scenario sold',
        shows: 'ORD-07',
      },
    ],
  },
]

it('each sale of a scenario is told from an older one of the same name, wherever lists begin', async () => {
  const target = await scriptedTarget(sellingAgain(), {
    fixtures: { sellable: ['a.test', 'b.test', 'c.test'] },
    dialect: { params: { 'orders.domain': 'domain' } },
  })
  const steps = [...soldAndFound(0), ...soldAndFound(1)]
  const selling = scenario({ proves: ['ORD-07'], needs: ['fixture.sellable(2)'], effects: { orders: 2 }, steps })
  const { scenarios } = await judge(target, [selling])
  expect(scenarios[0]?.checks.map(({ verdict, actual }) => [verdict, actual])).toEqual([
    ['pass', expect.any(String)],
    ['pass', expect.any(String)],
  ])
})

it('one failure of a list decides nothing for the scenarios after the one that met it', async () => {
  const answers = sellingAgain()
  let lists = 0
  const target = await scriptedTarget(
    (request, response, ordinal) => {
      const isList = request.method === 'GET' && request.url?.includes(`${ROOT}/orders?`)
      if (isList && ++lists === 1) return answerJson(response, 500, { code: 'internal_error', message: 'try again' })
      return answers(request, response, ordinal)
    },
    { fixtures: { sellable: ['a.test', 'b.test', 'c.test'] }, dialect: { params: { 'orders.domain': 'domain' } } },
  )
  const selling = scenario({
    proves: ['ORD-07'],
    needs: ['fixture.sellable'],
    effects: { orders: 1 },
    steps: soldAndFound(0).map((step) => JSON.parse(JSON.stringify(step).replaceAll('sellable[0]', 'sellable'))),
  })
  const both = ['test/first', 'test/second'].map((id) => ({ ...selling, id }))
  const { scenarios } = await judge(target, both, { concurrency: 1 })
  expect(scenarios.at(-1)?.checks.map(({ verdict }) => verdict)).toEqual(['pass'])
})
