import { expect, it } from 'vitest'
import type { LoadedScenario } from '../../src/conformance/format/scenario.ts'
import { judge, scenario } from '../support/referee.ts'
import { answerJson, scriptedTarget } from '../support/scripted-target.ts'

const ROOT = '/api/partner/v1'
const SELLABLE = ['only.example', 'other.example']

/** A target that lists two domains; what is asked for in the detail is not found. */
function smallInventory(fixtures: Record<string, unknown>) {
  return scriptedTarget(
    (request, response) => {
      const { pathname } = new URL(request.url ?? '/', 'http://target.test')
      const path = pathname.replace(ROOT, '')
      if (path === '/availability') return answerJson(response, 200, { available: true, price_cents: 1000 })
      if (path === '/pricing') return answerJson(response, 200, { price_cents: 1000, floor_cents: 900 })
      if (path === '/domains/search')
        return answerJson(response, 200, { domains: SELLABLE.map((domain) => ({ domain })) })
      answerJson(response, 404, { code: 'not_found', message: 'no' })
    },
    { fixtures },
  )
}

function reading(id: string, domains: number): LoadedScenario {
  const call = { op: 'domains.detail', path: { name: 'never-listed.example' } } as const
  const loaded = scenario({
    proves: ['INV-06'],
    needs: [`fixture.sellable(${domains})`],
    steps: [{ id: 'detail', call, expect: { refused: 'not_found', shows: 'INV-06' } }],
  } as Partial<LoadedScenario['scenario']> & Pick<LoadedScenario['scenario'], 'steps'>)
  return { ...loaded, id }
}

// A read of a listed domain, which shows that the operation works, keeps one for itself.
it('scenarios that run beside each other share a few domains, one after the other', async () => {
  const target = await smallInventory({ sellable: SELLABLE })
  const scenarios = Array.from({ length: 6 }, (_, index) => reading(`test/${index}`, 1))
  const { scenarios: results } = await judge(target, scenarios, { concurrency: 6 })
  expect(results.map(({ id }) => id).sort()).toEqual(scenarios.map(({ id }) => id))
  expect(results.flatMap(({ checks }) => checks.map(({ reason }) => reason ?? null))).not.toContain('needs-fixture')
})

it('a scenario that needs more domains than there are says why those that are listed do not count', async () => {
  const target = await smallInventory({ topic: { query: 'word', finds: SELLABLE } })
  const { scenarios: results } = await judge(target, [reading('test/many', 1)])
  const [check] = results.flatMap(({ checks }) => checks)
  expect(check).toMatchObject({ verdict: 'not_run', reason: 'needs-fixture' })
  expect(check?.note).toContain('bought only if sellable names it too')
})

it('a scenario that ended before its page could sell the domain gives it back', async () => {
  const target = await smallInventory({ sellable: ['only.example'], listed: ['other.example'] })
  const path = { name: '${sellable.domain}' }
  const ending = scenario({
    proves: [],
    steps: [
      { id: 'detail', call: { op: 'domains.detail', path }, expect: { accepted: true } },
      { id: 'bought', page: { open: '${detail.listing.domain}' } },
    ],
  })
  const { scenarios: results } = await judge(target, [{ ...ending, id: 'test/a' }, reading('test/b', 1)], {
    concurrency: 1,
  })
  const checks = results.filter(({ id }) => id === 'test/b').flatMap(({ checks }) => checks)
  expect(checks.map(({ reason }) => reason)).not.toContain('needs-fixture')
})

it('words in the names of earlier orders are searched for, where the usual words find nothing', async () => {
  const sold = {
    public_id: 'ord_1',
    domain: 'gipfel-tal.example',
    status: 'SETTLED',
    sale_price_cents: 1,
    currency: 'CHF',
  }
  const target = await scriptedTarget((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://target.test')
    const path = pathname.replace(ROOT, '')
    const names =
      searchParams.get('q') === 'gipfel' ? ['gipfel-see.example', 'gipfel-hof.example', 'gipfel-tor.example'] : []
    if (path === '/domains/search') answerJson(response, 200, { domains: names.map((domain) => ({ domain })) })
    else if (path === '/orders') answerJson(response, 200, { orders: [sold] })
    else if (path === '/availability') answerJson(response, 200, { available: true, price_cents: 1000 })
    else if (path === '/pricing') answerJson(response, 200, { price_cents: 1000, floor_cents: 900 })
    else if (path.startsWith('/domains/gipfel-')) answerJson(response, 200, { domain: path.slice(9) })
    else answerJson(response, 404, { code: 'not_found', message: 'no' })
  })
  const { scenarios } = await judge(target, [reading('test/one', 1)])
  expect(scenarios[0]?.checks.map(({ verdict }) => verdict)).toEqual(['pass'])
})
