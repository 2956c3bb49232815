import { expect, it, onTestFinished } from 'vitest'
import { ownTarget } from '../../src/proof/self-test/own-target.ts'
import { startServer } from '../../src/server.ts'
import { judge, scenario } from '../support/referee.ts'

const BUY_ONE = scenario({
  proves: ['ORD-01'],
  needs: ['scope.buy', 'fixture.sellable'],
  effects: { orders: 1 },
  steps: [{ call: { op: 'orders.create' }, expect: { accepted: true, shows: 'ORD-01' } }],
})

/** What a run buys in a world of the same seed, where nobody can make domains for it. */
async function bought(listed: string[]): Promise<string[]> {
  const server = await startServer({ port: 0, operatorPort: 0, rateLimit: null })
  onTestFinished(() => server.close())
  const own = ownTarget(server)
  const target = { ...own, operator: null, fixtures: { ...own.fixtures, listed } }
  const { exchanges } = await judge(target, [BUY_ONE], { transcript: 'all' })
  return exchanges.flatMap(({ method, target: path, status, requestBody: body }) =>
    method === 'POST' && path.endsWith('/orders') && status === 201 ? (/"domain":"([^"]+)"/.exec(body)?.[1] ?? []) : [],
  )
}

it('what a target file names as only looked at is not bought, although a search finds it first', async () => {
  const found = await bought([])
  expect(found.length).toBeGreaterThan(0)
  const others = await bought(found)
  expect(others.length).toBeGreaterThan(0)
  expect(found.filter((domain) => others.includes(domain))).toEqual([])
})
