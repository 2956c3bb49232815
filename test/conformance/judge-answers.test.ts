import { describe, expect, it } from 'vitest'
import type { Step } from '../../src/conformance/format/scenario.ts'
import type { CheckResult } from '../../src/conformance/result/result.ts'
import { judge, scenario } from '../support/referee.ts'
import { answerJson, scriptedTarget } from '../support/scripted-target.ts'

interface Reply {
  status?: number
  json: unknown
}

/** Judges a scenario at a server that answers by path, and gives its checks of ORD-10. */
async function checksOf(steps: Step[], replyTo: (path: string) => Reply | undefined): Promise<CheckResult[]> {
  const target = await scriptedTarget(({ url = '' }, response) => {
    const reply = replyTo(url.replace('/api/partner/v1', ''))
    const { status = 200, json } = reply ?? { json: { available: true, price_cents: 100 } }
    answerJson(response, status, json, { 'retry-after': '0' })
  })
  const { scenarios } = await judge(target, [scenario({ proves: ['ORD-10'], steps })])
  return (scenarios[0]?.checks ?? []).filter(({ requirement }) => requirement === 'ORD-10')
}

const detail = (id: string) => ({ op: 'orders.detail' as const, path: { public_id: id } })

/** An order of this id, with whatever is said about it. */
function orders(rows: Record<string, object>) {
  return (path: string): Reply | undefined => {
    const row = rows[path.replace('/orders/', '')]
    return row && { json: { public_id: path.replace('/orders/', ''), domain: 'a.test', ...row } }
  }
}

describe('an answer in one line', () => {
  it('does not say a message twice that only repeats the code', async () => {
    const steps: Step[] = [{ call: detail('ord_1'), expect: { accepted: true, shows: 'ORD-10' } }]
    const [check] = await checksOf(steps, (path) =>
      path === '/orders/ord_1' ? { status: 404, json: { code: 'not_found', message: 'not_found' } } : undefined,
    )
    expect(check).toMatchObject({ verdict: 'fail', actual: '404 not_found' })
  })
})

describe('an answer that is another than an earlier one', () => {
  it.each<[string, Reply, Reply, object | string, string]>([
    [
      'a role',
      { json: { status: 'PAID' } },
      { json: { status: 'SETTLED' } },
      { step: 'one', roles: ['order.status'] },
      'order.status is PAID, there SETTLED',
    ],
    ['a member', { json: { a: [1, { b: 2 }] } }, { json: { a: [1] } }, 'one', '/a/1/b is 2, there nothing'],
  ])('says where, by %s', async (_, second, first, same_as, difference) => {
    const steps = [
      { id: 'one', call: detail('ord_1'), expect: { status: [200, 404] } },
      { id: 'two', call: detail('ord_2'), expect: { same_as, shows: 'ORD-10' } },
    ] as Step[]
    const [check] = await checksOf(steps, (path) => ({ '/orders/ord_1': first, '/orders/ord_2': second })[path])
    expect(check).toMatchObject({ verdict: 'fail', actual: `another answer than one got: ${difference}` })
  })
})

describe('a target that goes on answering 429', () => {
  it('shows nothing about the status that it should have', async () => {
    const steps: Step[] = [{ call: detail('ord_1'), expect: { status: [200, 404], shows: 'ORD-10' } }]
    const [check] = await checksOf(steps, (path) =>
      path === '/orders/ord_1' ? { status: 429, json: { code: 'rate_limited', message: 'slow' } } : undefined,
    )
    expect(check).toMatchObject({ verdict: 'inconclusive', note: 'the target kept answering 429' })
  })
})

describe('a value that is compared with the one of an earlier answer', () => {
  function timelines(unlike: boolean): Step[] {
    const same_as = { step: 'one', roles: ['order.timeline'], unlike }
    return [
      { id: 'one', call: detail('ord_1') },
      { id: 'two', call: detail('ord_2'), expect: { same_as, shows: 'ORD-10' } },
    ]
  }

  it.each([true, false])('is asked for where neither answer has it (unlike: %s)', async (unlike) => {
    const [check] = await checksOf(timelines(unlike), orders({ ord_1: {}, ord_2: {} }))
    expect(check).toMatchObject({ verdict: 'not_run', reason: 'needs-dialect' })
  })

  it('has not changed where it is gone', async () => {
    const [check] = await checksOf(timelines(true), orders({ ord_1: { timeline: [] }, ord_2: {} }))
    expect(check).toMatchObject({ verdict: 'not_run', reason: 'needs-dialect' })
  })

  it('has changed where it was not there before', async () => {
    const [check] = await checksOf(timelines(true), orders({ ord_1: {}, ord_2: { timeline: [] } }))
    expect(check).toMatchObject({ verdict: 'pass' })
  })

  describe('and that the document names', () => {
    const same_as = { step: 'one', roles: ['error.message'] }
    const steps: Step[] = [
      { id: 'known', call: detail('ord_0') },
      { id: 'one', call: detail('ord_1'), expect: { status: 404 } },
      { id: 'two', call: detail('ord_2'), expect: { status: 404, same_as, shows: 'ORD-10' } },
    ]
    const refused = (...messages: object[]) =>
      checksOf(steps, (path) => {
        const message = messages[['/orders/ord_1', '/orders/ord_2'].indexOf(path)]
        return message && { status: 404, json: { code: 'not_found', ...message } }
      })

    it('is another where only one answer has it', async () => {
      expect((await refused({ message: 'no' }, {}))[0]).toMatchObject({ verdict: 'fail' })
      expect((await refused({}, { message: 'no' }))[0]).toMatchObject({ verdict: 'fail' })
    })

    it('is the same where neither has it', async () => {
      expect((await refused({}, {}))[0]).toMatchObject({ verdict: 'pass' })
    })
  })
})

describe('what a list must not contain', () => {
  const excludes = { 'order.created_at': '2026-01-01T00:00:00Z' }
  const steps: Step[] = [{ call: { op: 'orders.list' }, expect: { items: 'orders.items', excludes, shows: 'ORD-10' } }]

  async function listing(...rows: object[]): Promise<CheckResult | undefined> {
    const list = rows.map((row, index) => ({ public_id: `ord_${index}`, domain: 'a.test', ...row }))
    const [check] = await checksOf(steps, (path) => (path === '/orders' ? { json: { orders: list } } : undefined))
    return check
  }

  it('is not judged where no item has a value for it', async () => {
    expect(await listing({}, {})).toMatchObject({ verdict: 'not_run', reason: 'needs-dialect' })
  })

  it('is judged where one item has a value for it', async () => {
    expect(await listing({}, { created_at: '2026-02-01T00:00:00Z' })).toMatchObject({ verdict: 'pass' })
    expect(await listing({}, { created_at: '2026-01-01T00:00:00Z' })).toMatchObject({
      actual: 'number 2 of 2 orders.items should not be there: order.created_at is 2026-01-01T00:00:00Z',
    })
  })

  it('is not in an empty list', async () => {
    expect(await listing()).toMatchObject({ verdict: 'pass' })
  })
})
