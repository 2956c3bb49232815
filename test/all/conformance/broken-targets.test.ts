import { describe, expect, it } from 'vitest'
import { checksThat, fakeTarget, judge, judgeFake, models, scenario, targetOf } from '../../support/referee.ts'

describe('a target that proves nothing is never green', () => {
  it('one that refuses everything passes no refusal', async () => {
    const result = await judgeFake({ fault: 'refuses-everything' })
    expect(checksThat(result, 'pass')).toEqual([])
    expect(checksThat(result, 'fail')).toEqual(['auth/wrong-secret sound AUTH-01'])
    expect(result.verdict).toBe('non_conforming')
  })

  it('one that only ever answers 500 is inconclusive throughout', async () => {
    const result = await judgeFake({ fault: 'always-500' })
    expect(checksThat(result, 'pass')).toEqual([])
    expect(checksThat(result, 'fail')).toEqual([])
    expect(result.verdict).toBe('not_fully_verified')
  })

  it('one that refuses all writes leaves the refusals of writes inconclusive', async () => {
    const result = await judgeFake({ fault: 'refuses-writes' })
    expect(checksThat(result, 'inconclusive')).toContain('orders/price-mismatch too_high ORD-03')
    expect(checksThat(result, 'inconclusive')).toContain('idempotency/burst-one-key history IDEM-04')
    expect(checksThat(result, 'fail')).toEqual([])
  })

  it('one that hangs up is unreachable', async () => {
    await expect(judgeFake({ fault: 'hangs-up' })).rejects.toThrow(/gives no answer/)
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
    expect(result.scenarios.flatMap(({ checks }) => checks)).toHaveLength(21)
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

describe('our own faults are ours', () => {
  it('a fault that changes nothing is a harness error with the scenario’s id', async () => {
    const fault = {
      id: 'unsorted',
      call: { op: 'availability' as const, query: { domain: '${unlisted.domain}' } },
      fault: { canonical: 'query_unsorted' },
      expect: { refused: 'invalid_signature', shows: 'AUTH-10' },
    }
    const result = await judge(targetOf(await fakeTarget()), [scenario({ proves: ['AUTH-10'], steps: [fault] })])
    const [check] = result.scenarios[0]?.checks ?? []
    expect(check).toMatchObject({
      verdict: 'harness_error',
      note: expect.stringMatching(/^scenario test\/one: .*no effect/),
    })
    expect(result.verdict).toBe('not_fully_verified')
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
