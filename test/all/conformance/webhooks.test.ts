import { describe, expect, it, onTestFinished } from 'vitest'
import type { Expectation } from '../../../src/conformance/format/expectations/expectation.ts'
import type { Scenario, Step } from '../../../src/conformance/format/scenario.ts'
import type { CheckResult } from '../../../src/conformance/result/result.ts'
import type { Target } from '../../../src/conformance/target/target.ts'
import { REPORTERS } from '../../conformance/reporters/rendering.ts'
import { SHOP_FIXTURES, type ShopOptions, startShop } from '../../support/fake-shop.ts'
import { judge, scenario, targetOf } from '../../support/referee.ts'

const WHERE = { 'data.order.public_id': '${made.order.public_id}' }
const PUT: Step = { call: { op: 'webhooks.put' } }
const MADE: Step = { id: 'made', call: { op: 'orders.create' } }

function received(expectation: Expectation, within = '2s'): Step {
  return { id: 'told', events: { hook: 'main', type: 'order.recorded', where: WHERE, within }, expect: expectation }
}

const SIGNED = received({ every: { 'delivery.signed': true }, shows: 'HOOK-02' })

/** A run of one scenario against a shop that is as the options have it. */
async function run(options: ShopOptions, proves: string[], steps: Step[], more: Partial<Target> = {}) {
  const shop = await startShop(options)
  onTestFinished(() => shop.close())
  const effects: NonNullable<Scenario['effects']> = { orders: 2, webhooks: 2 }
  const needs = ['scope.search', 'scope.buy', 'scope.webhook', 'fixture.sellable(2)']
  const patience = { events: 100, deliveries: 100 }
  const target = { ...targetOf(shop, { fixtures: SHOP_FIXTURES }), patience, ...more }
  return { shop, result: await judge(target, [scenario({ proves, needs, effects, steps })]) }
}

async function checksOf(...given: Parameters<typeof run>): Promise<CheckResult[]> {
  return (await run(...given)).result.scenarios[0]?.checks ?? []
}

async function verdictOf(options: ShopOptions, proves: string, steps: Step[]): Promise<CheckResult | undefined> {
  const checks = await checksOf(options, [proves], steps)
  return checks.at(-1)
}

describe('a delivery', () => {
  it.each([
    ['prefixed', 'the signature has a prefix; that of a delivery is the hex digest alone'],
    ['upper-case', 'the digest is written in upper-case hex instead of lower-case'],
    ['base64', 'the digest is written in base64 instead of lower-case hex'],
    ['api-secret', 'the API secret of main was used'],
    [
      'rewritten',
      'the body was signed re-serialized: JSON indented by two spaces was hashed instead of the bytes sent',
    ],
    ['timestamped', 'a timestamp and the body were signed; the API document has no such scheme'],
    ['data-alone', 'the member data was signed alone; a delivery signs its whole raw body'],
    ['made-up', 'no known mistake leads to this signature'],
    ['nothing', 'the X-Partner-Signature header is missing'],
  ] as const)('that is signed wrongly (%s) fails, and the report says how', async (sign, note) => {
    expect(await verdictOf({ sign }, 'HOOK-02', [PUT, MADE, SIGNED])).toMatchObject({ verdict: 'fail', note })
  })

  it('that never comes fails', async () => {
    const step = received({ count: { at_least: 1 }, shows: 'HOOK-02' }, '1s')
    expect(await verdictOf({ deliveries: 'never' }, 'HOOK-02', [PUT, MADE, step])).toMatchObject({
      verdict: 'fail',
      actual: '0 deliveries',
      note: 'the run looked for 1.0 s',
    })
  })

  it('that says something else than the history fails, and the report says what', async () => {
    const step = received({ every: { 'delivery.in_history': true }, shows: 'HOOK-10' }, '1s')
    expect(await verdictOf({ deliveries: 'other-data' }, 'HOOK-10', [PUT, MADE, step])).toMatchObject({
      verdict: 'fail',
      note: expect.stringMatching(/^data was delivered as .* and is .* in the history$/),
    })
  })

  it.each(['hang_up', 410, { redirect: 'https://partner.example.com/' }] as const)(
    'is counted as failed when it is answered %j',
    async (answer) => {
      const failed = { 'delivery.attempt': 1, 'delivery.counted_as_failed': true }
      const steps: Step[] = [
        PUT,
        { hook: { answer, times: 1 } },
        MADE,
        received({ includes: failed, shows: 'HOOK-05' }),
      ]
      expect(await verdictOf({}, 'HOOK-05', steps)).toMatchObject({ verdict: 'pass' })
    },
  )
})

describe('a receiver that is slow, where the run has set the deadline itself', () => {
  const own = { webhookDeadlineMs: 1_000 }
  const slow: Step = { hook: { answer: { after: '7s' }, times: 1 } }
  const failed = received({ includes: { 'delivery.counted_as_failed': true }, shows: 'HOOK-04' })

  it('is as slow for that deadline as it is for that of the document, and the report says so', async () => {
    const [check] = await checksOf({ deadlineMs: 1_000 }, ['HOOK-04'], [PUT, slow, MADE, failed], own)
    expect(check).toMatchObject({ verdict: 'pass', note: expect.stringMatching(/^judged at 1s, .* says 5s$/) })
  })

  it('fails a target that does not keep to it', async () => {
    const patient: ShopOptions = { deliveries: 'takes-any-answer', deadlineMs: 10_000 }
    const [check] = await checksOf(patient, ['HOOK-04'], [PUT, slow, MADE, failed], own)
    expect(check).toMatchObject({ verdict: 'fail' })
  })
})

describe('the receiver', () => {
  it('is not had by a target elsewhere that was not told of one', async () => {
    const { shop, result } = await run({}, ['HOOK-02'], [PUT, MADE, SIGNED], { receiver: null })
    expect(result.scenarios[0]?.checks[0]).toMatchObject({ verdict: 'not_run', reason: 'needs-receiver' })
    expect(shop.requests.some(({ line }) => line.startsWith('PUT'))).toBe(false)
  })

  it('ends a run against a target that never stops delivering', async () => {
    expect(await verdictOf({ deliveries: 'endless' }, 'HOOK-02', [PUT, MADE, SIGNED])).toMatchObject({
      verdict: 'pass',
    })
  })

  it('never shows a secret of a hook in a report', async () => {
    const { result } = await run({ sign: 'prefixed' }, ['HOOK-02'], [PUT, MADE, SIGNED])
    expect(result.summary.checks.fail).toBe(1)
    expect(JSON.stringify(result)).not.toContain('whsec-')
    const report = REPORTERS.pretty.render(result, { color: false, invocation: 'conform', verbose: true })
    expect(report).toMatch(/hint +the signature has a prefix; that of a delivery is the hex digest alone\n/)
    expect(report).toMatch(
      /delivery +POST, answered 200 after \d+ ms\n +X-Partner-Signature: v1=\[64 characters, lower-case hex\]/,
    )
    expect(report).not.toContain('curl')
    expect(result.exchanges).toContainEqual(expect.objectContaining({ speaker: 'target', method: 'POST', status: 200 }))
  })
})
