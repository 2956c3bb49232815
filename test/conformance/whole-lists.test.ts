import { describe, expect, it, onTestFinished } from 'vitest'
import type { Expectation } from '../../src/conformance/format/expectations/expectation.ts'
import type { Step } from '../../src/conformance/format/scenario.ts'
import { SHOP_DIALECT, type ShopOptions, startShop } from '../support/fake-shop.ts'
import { judge, scenario, targetOf } from '../support/referee.ts'
import { answerJson, scriptedTarget } from '../support/scripted-target.ts'

const RUNNING: Expectation = {
  items: 'ledger.items',
  judge: 'running_balance' as const,
  shows: 'RPT-03',
}

const LEDGER = { op: 'me.commissions', all_pages: true } as const

/** The first check of these steps at a shop with a ledger. */
async function firstOf(
  options: ShopOptions,
  steps: Step[],
  operator?: (url: string) => object,
  roles: Record<string, string> = SHOP_DIALECT.roles,
) {
  const shop = await startShop(options)
  onTestFinished(() => shop.close())
  const credentials = [{ name: 'main', key_id: shop.keyId, secret: shop.secret, scopes: ['report'] }]
  const more = { credentials, dialect: { roles }, ...(operator && { operator: operator(shop.url) }) }
  const { scenarios } = await judge(targetOf(shop, more), [scenario({ proves: ['RPT-03'], steps })])
  return scenarios[0]?.checks[0]
}

const checkOf = (
  options: ShopOptions,
  expectation: Expectation,
  allPages = true,
  roles: Record<string, string> = SHOP_DIALECT.roles,
) =>
  firstOf(options, [{ id: 'ledger', call: { ...LEDGER, all_pages: allPages }, expect: expectation }], undefined, roles)

describe('a list that is read to its end', () => {
  it.each(['cursor', 'after', 'page[cursor]'])(
    'is one list, whatever its cursor is called (%s)',
    async (cursorName) => {
      const all: Expectation = {
        items: 'ledger.items',
        count: 5,
        sums: { of: 'ledger.amount', to: '${ledger.ledger.total}' },
        shows: 'RPT-03',
      }
      expect(await checkOf({ cursorName }, all)).toMatchObject({ verdict: 'pass' })
      expect(await checkOf({ cursorName }, { ...all, count: 2 }, false)).toMatchObject({ verdict: 'fail' })
    },
  )

  it('that says it goes on, and not how, proves nothing until the target file names the place of the next page', async () => {
    const options: ShopOptions = { nextPageKey: 'startAfter' }
    const last: Expectation = { items: 'ledger.items', includes: { 'ledger.amount': -100 }, shows: 'RPT-03' }
    expect(await checkOf(options, last)).toMatchObject({
      verdict: 'not_run',
      reason: 'needs-dialect',
      note: expect.stringMatching(/^the list of me.commissions goes on \(\/paging\/hasMore is true\), .* list\.next/),
    })
    const told = { ...SHOP_DIALECT.roles, 'list.next': '/paging/startAfter' }
    expect(await checkOf(options, last, true, told)).toMatchObject({ verdict: 'pass' })
  })

  it('that has what may lead on, and no flag, proves nothing either', async () => {
    const last: Expectation = { items: 'ledger.items', includes: { 'ledger.amount': -100 }, shows: 'RPT-03' }
    expect(await checkOf({ nextPageKey: 'resumeAt', hasFlagOfMore: false }, last)).toMatchObject({
      verdict: 'not_run',
      reason: 'needs-dialect',
      note: expect.stringMatching(/^the list of me.commissions may go on \(\/paging\/resumeAt may lead /),
    })
  })

  it('has a length that a later step can name', async () => {
    const steps = (allPages: boolean): Step[] => [
      { id: 'before', call: LEDGER },
      {
        id: 'after',
        call: { ...LEDGER, all_pages: allPages },
        expect: { items: 'ledger.items', count: '${before.ledger.items.length}', shows: 'RPT-03' },
      },
    ]
    expect(await firstOf({}, steps(true))).toMatchObject({ verdict: 'pass' })
    expect(await firstOf({}, steps(false))).toMatchObject({ verdict: 'fail' })
  })

  it('has kinds in the words of the document, however they are spelt', async () => {
    const kinds = { 'ledger.kind': { one_of: ['accrued', 'paid_out', 'reversed'] } }
    expect(await checkOf({}, { items: 'ledger.items', every: kinds, shows: 'RPT-03' })).toMatchObject({
      verdict: 'pass',
    })
  })
})

describe('a running balance', () => {
  it.each(['oldest-first', 'newest-first', 'unsigned'] as const)('holds %s', async (ledger) => {
    expect(await checkOf({ ledger }, RUNNING)).toMatchObject({ verdict: 'pass' })
  })

  it('fails by a cent on one line', async () => {
    expect(await checkOf({ ledger: 'wrong' }, RUNNING)).toMatchObject({
      verdict: 'fail',
      actual: 'ledger.items: line 4 of 5 has 300 and the balance 601, behind a balance of 300',
    })
  })
})

/** What becomes of a second look at the ledger, which may speak of the first. */
const secondLook = (first: Expectation, second: Expectation, query?: Record<string, number>) =>
  firstOf({}, [
    { id: 'before', call: LEDGER, expect: first },
    { id: 'after', call: { ...LEDGER, ...(query && { query }) }, expect: second },
  ])

describe('what an earlier list had', () => {
  const PAID: Expectation = { items: 'ledger.items', includes: { 'ledger.kind': 'paid_out' } }

  it('is summed up over all its pages', async () => {
    const sums = { of: 'ledger.amount', to: '${before.sum.ledger.amount}' }
    const check = { items: 'ledger.items', sums, shows: 'RPT-03' }
    expect(await secondLook(PAID, check)).toMatchObject({ verdict: 'pass' })
    const more = { ...check, sums: { ...sums, to: '${before.sum.ledger.amount + 1}' } }
    expect(await secondLook(PAID, more)).toMatchObject({ verdict: 'fail' })
  })

  it('is found by what the step expected to be included', async () => {
    const includes = { 'ledger.kind': 'paid_out', 'ledger.balance': '${before.found.ledger.balance}' }
    expect(await secondLook(PAID, { items: 'ledger.items', includes, shows: 'RPT-03' })).toMatchObject({
      verdict: 'pass',
    })
    const wrong = { 'ledger.kind': 'paid_out', 'ledger.balance': '${before.found.ledger.balance + 1}' }
    expect(await secondLook(PAID, { items: 'ledger.items', includes: wrong, shows: 'RPT-03' })).toMatchObject({
      verdict: 'fail',
    })
  })

  it('is read without a parameter that the target does not have, where the scenario can do without', async () => {
    const check: Expectation = { items: 'ledger.items', count: { at_least: 1 }, shows: 'RPT-03' }
    expect(await secondLook(PAID, check, { 'limit?': 1 })).toMatchObject({ verdict: 'pass' })
    expect(await secondLook(PAID, check, { limit: 1 })).toMatchObject({ verdict: 'not_run', reason: 'needs-dialect' })
  })
})

it('a length of pages that is only wished for is left out where the target refuses it', async () => {
  const sales = [1000, 2000].map((cents) => ({ domain: `${cents}.test`, amount_cents: cents }))
  const credentials = [{ name: 'main', key_id: 'pk_test_1', secret: 'sk_test_1', scopes: ['report'] }]
  const target = await scriptedTarget(
    (request, response) => {
      const limit = new URL(request.url ?? '/', 'http://target.test').searchParams.get('limit')
      if (Number(limit) > 50) answerJson(response, 400, { code: 'validation_error', message: 'limit: at most 50' })
      else answerJson(response, 200, { sales: sales.slice(0, Number(limit ?? 50)) })
    },
    { credentials },
  )
  const checkWith = async (query: Record<string, number>) => {
    const expect: Expectation = { items: 'sales.items', count: 2, shows: 'RPT-02' }
    const steps: Step[] = [{ id: 'all', call: { op: 'me.sales', query, all_pages: true }, expect }]
    const { scenarios } = await judge(target, [scenario({ proves: ['RPT-02'], steps })])
    return scenarios[0]?.checks[0]?.verdict
  }
  expect([await checkWith({ 'limit?': 100 }), await checkWith({ limit: 100 })]).toEqual(['pass', 'inconclusive'])
})

it.each([
  [1_000, 8, true],
  [50, 21, true],
  // The runner finds the name by itself: it reads the list, and one row of it.
  [1_000, 10, false],
])(
  'a list that goes on for long is read again in long pages, where they may have %i rows',
  async (most, calls, isTold) => {
    const sales = Array.from({ length: 200 }, (_, i) => ({ domain: `${i}.test`, amount_cents: i }))
    let reads = 0
    const target = await scriptedTarget(
      (request, response) => {
        const { pathname, searchParams } = new URL(request.url ?? '/', 'http://target.test')
        const limit = Number(searchParams.get('limit') ?? 10)
        const from = Number(searchParams.get('page') ?? 0) * limit
        if (pathname.endsWith('/me/sales')) reads += 1
        if (limit > most) return answerJson(response, 400, { code: 'validation_error', message: 'limit: at most 50' })
        const next = from + limit < sales.length ? from / limit + 1 : null
        return answerJson(response, 200, { sales: sales.slice(from, from + limit), next_page: next })
      },
      {
        credentials: [{ name: 'main', key_id: 'pk_test_1', secret: 'sk_test_1', scopes: ['report'] }],
        dialect: {
          roles: { 'sales.items': '/sales' },
          params: { 'reports.cursor': 'page', ...(isTold && { 'reports.limit': 'limit' }) },
        },
      },
    )
    const expect200: Expectation = { items: 'sales.items', count: 200, shows: 'RPT-02' }
    const steps: Step[] = [{ id: 'all', call: { op: 'me.sales', all_pages: true }, expect: expect200 }]
    const { scenarios } = await judge(target, [scenario({ proves: ['RPT-02'], steps })])
    expect([scenarios[0]?.checks[0]?.verdict, reads]).toEqual(['pass', calls])
  },
)

describe('an operator action that may be done without', () => {
  const refused = (url: string) => ({ actions: { hold: { request: `POST ${url}/nothing/of/the/kind`, json: {} } } })

  it.each([
    ['go_on', 'pass'],
    ['not_run', 'inconclusive'],
  ] as const)('that is refused, with else: [%s], makes the next check %s', async (rung, verdict) => {
    const steps: Step[] = [
      { operator: { hold: 'ord_1' }, else: [rung] },
      { id: 'ledger', call: LEDGER, expect: RUNNING },
    ]
    expect(await firstOf({}, steps, refused)).toMatchObject({ verdict })
  })
})
