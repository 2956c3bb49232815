import { describe, expect, it } from 'vitest'
import { wallClock } from '../../src/clock/wall-clock.ts'
import { rehearse } from '../../src/conformance/engine/run.ts'
import type { LoadedScenario, Step } from '../../src/conformance/format/scenario.ts'
import { earlyEnd } from '../../src/conformance/reports/report-model.ts'
import { fakeTarget, judge, models, registry, scenario, targetOf } from '../support/referee.ts'

const read: Step = { id: 'read', call: { op: 'availability', query: { domain: 'a.example' } } }
const wrong = (name: string): LoadedScenario => ({
  ...scenario({ proves: ['AUTH-01'], steps: [{ ...read, expect: { status: 299, shows: 'AUTH-01' } }] }),
  id: `test/${name}`,
})

describe('a run that ends after so many failures', () => {
  it('reaches no scenario after them, and says so for each', async () => {
    const target = targetOf(await fakeTarget())
    const scenarios = ['a', 'b', 'c', 'd'].map(wrong)
    const result = await judge(target, scenarios, { bail: 2, concurrency: 1 })
    expect(result.scenarios.map(({ verdict }) => verdict)).toEqual(['fail', 'fail', 'not_run', 'not_run'])
    expect(result.scenarios[2]?.checks[0]).toMatchObject({
      reason: 'interrupted',
      note: '2 scenarios failed (--bail) before this was reached',
    })
    expect([result.verdict, result.interrupted]).toEqual(['non_conforming', true])
    expect(earlyEnd(result)).toBe('ended early, because 2 scenarios failed (--bail)')
  })

  it('has no other scenario under way where the first failure is to end it', async () => {
    const result = await judge(targetOf(await fakeTarget()), ['a', 'b', 'c'].map(wrong), { bail: 1 })
    expect(result.scenarios.map(({ verdict }) => verdict)).toEqual(['fail', 'not_run', 'not_run'])
  })

  it('is a whole run where nothing was left', async () => {
    const result = await judge(targetOf(await fakeTarget()), [wrong('a')], { bail: 1 })
    expect(result.interrupted).toBe(false)
  })
})

describe('a run that is interrupted', () => {
  it('still cleans up, and takes nothing for proved that it stopped waiting for', async () => {
    const fake = await fakeTarget()
    const stop = new AbortController()
    const one = scenario({
      proves: ['AUTH-01', 'EVT-01'],
      steps: [
        { ...read, expect: { accepted: true, shows: 'AUTH-01' } },
        {
          id: 'silence',
          events: { type: 'order.recorded', after: 'read', none_for: '30s' },
          expect: { shows: 'EVT-01' },
        },
      ],
      cleanup: [{ call: { op: 'availability', query: { domain: 'tidy.example' } } }],
    })
    const result = await judge(targetOf(fake), [one, { ...one, id: 'test/two' }], {
      concurrency: 1,
      signal: stop.signal,
      transcript: 'all',
      onProgress(step) {
        if (step.kind === 'exchange' && step.exchange.target.includes('/events')) stop.abort()
      },
    })
    expect(result.scenarios.map(({ checks }) => checks.map(({ verdict, reason }) => reason ?? verdict))).toEqual([
      ['pass', 'interrupted'],
      ['interrupted', 'interrupted'],
    ])
    expect(fake.requests.filter(({ target }) => target.includes('tidy.example'))).toHaveLength(1)
    expect([result.interrupted, result.verdict]).toEqual([true, 'not_fully_verified'])
  })
})

describe('a dry run', () => {
  it('sends nothing, says what would run and what not, and has no verdict', async () => {
    const fake = await fakeTarget()
    const target = { ...targetOf(fake, { mode: 'write' }), operator: null }
    const result = await rehearse({ target, scenarios: models, registry, wall: wallClock, toolVersion: '0.0.0' })
    expect(fake.requests).toEqual([])
    expect(result.verdict).toBe('void')
    const reasons = new Map(result.scenarios.map(({ id, checks }) => [id, checks[0]?.reason]))
    expect(reasons.get('auth/nonce-reuse')).toBe('dry-run')
    expect(reasons.get('quotes/expired')).toBe('needs-operator')
    expect(result.scenarios.every(({ checks }) => checks.every(({ verdict }) => verdict === 'not_run'))).toBe(true)
  })

  it('takes of the budget what the run would', async () => {
    const target = targetOf(await fakeTarget(), { budget: { orders: 0, quotes: 0, requests: 10 } })
    const result = await rehearse({ target, scenarios: models, registry, wall: wallClock, toolVersion: '0.0.0' })
    const burst = result.scenarios.find(({ id }) => id === 'idempotency/burst-one-key')
    expect(burst?.checks[0]).toMatchObject({
      reason: 'budget',
      note: '1 order is needed and 0 of the budget are left; what a running scenario may still make counts',
    })
  })
})
