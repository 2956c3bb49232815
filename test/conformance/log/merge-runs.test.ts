import { describe, expect, it } from 'vitest'
import { mergeRuns, UnmergeableRunsError } from '../../../src/conformance/log/merge-runs.ts'
import type { CheckResult, RunResult, ScenarioResult } from '../../../src/conformance/result/result.ts'
import { greenRun, sampleRun } from '../reporters/sample-run.ts'

type Told = Partial<CheckResult> & Pick<CheckResult, 'verdict'>

const LEFT_OUT: Told = { verdict: 'not_run', reason: 'filtered' }
const CUT_OFF: Told = { verdict: 'not_run', reason: 'interrupted' }

/** A run of two scenarios with one check each, about one requirement each. */
function run(runId: string, first: Told, second: Told, rest: Partial<RunResult> = {}): RunResult {
  const base = greenRun()
  return {
    ...base,
    identity: { ...base.identity, runId },
    requirements: ['ONE-01', 'TWO-01'].map((id) => ({
      ...{ id, level: 'must' as const, text: `text of ${id}`, section: 'Section' },
      ...{ status: 'not_exercised' as const, checks: 0 },
    })),
    profile: { name: 'all', requirements: ['ONE-01', 'TWO-01'] },
    scenarios: [scenario('one', first), scenario('two', second)],
    exchanges: [],
    ...rest,
  }
}

function scenario(name: string, told: Told): ScenarioResult {
  const check = {
    step: 's',
    requirement: `${name.toUpperCase()}-01`,
    expected: '',
    actual: '',
    exchange: null,
    ...told,
  }
  return {
    id: `area/${name}`,
    title: name,
    file: `${name}.yaml`,
    verdict: told.verdict,
    durationMs: 5,
    checks: [check],
  }
}

function exchange(id: string, status: number) {
  const [first] = sampleRun().exchanges
  if (!first) throw new Error('the sample has no exchange')
  return { ...first, id, status }
}

describe('the plan of runs that make one', () => {
  const passed: Told = { verdict: 'pass' }
  const planned = (ordersAtMost: number, ordersWanted?: number) => ({
    plan: { ...greenRun().plan, ordersAtMost, ...(ordersWanted !== undefined && { ordersWanted }) },
  })

  it('is the sum of shards, since each has a budget', () => {
    const first = run('a', passed, LEFT_OUT, planned(2, 5))
    const merged = mergeRuns([first, run('b', LEFT_OUT, passed, planned(3))])
    expect(merged.plan).toMatchObject({ ordersAtMost: 5, ordersWanted: 8 })
  })

  it('is that of the run that was interrupted, which had the budget of both', () => {
    const first = run('a', passed, CUT_OFF, { ...planned(5), interrupted: true, startedAt: '2026-01-01T00:00:00.000Z' })
    const rest = run('b', LEFT_OUT, passed, { ...planned(4), startedAt: '2026-01-01T01:00:00.000Z' })
    expect(mergeRuns([first, rest]).plan.ordersAtMost).toBe(5)
    expect(mergeRuns([rest, first]).plan.ordersAtMost).toBe(5)
  })
})

describe('merging shards', () => {
  it('takes what one left out from the other, and works out requirements, verdict and counts anew', () => {
    const merged = mergeRuns([run('a', { verdict: 'pass' }, LEFT_OUT), run('b', LEFT_OUT, { verdict: 'pass' })])
    expect(merged.verdict).toBe('conforming')
    expect(merged.requirements.map(({ status, checks }) => [status, checks])).toEqual([
      ['shown', 1],
      ['shown', 1],
    ])
    expect(merged.scenarios.map(({ verdict }) => verdict)).toEqual(['pass', 'pass'])
    expect(merged.summary).toMatchObject({ checks: { pass: 2, not_run: 0 }, requirements: { shown: 2 }, requests: 2 })
    expect(merged.identity.runId).toBe('a+b')
  })

  it('is not conforming while a part is missing', () => {
    const merged = mergeRuns([run('a', { verdict: 'pass' }, LEFT_OUT), run('b', { verdict: 'pass' }, LEFT_OUT)])
    expect(merged.verdict).toBe('not_fully_verified')
  })

  it('does not depend on the order of the shards', () => {
    const runs = [run('a', { verdict: 'fail' }, LEFT_OUT), run('b', LEFT_OUT, { verdict: 'tolerated' })]
    const { identity: _, ...one } = mergeRuns(runs)
    const { identity: __, ...other } = mergeRuns(runs.toReversed())
    expect(one).toEqual(other)
    expect(one.verdict).toBe('non_conforming')
  })

  it('keeps why a check could not be run, over its having been left out', () => {
    const needs: Told = { verdict: 'not_run', reason: 'needs-operator', note: 'no operator' }
    const merged = mergeRuns([run('a', LEFT_OUT, LEFT_OUT), run('b', needs, LEFT_OUT)])
    expect(merged.scenarios[0]?.checks[0]).toMatchObject(needs)
  })

  it.each<[Told['verdict'], Told['verdict'], Told['verdict']]>([
    ['pass', 'fail', 'fail'],
    ['inconclusive', 'pass', 'pass'],
    ['harness_error', 'pass', 'pass'],
    ['observed', 'drift', 'drift'],
    ['pass', 'tolerated', 'tolerated'],
  ])('of a check that both carried out, %s and %s, keeps %s', (one, other, kept) => {
    const [a, b] = [run('a', { verdict: one }, LEFT_OUT), run('b', { verdict: other }, LEFT_OUT)]
    expect(mergeRuns([a, b]).scenarios[0]?.checks[0]?.verdict).toBe(kept)
    expect(mergeRuns([b, a]).scenarios[0]?.checks[0]?.verdict).toBe(kept)
  })

  it('gives calls of the same number names of their own, and checks name the right one', () => {
    const a = run('a', { verdict: 'pass', exchange: 's1e1' }, LEFT_OUT, { exchanges: [exchange('s1e1', 200)] })
    const twin = 'a sound call was accepted in s1e1'
    const b = run('b', LEFT_OUT, { verdict: 'pass', exchange: 's1e1', twin }, { exchanges: [exchange('s1e1', 409)] })
    const { exchanges, scenarios } = mergeRuns([a, b])
    expect(scenarios[1]?.checks[0]?.twin).toBe('a sound call was accepted in r2s1e1')
    const statusOf = (id: string | null | undefined) => exchanges.find((one) => one.id === id)?.status
    expect(exchanges.map(({ id }) => id)).toEqual(['s1e1', 'r2s1e1'])
    expect(scenarios.map(({ checks }) => statusOf(checks[0]?.exchange))).toEqual([200, 409])
  })

  it('never lets a check name a call of another run', () => {
    const a = run('a', { verdict: 'pass', exchange: 's1e1' }, LEFT_OUT)
    const b = run('b', LEFT_OUT, { verdict: 'pass', exchange: 's1e1' }, { exchanges: [exchange('s1e1', 409)] })
    const { exchanges, scenarios } = mergeRuns([a, b])
    expect(scenarios[0]?.checks[0]?.exchange).toBe('s1e1')
    expect(exchanges.map(({ id }) => id)).toEqual(['r2s1e1'])
  })

  it('says what was created and observed once', () => {
    const seen = { observations: [{ gap: 'G-1', value: { a: 1 }, scenario: 'area/one' }] }
    const made = { created: [{ kind: 'order' as const, id: 'ord_1' }] }
    const merged = mergeRuns([
      run('a', { verdict: 'pass' }, LEFT_OUT, { ...seen, ...made }),
      run('b', LEFT_OUT, { verdict: 'pass' }, { ...seen, created: [{ kind: 'order', id: 'ord_2' }] }),
    ])
    expect(merged.observations).toEqual(seen.observations)
    expect(merged.created.map(({ id }) => id)).toEqual(['ord_1', 'ord_2'])
  })

  it('leaves one run alone', () => {
    expect(mergeRuns([sampleRun()])).toEqual(sampleRun())
  })
})

describe('merging the parts of a run that was interrupted', () => {
  const earlier = run('a', { verdict: 'pass' }, CUT_OFF, { interrupted: true })

  it('makes a whole run of them', () => {
    const merged = mergeRuns([earlier, run('b', LEFT_OUT, { verdict: 'pass' })])
    expect(merged).toMatchObject({ interrupted: false, verdict: 'conforming' })
  })

  it('is still interrupted where the second part was too', () => {
    const merged = mergeRuns([earlier, run('b', LEFT_OUT, CUT_OFF, { interrupted: true })])
    expect(merged).toMatchObject({ interrupted: true, verdict: 'not_fully_verified' })
  })

  it('is still interrupted where a check was cut off in the middle and not carried out again', () => {
    const cut = run('a', { verdict: 'pass' }, { verdict: 'inconclusive' }, { interrupted: true })
    expect(mergeRuns([cut, run('b', LEFT_OUT, LEFT_OUT)]).interrupted).toBe(true)
    expect(mergeRuns([cut, run('b', LEFT_OUT, { verdict: 'inconclusive' })]).interrupted).toBe(false)
  })
})

describe('runs that cannot be merged', () => {
  const one = run('a', { verdict: 'pass' }, LEFT_OUT)
  const { identity } = one

  it.each<[string, Partial<RunResult>]>([
    ['the requirements (edition)', { identity: { ...identity, runId: 'b', edition: 'other' } }],
    ['the scenarios', { identity: { ...identity, runId: 'b', scenarios: 'other' } }],
    ['the target', { identity: { ...identity, runId: 'b', target: 'other' } }],
    ['the profile', { profile: { name: 'core', requirements: ['ONE-01'] } }],
    ['the version of the tool', { tool: { name: 'partner-sandbox', version: '9.0.0' } }],
  ])('are those that differ in %s, and the message says so', (name, rest) => {
    const merge = () => mergeRuns([one, run('b', LEFT_OUT, { verdict: 'pass' }, rest)])
    expect(merge).toThrow(UnmergeableRunsError)
    expect(merge).toThrow(`they differ in ${name} (`)
  })

  it('are those whose scenarios do not have the same checks, and none at all', () => {
    const other = run('b', LEFT_OUT, { verdict: 'pass', step: 'another' })
    expect(() => mergeRuns([one, other])).toThrow('the scenario "area/two" has different checks in them')
    expect(() => mergeRuns([])).toThrow('no run to merge')
  })
})
