import { expect, it } from 'vitest'
import type { LoadedScenario, Step } from '../../src/conformance/format/scenario.ts'
import { judge, scenario } from '../support/referee.ts'
import { answerJson, scriptedTarget } from '../support/scripted-target.ts'

const CREDENTIALS = [{ name: 'main', key_id: 'pk_test_1', secret: 'sk_test_1', scopes: ['report'] }]
const SALES = [1000, 2000, 3000, 4000, 5000].map((cents) => ({ domain: `${cents}.test`, amount_cents: cents }))

type Reply = readonly [status: number, json: object, headers?: Record<string, string>]

const ALL_SALES: LoadedScenario = scenario({
  proves: ['RPT-02'],
  steps: [
    {
      id: 'all',
      call: { op: 'me.sales', all_pages: true },
      expect: [
        { items: 'sales.items', count: 5, shows: 'RPT-02' },
        { items: 'sales.items', distinct: 'sale.domain', count: 5, shows: 'RPT-02' },
      ],
    } as Step,
  ],
})

/** Pages of two sales, with numbers from the first on. */
function numbered(first: number, beside: (page: number) => object) {
  return (query: URLSearchParams): Reply => {
    const page = Number(query.get('page') ?? first)
    return [200, { sales: SALES.slice((page - first) * 2, (page - first) * 2 + 2), page, ...beside(page) }]
  }
}

/** The same with the numbers in headers, beside nothing but the sales. */
function inHeaders(query: URLSearchParams): Reply {
  const page = Number(query.get('page') ?? 1)
  return [200, SALES.slice(page * 2 - 2, page * 2), { 'x-total': '5', 'x-total-pages': '3', 'x-page': String(page) }]
}

/** A sale that comes before all others has come once a second page is asked for. */
function growing() {
  let isGrown = false
  return (query: URLSearchParams): Reply => {
    isGrown ||= query.has('page')
    const all = isGrown ? [{ domain: 'new.test', amount_cents: 10 }, ...SALES.slice(0, 4)] : SALES
    const page = Number(query.get('page') ?? 1)
    return [200, { sales: all.slice(page * 2 - 2, page * 2), page, total_pages: 3 }]
  }
}

/** The same, with the number of the next page beside that of its own. */
function growingWithNext() {
  const answer = growing()
  return (query: URLSearchParams): Reply => {
    const page = Number(query.get('page') ?? 1)
    return [200, { ...answer(query)[1], next_page: page < 3 ? page + 1 : null }]
  }
}

/** Addresses of pages by their number, and nothing else that counts them. */
function growingWithAddresses() {
  const answer = growing()
  return (query: URLSearchParams): Reply => {
    const page = Number(query.get('page') ?? 1)
    const { sales } = answer(query)[1] as { sales: object[] }
    return [200, { sales, next: page < 3 ? `http://target.test/api/partner/v1/me/sales?page=${page + 1}` : null }]
  }
}

/** Each page begins with the last sale of the page before. */
function overlapping(query: URLSearchParams): Reply {
  const page = Number(query.get('page') ?? 1)
  return [200, { sales: SALES.slice(page * 2 - 2 - (page > 1 ? 1 : 0), page * 2), page, total_pages: 3 }]
}

function withCursors(query: URLSearchParams): Reply {
  const from = Number(query.get('cursor') ?? 0)
  if (from % 2 === 1) return [400, { code: 'validation_error', message: 'no such cursor' }]
  const next = from + 2 < SALES.length ? String(from + 2) : null
  return [200, { sales: SALES.slice(from, from + 2), next_cursor: next, page: 1, pages: 3 }]
}

/** The cursor that was sent, too. */
function withOwnCursors(query: URLSearchParams): Reply {
  const cursor = query.get('cursor')
  const from = Number(cursor ?? 0)
  const next = from + 2 < SALES.length ? String(from + 2) : null
  return [200, { sales: SALES.slice(from, from + 2), page: { cursor, next_cursor: next } }]
}

/** Pages of two sales after so many. */
function afterSoMany(query: URLSearchParams): Reply {
  const offset = Number(query.get('offset') ?? 0)
  return [200, { sales: SALES.slice(offset, offset + 2), offset, limit: 2, total: SALES.length }]
}

const ROLES = { 'me.sales:sales.items': '/sales' }
const NAMED_CURSOR = { 'reports.cursor': 'cursor' }

it.each([
  ['counts them from 1', numbered(1, () => ({ total_pages: 3 })), {}, 'pass'],
  ['counts them from 0', numbered(0, () => ({ total_pages: 3 })), {}, 'pass'],
  ['says the number of the last one', numbered(0, () => ({ last_page: 2 })), {}, 'pass'],
  ['says how many rows there are', numbered(1, () => ({ per_page: 2, total: 5 })), {}, 'pass'],
  [
    'says what all sales come to beside a page that is not full',
    () => [200, { sales: SALES, page: 1, per_page: 50, total: 24_020 }] as const,
    {},
    'pass',
  ],
  ['counts the rows before them', afterSoMany, {}, 'not_run'],
  ['says all that in headers', inHeaders, {}, 'pass', ''],
  ['has a cursor in other lists', numbered(1, () => ({ total_pages: 3 })), NAMED_CURSOR, 'pass'],
  ['has a cursor beside them', withCursors, {}, 'pass'],
  ['has the cursor of each page beside that of the next one', withOwnCursors, {}, 'pass'],
  ['gets a row while it is read', growing(), {}, 'pass'],
  ['gets one and names the number of the next page', growingWithNext(), {}, 'pass'],
  ['gets one and has the address of the next page', growingWithAddresses(), {}, 'pass'],
  ['has sales on two pages for good', overlapping, {}, 'fail'],
  ['goes on behind the last one', numbered(1, () => ({ total_pages: 2, has_more: true })), {}, 'not_run'],
  ['ignores every name for them', () => numbered(1, () => ({ pages: 3 }))(new URLSearchParams()), {}, 'not_run'],
] as [string, (query: URLSearchParams) => Reply, Record<string, string>, string, string?][])(
  'of a list of numbered pages that %s',
  async (_, answer, params, verdict, at = '/sales') => {
    const target = await scriptedTarget(
      (request, response) => {
        const [status, json, headers] = answer(new URL(request.url ?? '/', 'http://target.test').searchParams)
        answerJson(response, status, json, headers)
      },
      { credentials: CREDENTIALS, dialect: { roles: { 'me.sales:sales.items': at }, params } },
    )
    const { scenarios } = await judge(target, [ALL_SALES])
    expect(scenarios[0]?.verdict).toBe(verdict)
  },
)

it('reads a list of many numbered pages in long ones, where the target gives such', async () => {
  const asked: string[] = []
  const all = Array.from({ length: 90 }, (_, n) => ({ domain: `${n}.test`, amount_cents: 100 + n }))
  const target = await scriptedTarget(
    (request, response) => {
      const query = new URL(request.url ?? '/', 'http://target.test').searchParams
      const [page, size] = [Number(query.get('page') ?? 1), Number(query.get('size') ?? 10)]
      asked.push(`${page} of ${size}`)
      const sales = all.slice((page - 1) * size, page * size)
      answerJson(response, 200, { sales, page, per_page: size, total_pages: Math.ceil(all.length / size) })
    },
    { credentials: CREDENTIALS, dialect: { roles: ROLES, params: { 'reports.limit': 'size' } } },
  )
  const step = {
    id: 'all',
    call: { op: 'me.sales', all_pages: true },
    expect: { items: 'sales.items', count: 90, shows: 'RPT-02' },
  } as Step
  const { scenarios } = await judge(target, [scenario({ proves: ['RPT-02'], steps: [step] })])
  expect(scenarios[0]?.checks[0]).toMatchObject({ verdict: 'pass' })
  expect(asked.filter((page) => page.endsWith(' of 10')).length).toBeLessThan(4)
})
