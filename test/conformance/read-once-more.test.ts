import { expect, it } from 'vitest'
import type { LoadedScenario, Step } from '../../src/conformance/format/scenario.ts'
import { judge, scenario } from '../support/referee.ts'
import { answerJson, scriptedTarget } from '../support/scripted-target.ts'

const CREDENTIALS = {
  credentials: [{ name: 'main', key_id: 'pk_test_1', secret: 'sk_test_1', scopes: ['report', 'refer'] }],
}
const SALES = [{ domain: 'a.example', amount_cents: 1000 }]

/** A target whose sales are listed once a link has been made. */
async function verdictsOf(...scenarios: LoadedScenario[]) {
  let hasSold = false
  const target = await scriptedTarget((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://target.test')
    if (request.method === 'POST') hasSold = true
    if (pathname.endsWith('/me/sales')) {
      const isLate = (searchParams.get('since') ?? '') > '2026'
      return answerJson(response, 200, { sales: hasSold && !isLate ? SALES : [] })
    }
    answerJson(response, 200, { id: 'lnk_1', kind: 'generic', url: 'https://go.example/lnk_1' })
  }, CREDENTIALS)
  const { scenarios: results } = await judge(target, scenarios, { concurrency: 1 })
  return Object.fromEntries(
    results.map(({ id, checks }) => [id, checks.map(({ verdict, reason }) => reason ?? verdict)]),
  )
}

const WINDOW = {
  call: { op: 'me.sales', query: { from: '2030-01-01T00:00:00Z' } },
  expect: { items: 'sales.items', count: { equals: 0 }, shows: 'RPT-02' },
} as const
const MADE = { call: { op: 'links.create' }, expect: { accepted: true, shows: 'LINK-01' } } as const

const reading: LoadedScenario = { ...scenario({ proves: ['RPT-02'], steps: [WINDOW] }), id: 'test/a-reads' }
const writing: LoadedScenario = { ...scenario({ proves: ['LINK-01'], steps: [MADE] }), id: 'test/b-writes' }

it('what only reads, and lacked a name, is judged when the others have run', async () => {
  expect(await verdictsOf(reading, writing)).toEqual({ 'test/a-reads': ['pass'], 'test/b-writes': ['pass'] })
})

it('what also writes is carried out once', async () => {
  const both = { ...scenario({ proves: ['RPT-02', 'LINK-01'], steps: [WINDOW, MADE] }), id: 'test/a-reads' }
  expect(await verdictsOf(both)).toMatchObject({ 'test/a-reads': ['needs-dialect', 'needs-dialect'] })
})

const MAY_REFER = {
  credentials: [{ name: 'main', key_id: 'pk_test_1', secret: 'sk_test_1', scopes: ['search', 'buy', 'refer'] }],
}

it('what was just made is read again where it is not there yet, also if nothing is expected of that step', async () => {
  let reads = 0
  const target = await scriptedTarget((request, response) => {
    if (!request.url?.endsWith('/orders/ord_1')) return answerJson(response, 200, { made: 'ord_1' })
    reads += 1
    if (reads < 3) answerJson(response, 404, { code: 'not_found', message: 'no such order' })
    else answerJson(response, 200, { public_id: 'ord_1', domain: 'a.example', status: 'SETTLED' })
  }, MAY_REFER)
  const steps: Step[] = [
    { call: { op: 'links.create' } },
    { id: 'once', call: { op: 'orders.detail', path: { public_id: 'ord_1' } } },
    {
      call: { op: 'orders.detail', path: { public_id: 'ord_1' } },
      expect: { roles: { 'order.status': '${once.order.status}' }, shows: 'ORD-01' },
    },
  ]
  const { scenarios } = await judge(target, [scenario({ proves: ['ORD-01'], steps })])
  expect([scenarios[0]?.checks.map(({ verdict }) => verdict), reads]).toEqual([['pass'], 4])
})

it.each([
  ['late', 'pass'],
  ['never right', 'fail'],
])('of two reports that have to agree, the first of which is %s, the verdict is %s', async (_, verdict) => {
  let reads = 0
  const target = await scriptedTarget((request, response) => {
    if (request.url?.includes('/analytics')) return answerJson(response, 200, { clicks: 3, sales: 0 })
    if (!request.url?.includes('/me/clicks'))
      return answerJson(response, 200, { id: 'lnk_1', url: 'https://go.example/1' })
    reads += 1
    answerJson(response, 200, { clicks: [], total: verdict === 'pass' && reads > 1 ? 3 : 2 })
  }, CREDENTIALS)
  const steps: Step[] = [
    { call: { op: 'links.create' } },
    { id: 'clicks', call: { op: 'me.clicks' } },
    {
      call: { op: 'analytics' },
      expect: { roles: { 'body.clicks': '${clicks.body.total}' }, says: 'the funnel agrees', shows: 'RPT-05' },
    },
  ]
  const { scenarios } = await judge(target, [scenario({ proves: ['RPT-05'], steps })])
  expect(scenarios[0]?.checks.map((check) => check.verdict)).toEqual([verdict])
})
