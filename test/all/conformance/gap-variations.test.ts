import { describe, expect, it } from 'vitest'
import { declaredChecks } from '../../../src/conformance/format/step-facts.ts'
import type { FakeOptions } from '../../support/fake-target.ts'
import { checksThat, fakeTarget, judge, judgeFake, models, scenario, targetOf } from '../../support/referee.ts'

/** One of these observes an open point. */
const DECLARED = models.flatMap(({ scenario }) => declaredChecks(scenario)).length

/** What the gap variations of the self-test do not have. */
const FREEDOMS: [string, FakeOptions][] = [
  ['amounts in whole units that do not say so', { readUnit: 'units' }],
  ['whole units on both sides', { readUnit: 'units', priceUnit: 'units' }],
  ['another field for the domain of a quote', { quoteField: 'domain_name' }],
  ['a 429 on the very first call', { rateLimitOnce: true }],
]

describe('a correct target is free where the document is silent', () => {
  it.each(FREEDOMS)('with %s every check passes', async (_name, options) => {
    const result = await judgeFake(options)
    expect(result.summary.checks).toMatchObject({ pass: DECLARED - 1, observed: 1, fail: 0 })
    expect(result.verdict).toBe('not_fully_verified')
  })

  it('with the newest event first nothing fails', async () => {
    const result = await judgeFake({ newestFirst: true })
    expect(checksThat(result, 'fail')).toEqual([])
    expect(checksThat(result, 'pass')).toContain('idempotency/burst-one-key history IDEM-04')
  })

  it('with a quote body nobody could guess the quotes are not run, and said to need the dialect', async () => {
    const result = await judgeFake({ quoteField: 'listing' })
    expect(checksThat(result, 'not_run')).toEqual([
      'quotes/expired in_time QUOTE-02',
      'quotes/expired too_late QUOTE-03',
      'quotes/expired in_time_again IDEM-05',
      'quotes/expired old_beside_the_new QUOTE-03',
    ])
    const [check] = result.scenarios.find(({ id }) => id === 'quotes/expired')?.checks ?? []
    expect(check).toMatchObject({
      reason: 'needs-dialect',
      note: expect.stringContaining('dialect: {"bodies":{"quote":'),
    })
    expect(checksThat(result, 'fail')).toEqual([])
  })

  it('with the quote body in the target file the quotes are judged', async () => {
    const result = await judgeFake(
      { quoteField: 'listing' },
      { dialect: { bodies: { quote: { listing: '${domain}' } } } },
    )
    expect(result.summary.checks).toMatchObject({ pass: DECLARED - 1, observed: 1 })
  })

  it('a stale timestamp may be answered with invalid_signature: tolerated, not passed', async () => {
    const fake = await fakeTarget({ staleAs: 'invalid_signature' })
    const stale = {
      id: 'stale',
      call: { op: 'availability' as const, query: { domain: '${unlisted.domain}' } },
      fault: { timestamp: { shift: -400 } },
      expect: { refused: 'invalid_timestamp', shows: 'TIME-02' },
    }
    const result = await judge(targetOf(fake), [scenario({ proves: ['TIME-02'], steps: [stale] })])
    expect(result.scenarios[0]?.checks).toMatchObject([
      { verdict: 'tolerated', requirement: 'TIME-02', twin: expect.stringContaining('200') },
    ])
  })

  it('shows a requirement of the profile as conforming once all of it is shown', async () => {
    const result = await judge(targetOf(await fakeTarget()), models, {
      profile: { name: 'these', requirements: ['NONCE-01', 'ORD-03', 'QUOTE-03'] },
    })
    expect(result.verdict).toBe('conforming')
  })
})
