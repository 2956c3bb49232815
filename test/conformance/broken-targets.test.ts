import { describe, expect, it } from 'vitest'
import type { FakeFault } from '../support/fake-target.ts'
import { checksThat, fakeTarget, judge, judgeFake, models, scenario, targetOf } from '../support/referee.ts'
import { sampleOf } from '../support/size.ts'

/** What the runner finds by itself carries no failure alone. */
const TOLD = { dialect: { roles: { 'listing.available': '/available' } } }

const KILLED_BY: [FakeFault, string[]][] = [
  [
    'nonce-untracked',
    [
      'auth/nonce-reuse exact_copy NONCE-01',
      'auth/nonce-reuse freshly_signed NONCE-02',
      'auth/nonce-reuse another_path NONCE-02',
    ],
  ],
  ['nonce-per-path', ['auth/nonce-reuse another_path NONCE-02']],
  ['key-id-is-secret', ['auth/wrong-secret key_id_as_secret AUTH-05']],
  ['code-misspelled', ['auth/wrong-secret other_digest AUTH-04']],
  ['mismatch-400', ['orders/price-mismatch too_high ORD-03', 'orders/price-mismatch too_low ORD-03']],
  ['mismatch-500', ['orders/price-mismatch too_high ORD-03', 'orders/price-mismatch too_low ORD-03']],
  [
    'records-refused-orders',
    ['orders/price-mismatch nothing_recorded ORD-03', 'orders/price-mismatch still_for_sale ORD-03'],
  ],
  ['quote-never-expires', ['quotes/expired too_late QUOTE-03']],
  ['key-race', ['idempotency/burst-one-key race IDEM-04', 'idempotency/burst-one-key history IDEM-04']],
  ['cursor-inclusive', ['events/paging after_first EVT-01', 'events/paging next_page EVT-01']],
]

describe('a broken target is found, by the check of what it breaks and by no other', () => {
  it.each(sampleOf(KILLED_BY, 4))('%s', async (fault, checks) => {
    const result = await judgeFake({ fault }, TOLD)
    expect(checksThat(result, 'fail')).toEqual(checks)
    expect(result.verdict).toBe('non_conforming')
  })

  it('a price that is never looked at fails the refusal and what follows from it', async () => {
    const result = await judgeFake({ fault: 'price-unchecked' }, TOLD)
    expect(checksThat(result, 'fail')).toHaveLength(4)
    expect(checksThat(result, 'fail').every((check) => check.startsWith('orders/price-mismatch'))).toBe(true)
  })
})

describe('a target that proves nothing is never green', () => {
  it('one that refuses everything passes no refusal', async () => {
    const result = await judgeFake({ fault: 'refuses-everything' })
    expect(checksThat(result, 'pass')).toEqual([])
    expect(checksThat(result, 'fail')).toEqual(['auth/wrong-secret sound AUTH-01'])
    expect(result.verdict).toBe('non_conforming')
  })

  it('one that accepts everything fails every refusal', async () => {
    const result = await judgeFake({ fault: 'accepts-everything' })
    const refusals = result.scenarios.flatMap(({ checks }) =>
      checks.filter(({ expected }) => expected.startsWith('refused')),
    )
    expect(refusals.map(({ verdict }) => verdict).filter((verdict) => verdict !== 'fail')).toEqual(['pass'])
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

  it.each<FakeFault>(['answers-html', 'redirects', 'deep-json'])('one that %s does not conform', async (fault) => {
    const result = await judgeFake({ fault }, TOLD)
    expect(result.verdict).toBe('non_conforming')
    expect(checksThat(result, 'harness_error')).toEqual([])
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
  it('with no scenario at all', async () => {
    const result = await judge(targetOf(await fakeTarget()), [])
    expect(result.verdict).toBe('void')
  })

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
  it('a target file without a mode is only read', async () => {
    const fake = await fakeTarget()
    const result = await judge(targetOf(fake, { mode: 'read' }))
    expect(checksThat(result, 'not_run').length).toBeGreaterThan(5)
    expect(fake.requests.every(({ method }) => method === 'GET')).toBe(true)
  })

  it('a live key forces reading, whatever the file says', async () => {
    const fake = await fakeTarget()
    const credentials = [
      { name: 'main', key_id: 'pk_live_1', secret: fake.secret, scopes: ['search', 'buy', 'webhook'] },
    ]
    await judge(targetOf(fake, { credentials }))
    expect(fake.requests.every(({ method }) => method === 'GET')).toBe(true)
  })

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

  it('without an operator, time-dependent checks say so', async () => {
    const fake = await fakeTarget()
    const result = await judge(targetOf(fake, { mode: 'write' }))
    expect(checksThat(result, 'not_run')).toEqual([
      'quotes/expired in_time QUOTE-02',
      'quotes/expired too_late QUOTE-03',
    ])
    expect(result.scenarios.find(({ id }) => id === 'quotes/expired')?.checks[0]?.reason).toBe('needs-operator')
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
