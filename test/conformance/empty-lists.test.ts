import { expect, it } from 'vitest'
import { stopFor } from '../../src/conformance/engine/run-scenario.ts'
import { Open } from '../../src/conformance/result/open.ts'
import { judge, scenario } from '../support/referee.ts'
import { answerJson, scriptedTarget } from '../support/scripted-target.ts'

/** The check that a list has no entries, whose place the target file names. */
async function emptyCheck(
  op: 'domains.search' | 'events.list' | 'brokerage.list',
  items: string,
  body: Record<string, unknown>,
  { at = '/rows', all_pages }: { at?: string; all_pages?: true } = {},
) {
  const target = await scriptedTarget((_, response) => answerJson(response, 200, body), {
    credentials: [{ name: 'main', key_id: 'pk_test_1', secret: 'sk_test_1', scopes: ['search', 'webhook', 'report'] }],
    dialect: { roles: { [items]: at } },
  })
  const query = op === 'domains.search' ? { q: 'nothing' } : {}
  const { scenarios } = await judge(target, [
    scenario({
      proves: ['INV-05'],
      steps: [
        {
          id: 'all',
          call: { op, query, ...(all_pages && { all_pages }) },
          expect: { items, count: 0, shows: 'INV-05' },
        },
      ],
    }),
  ])
  return scenarios.flatMap(({ checks }) => checks)[0]
}

it('a list whose form the document leaves open may be null where it is empty', async () => {
  expect(await emptyCheck('domains.search', 'search.items', { rows: null })).toMatchObject({ verdict: 'pass' })
})

it('a list that is not where the target file says fails', async () => {
  expect(await emptyCheck('domains.search', 'search.items', { hits: [] })).toMatchObject({ verdict: 'fail' })
})

it('a page of HAL embeds nothing where its list is empty', async () => {
  const page = { _links: { self: { href: '/domains/search' } }, page: { size: 5, totalElements: 0 } }
  expect(await emptyCheck('domains.search', 'search.items', page)).toMatchObject({ verdict: 'pass' })
  expect(await emptyCheck('domains.search', 'search.items', { ...page, hits: [] })).toMatchObject({ verdict: 'fail' })
  const keyed = { ...page, hits: { a: { name: 'a.example' } } }
  expect(await emptyCheck('domains.search', 'search.items', keyed)).toMatchObject({ verdict: 'fail' })
  expect(await emptyCheck('events.list', 'events.items', page)).toMatchObject({ verdict: 'fail' })
  const wholeList = { at: '/_embedded/cases', all_pages: true } as const
  expect(await emptyCheck('brokerage.list', 'cases.items', page, wholeList)).toMatchObject({ verdict: 'pass' })
})

it('the history is a list, as the document says, and never null', async () => {
  expect(await emptyCheck('events.list', 'events.items', { rows: null })).toMatchObject({ verdict: 'fail' })
})

it('what a scenario cannot read before its first step leaves it unproven, and is no fault of the runner', () => {
  const lacking = Open.lacking('orders.items', 'the target file places orders.items at /orders')
  expect(stopFor('orders/read-twice', lacking, undefined)).toMatchObject({ verdict: 'inconclusive' })
})
