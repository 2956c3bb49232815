import { expect, it } from 'vitest'
import { loadScenarios } from '../../src/conformance/format/load-scenarios.ts'
import { judge, registry } from '../support/referee.ts'
import { answerJson, scriptedTarget } from '../support/scripted-target.ts'

const { scenarios } = loadScenarios('scenarios/inventory/search-by-topic.yaml', registry)

/** The verdict about a search whose best five are these, where more domains are about the topic. */
async function verdictOf(found: readonly string[], finds: readonly string[]) {
  const target = await scriptedTarget(
    (_, response) => answerJson(response, 200, { domains: found.map((domain) => ({ domain })) }),
    {
      fixtures: { topic: { query: 'nature', finds } },
      dialect: { roles: { 'search.items': '/domains', 'search.domain': '/domain' } },
    },
  )
  const result = await judge(target, scenarios)
  return result.scenarios.flatMap(({ checks }) => checks).map(({ verdict, expected }) => ({ verdict, expected }))
}

const BEST = ['a.example', 'b.example', 'c.example', 'd.example', 'e.example']

it('a topic of more domains than a search shows may find others of them', async () => {
  expect(await verdictOf(BEST, ['f.example', 'e.example'])).toMatchObject([{ verdict: 'pass' }])
})

it('a search that finds none of them fails, and the check says what the target file has to name', async () => {
  const [check] = await verdictOf(BEST, ['f.example'])
  expect(check).toMatchObject({ verdict: 'fail', expected: expect.stringContaining('has to name them all') })
})
