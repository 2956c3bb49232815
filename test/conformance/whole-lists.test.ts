import { describe, expect, it, onTestFinished } from 'vitest'
import type { CheckResult } from '../../src/conformance/result.ts'
import type { Expectation } from '../../src/conformance/scenario.ts'
import { type ShopOptions, startShop } from '../support/fake-shop.ts'
import { judge, scenario, targetOf } from '../support/referee.ts'

const RUNNING: Expectation = {
  items: 'ledger.items',
  running: { of: 'ledger.amount', is: 'ledger.balance', by: 'ledger.kind' },
  shows: 'RPT-03',
}

async function checkOf(
  options: ShopOptions,
  expectation: Expectation,
  allPages = true,
): Promise<CheckResult | undefined> {
  const shop = await startShop(options)
  onTestFinished(() => shop.close())
  const credential = { name: 'main', key_id: shop.keyId, secret: shop.secret, scopes: ['report'] }
  const { scenarios } = await judge(targetOf(shop, { credentials: [credential] }), [
    scenario({
      proves: ['RPT-03'],
      steps: [{ id: 'ledger', call: { op: 'me.commissions', all_pages: allPages }, expect: expectation }],
    }),
  ])
  return scenarios[0]?.checks[0]
}

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
      actual: 'ledger.items: line 4 of 5 has 300 and the balance 601',
    })
  })
})
