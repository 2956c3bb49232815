import { describe, expect, it } from 'vitest'
import { profileOfAll } from '../../src/conformance/engine/profile.ts'
import type { RequirementRegistry } from '../../src/conformance/format/requirements.ts'
import { requirementResults, runVerdictOf, worstOf } from '../../src/conformance/judge/verdict.ts'
import type { CheckResult, CheckVerdict } from '../../src/conformance/result/result.ts'

const check = (requirement: string, verdict: CheckVerdict): CheckResult => ({
  step: 's',
  requirement,
  verdict,
  expected: '',
  actual: '',
  exchange: null,
})
const row = (id: string, level: 'must' | 'open') => [id, { id, level, text: id, section: '' }] as const
const small: RequirementRegistry = {
  requirements: new Map([
    row('A-01', 'must'),
    row('B-01', 'must'),
    row('C-01', 'open'),
    row('D-01', 'must'),
    row('SCOPE-01', 'must'),
  ]),
  conflicts: [],
  unobservable: new Map([
    ['D-01', 'nobody sees it'],
    ['SCOPE-01', 'it is about rows alone'],
  ]),
}

const passed = check('A-01', 'pass')
const cutOff: CheckResult = { ...check('B-01', 'not_run'), reason: 'interrupted' }

function verdictOf(checks: CheckResult[], profile?: string[]): string {
  const about = profile ? { name: 'these', requirements: profile } : profileOfAll(small)
  return runVerdictOf(requirementResults(small, [{ id: 'a/one', checks }]), checks, about)
}

/** Of A-01, or of a scope, by what its scenarios say of it. */
function statusOf(scenarios: Record<string, Partial<CheckResult>[]>, requirement = 'A-01'): string | undefined {
  const given = Object.entries(scenarios).map(([id, checks]) => ({
    id,
    checks: checks.map((one) => ({ ...check(requirement, 'pass'), ...one })),
  }))
  return requirementResults(small, given).find(({ id }) => id === requirement)?.status
}

describe('a scenario is as good as its worst check', () => {
  it('in the order of severity', () => {
    expect(worstOf(['pass', 'observed'])).toBe('pass')
    expect(worstOf(['pass', 'tolerated', 'not_run'])).toBe('not_run')
    expect(worstOf(['not_run', 'inconclusive'])).toBe('inconclusive')
    expect(worstOf(['inconclusive', 'fail'])).toBe('fail')
    expect(worstOf(['fail', 'harness_error'])).toBe('harness_error')
  })

  it('and proves nothing without any', () => {
    expect(worstOf([])).toBe('inconclusive')
  })
})

describe('a requirement', () => {
  it.each<[string, CheckVerdict[]]>([
    ['violated', ['pass', 'fail', 'inconclusive']],
    ['inconclusive', ['not_run', 'inconclusive']],
    ['not_exercised', ['pass', 'not_run']],
    ['not_exercised', []],
    ['shown', ['pass', 'tolerated']],
  ])('is %s by checks that are %j', (status, verdicts) => {
    expect(statusOf({ 'a/one': verdicts.map((verdict) => ({ verdict })) })).toBe(status)
  })

  it('is shown where what was not run hangs on a choice that the document leaves to the target', () => {
    expect(statusOf({ 'a/one': [{ verdict: 'pass' }, { verdict: 'not_run', reason: 'open-point' }] })).toBe('shown')
    expect(statusOf({ 'a/one': [{ verdict: 'not_run', reason: 'open-point' }] })).toBe('not_exercised')
  })

  it('is shown by one row where other rows cannot be tried, and by no row that is left out by hand', () => {
    const cannot = { verdict: 'not_run', reason: 'read-only' } as const
    expect(statusOf({ 'a/each[one]': [{}], 'a/each[two]': [cannot] })).toBe('shown')
    expect(statusOf({ 'a/each[two]': [cannot] })).toBe('not_exercised')
    expect(statusOf({ 'a/each[one]': [{}], 'a/two': [cannot] })).toBe('not_exercised')
    expect(statusOf({ 'a/each[one]': [{}], 'a/each[two]': [{ ...cannot, reason: 'filtered' }] })).toBe('not_exercised')
  })

  it('that lists the operations of a scope is shown by all of them', () => {
    const cannot = { verdict: 'not_run', reason: 'needs-scope' } as const
    expect(statusOf({ 'a/each[one]': [{}], 'a/each[two]': [cannot] }, 'SCOPE-01')).toBe('not_exercised')
  })
})

describe('a run', () => {
  it.each<[string, CheckResult[], string[] | undefined, string]>([
    ['every observable must row is shown', [passed, check('B-01', 'tolerated')], undefined, 'conforming'],
    ['a row is missing', [passed], undefined, 'not_fully_verified'],
    ['a row outside of the profile is violated', [passed, check('B-01', 'fail')], ['A-01'], 'non_conforming'],
    ['a row outside of the profile is not proved', [passed, check('B-01', 'inconclusive')], ['A-01'], 'conforming'],
    ['we erred outside of the profile', [passed, check('B-01', 'harness_error')], ['A-01'], 'not_fully_verified'],
    ['there are observations alone', [check('C-01', 'observed')], ['C-01'], 'not_fully_verified'],
    ['it was cut off after its profile was shown', [passed, cutOff], ['A-01'], 'not_fully_verified'],
    ['its profile is empty', [passed], [], 'not_fully_verified'],
    ['there are no checks', [], undefined, 'void'],
    ['no check ran', [check('A-01', 'not_run')], undefined, 'void'],
  ])('where %s is judged', (_where, checks, profile, verdict) => {
    expect(verdictOf(checks, profile)).toBe(verdict)
  })

  it('conforms without a row that can only be seen where the target chose otherwise', () => {
    const left: CheckResult = { ...check('B-01', 'not_run'), reason: 'open-point' }
    expect(verdictOf([check('A-01', 'pass'), left])).toBe('conforming')
    expect(verdictOf([left], ['B-01'])).not.toBe('conforming')
  })
})
