import { expect, it } from 'vitest'
import { wordPairs } from '../../src/conformance/context/name-parts.ts'
import { judge, scenario } from '../support/referee.ts'
import { answerJson, scriptedTarget } from '../support/scripted-target.ts'

const FIRST = 'amber brisk cedar dapper ember fable gentle humble ivory jolly keen lively mellow noble opal'.split(' ')
const SECOND =
  'harbor orchard lantern bakery saddle canvas violin summit ledger clinic timber rocket puzzle garden anchor'.split(
    ' ',
  )
const NAMES = SECOND.flatMap((_, shift) => FIRST.map((first, n) => `${first}${SECOND[(n + shift) % SECOND.length]}`))

/** The five names that have most of the words. */
function best(query: string): string[] {
  const words = query.split(' ')
  const points = (name: string) => words.filter((word) => name.startsWith(word) || name.endsWith(word)).length
  return NAMES.filter((name) => points(name) > 0)
    .sort((a, b) => points(b) - points(a))
    .slice(0, 5)
}

// No word alone shows more than five of its fifteen names, and a sold name stays for sale.
it.each([
  ['', Number.POSITIVE_INFINITY],
  [', although each fifth search is answered 500', 5],
])('domains are found that no single word shows%s', async (_, failing) => {
  let searches = 0
  const target = await scriptedTarget((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://target.test')
    if (pathname.endsWith('/availability')) return answerJson(response, 200, { available: true, price_cents: 1000 })
    if (pathname.endsWith('/pricing')) return answerJson(response, 200, { price_cents: 1000, floor_cents: 900 })
    if (pathname.endsWith('/domains/search')) {
      searches += 1
      if (searches % failing === 0) return answerJson(response, 500, { code: 'internal_error', message: 'try again' })
      const domains = best(searchParams.get('q') ?? '').map((name) => ({ domain: `${name}.example` }))
      return answerJson(response, 200, { domains })
    }
    answerJson(response, 404, { code: 'not_found', message: 'no' })
  })
  const call = { op: 'domains.detail', path: { name: 'never-listed.example' } } as const
  const steps = [{ id: 'detail', call, expect: { refused: 'not_found', shows: 'INV-06' } } as const]
  const needs = [`fixture.sellable(${NAMES.length - 10})`] as const
  const { scenarios } = await judge(target, [scenario({ proves: ['INV-06'], needs: [...needs], steps })])
  expect(scenarios.flatMap(({ checks }) => checks.map(({ reason }) => reason ?? null))).not.toContain('needs-fixture')
})

it('pairs of words begin with those that are no name yet', () => {
  const pairs = wordPairs(['sunwatt', 'sun-boat', 'moonwatt', 'moonboat', 'starwatt', 'stardial', 'sundial'])
  expect(pairs[0]).toBe('moon dial')
  expect(pairs).toHaveLength(9)
})
