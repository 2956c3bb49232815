import { describe, expect, it } from 'vitest'
import { declaredChecks } from '../../../src/conformance/format/step-facts.ts'
import { checksThat, fakeTarget, judge, judgeFake, models, targetOf } from '../../support/referee.ts'

const DECLARED = models.flatMap(({ scenario }) => declaredChecks(scenario)).length

// What refuses, fails or hangs up throughout is a bad server of the self-test.
describe('a target that proves nothing is never green', () => {
  it('one that refuses all writes leaves the refusals of writes inconclusive', async () => {
    const result = await judgeFake({ fault: 'refuses-writes' })
    expect(checksThat(result, 'inconclusive')).toContain('orders/price-mismatch too_high ORD-03')
    expect(checksThat(result, 'inconclusive')).toContain('idempotency/burst-one-key history IDEM-04')
    expect(checksThat(result, 'fail')).toEqual([])
  })

  it('one whose 500 does not come again is inconclusive, not failed', async () => {
    const result = await judgeFake({ fault: 'mismatch-500-once' })
    expect(checksThat(result, 'inconclusive')).toEqual(['orders/price-mismatch too_high ORD-03'])
    expect(checksThat(result, 'fail')).toEqual([])
  })
})

describe('a run that did nothing is void', () => {
  it('with a filter that matches nothing, and every check is reported as filtered', async () => {
    const result = await judge(targetOf(await fakeTarget()), models, { only: { scenarios: ['no/such'] } })
    expect(result.verdict).toBe('void')
    expect(result.summary.checks.not_run).toBe(0)
    expect(result.scenarios.flatMap(({ checks }) => checks)).toHaveLength(DECLARED)
    expect(result.scenarios[0]?.checks[0]).toMatchObject({ verdict: 'not_run', reason: 'filtered' })
  })

  it('with nothing but scenarios whose scope is missing', async () => {
    const fake = await fakeTarget()
    const credentials = [{ name: 'main', key_id: fake.keyId, secret: fake.secret, scopes: ['report'] }]
    const result = await judge(targetOf(fake, { credentials }))
    expect(result.verdict).toBe('void')
    expect(result.scenarios[0]?.checks[0]).toMatchObject({ verdict: 'not_run', reason: 'needs-scope' })
  })
})

describe('limits', () => {
  it('the budget of orders is a hard limit', async () => {
    const result = await judge(targetOf(await fakeTarget(), { budget: { orders: 0 } }))
    expect(result.created).toEqual([])
    expect(result.scenarios.find(({ id }) => id === 'quotes/expired')?.checks[0]).toMatchObject({
      verdict: 'not_run',
      reason: 'budget',
    })
  })

  it('the budget of requests is a hard limit', async () => {
    const fake = await fakeTarget()
    const result = await judge(targetOf(fake, { budget: { requests: 7 } }))
    expect(fake.requests).toHaveLength(7)
    expect(result.verdict).not.toBe('conforming')
  })
})

describe('reports', () => {
  it('hold no secret and no signature, in whatever form', async () => {
    const fake = await fakeTarget()
    const seen: string[] = []
    const result = await judge(targetOf(fake), models, {
      onProgress: (progress) => void seen.push(JSON.stringify(progress)),
    })
    const everything = JSON.stringify(result) + seen.join('\n')
    expect(everything).not.toContain(fake.secret)
    expect(everything).not.toContain(Buffer.from(fake.secret).toString('hex'))
    const signatures = fake.requests
      .map(({ headers }) => String(headers['x-partner-signature'] ?? '').slice(3))
      .filter(Boolean)
    expect(signatures.length).toBeGreaterThan(10)
    expect(signatures.filter((signature) => everything.includes(signature))).toEqual([])
  })

  it('list what was created', async () => {
    const result = await judgeFake({})
    expect(result.created.map(({ kind }) => kind)).toContain('order')
    expect(result.created.map(({ kind }) => kind)).toContain('quote')
  })

  it('an answer other than the pinned one is drift, not a failure', async () => {
    const result = await judgeFake({ openStatus: 403 }, { pins: { 'AUTH-17/replay_detected': 401 } })
    expect(checksThat(result, 'drift')).toEqual(['auth/nonce-reuse another_path AUTH-17'])
    expect(checksThat(result, 'fail')).toEqual([])
  })
})
