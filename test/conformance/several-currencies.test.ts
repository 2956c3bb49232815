import { expect, it } from 'vitest'
import { findRole } from '../../src/conformance/dialect/find-role.ts'
import { judge, scenario } from '../support/referee.ts'
import { answerJson, scriptedTarget } from '../support/scripted-target.ts'

const SALES = [
  { amount: '10.00', currency: 'EUR' },
  { amount: '20.00', currency: 'USD' },
  { amount: '5.00', currency: 'EUR' },
]

/** The check that the sales add up to a total, which the target file places there. */
async function sumCheck(body: Record<string, unknown>, at: string) {
  const target = await scriptedTarget((_, response) => answerJson(response, 200, body), {
    credentials: [{ name: 'main', key_id: 'pk_test_1', secret: 'sk_test_1', scopes: ['report'] }],
    dialect: {
      roles: {
        'transactions.items': '/data',
        'transaction.amount': { at: '/amount', unit: 'units' },
        'transactions.gmv': { at, unit: 'units' },
      },
    },
  })
  const { scenarios } = await judge(target, [
    scenario({
      proves: ['TXN-01'],
      steps: [
        {
          id: 'all',
          call: { op: 'transactions.list' },
          expect: {
            items: 'transactions.items',
            sums: { of: 'transaction.amount', to: '${all.transactions.gmv}' },
            shows: 'TXN-01',
          },
        },
      ],
    }),
  ])
  return scenarios.flatMap(({ checks }) => checks)[0]
}

it('a total of one of several currencies is right if it is the sum of its items', async () => {
  expect(await sumCheck({ data: SALES, gmv: '15.00' }, '/gmv')).toMatchObject({ verdict: 'pass' })
})

it('a total of several currencies that the runner cannot add up is not wrong', async () => {
  expect(await sumCheck({ data: SALES, gmv: '33.10' }, '/gmv')).toMatchObject({
    verdict: 'inconclusive',
    actual: '3 transactions.items add up to 1500 EUR, 2000 USD; the total is 3310',
  })
})

it('a total of items in one currency is wrong if it is not their sum', async () => {
  const data = SALES.filter(({ currency }) => currency === 'EUR')
  expect(await sumCheck({ data, gmv: '16.00' }, '/gmv')).toMatchObject({ verdict: 'fail' })
})

it('a total in one entry of a list may be that of another currency', async () => {
  const totals = [{ gmv: '16.00', currency: 'EUR' }]
  const data = SALES.map(({ amount }) => ({ amount }))
  expect(await sumCheck({ data, totals }, '/totals/0/gmv')).toMatchObject({
    verdict: 'inconclusive',
    note: expect.stringContaining('transactions.gmv at /totals/0/gmv is in one entry of a list'),
  })
  expect(await sumCheck({ data: [], totals: [] }, '/totals/0/gmv')).toMatchObject({ verdict: 'not_run' })
})

it('a total beside the offset of a page is the number of rows', () => {
  const find = (meta: Record<string, unknown>) =>
    findRole({}, 'payouts.total', { json: { data: [], meta }, op: 'payouts.list' })
  expect(find({ total: 28, offset: 0, size: 50 })).toMatchObject({ found: false })
  expect(find({ total: 28, total_paid: 5, offset: 0 })).toMatchObject({ found: true, at: '/meta/total_paid' })
  expect(find({ total: 28 })).toMatchObject({ found: true, at: '/meta/total' })
})

it('a total may leave out sales that are undone, and no others', async () => {
  const data = [
    { amount: '10.00', status: 'SETTLED' },
    { amount: '20.00', status: 'REFUNDED' },
    { amount: '5.00', status: 'VOIDED' },
  ]
  expect(await sumCheck({ data, gmv: '10.00' }, '/gmv')).toMatchObject({ verdict: 'pass' })
  expect(await sumCheck({ data, gmv: '35.00' }, '/gmv')).toMatchObject({ verdict: 'pass' })
  expect(await sumCheck({ data, gmv: '25.00' }, '/gmv')).toMatchObject({ verdict: 'fail' })
})
