import { describe, expect, it } from 'vitest'
import { profileOfAll } from '../../src/conformance/engine/profile.ts'
import type { RequirementRegistry } from '../../src/conformance/format/requirements.ts'
import { requirementResults, runVerdictOf, statusOf, worstOf } from '../../src/conformance/judge/verdict.ts'
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
  requirements: new Map([row('A-01', 'must'), row('B-01', 'must'), row('C-01', 'open'), row('D-01', 'must')]),
  conflicts: [],
  unobservable: new Map([['D-01', 'nobody sees it']]),
}

function verdictOf(checks: CheckResult[], profile?: string[]): string {
  const about = profile ? { name: 'these', requirements: profile } : profileOfAll(small)
  return runVerdictOf(requirementResults(small, checks), checks, about)
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
    expect(statusOf(verdicts.map((verdict) => ({ verdict })))).toBe(status)
  })

  it('is shown where what was not run hangs on a choice that the document leaves to the target', () => {
    expect(statusOf([{ verdict: 'pass' }, { verdict: 'not_run', reason: 'open-point' }])).toBe('shown')
    expect(statusOf([{ verdict: 'not_run', reason: 'open-point' }])).toBe('not_exercised')
  })
})

describe('a run', () => {
  it('conforms once every observable must row is shown', () => {
    expect(verdictOf([check('A-01', 'pass'), check('B-01', 'tolerated')])).toBe('conforming')
  })

  it('conforms without a row that can only be seen where the target chose otherwise', () => {
    const left: CheckResult = { ...check('B-01', 'not_run'), reason: 'open-point' }
    expect(verdictOf([check('A-01', 'pass'), left])).toBe('conforming')
    expect(verdictOf([left], ['B-01'])).not.toBe('conforming')
  })

  it('is not fully verified while one is missing', () => {
    expect(verdictOf([check('A-01', 'pass')])).toBe('not_fully_verified')
  })

  it('is non-conforming with one violation, whatever the profile', () => {
    expect(verdictOf([check('A-01', 'pass'), check('B-01', 'fail')], ['A-01'])).toBe('non_conforming')
  })

  it('is about the rows of its profile, whatever was not proved besides', () => {
    expect(verdictOf([check('A-01', 'pass'), check('B-01', 'inconclusive')], ['A-01'])).toBe('conforming')
  })

  it('is void where nothing ran', () => {
    expect(verdictOf([])).toBe('void')
    expect(verdictOf([check('A-01', 'not_run')])).toBe('void')
  })

  it('does not conform by observations alone', () => {
    expect(verdictOf([check('C-01', 'observed')], ['C-01'])).toBe('not_fully_verified')
  })

  it('does not conform with a harness error outside of its profile', () => {
    expect(verdictOf([check('A-01', 'pass'), check('B-01', 'harness_error')], ['A-01'])).toBe('not_fully_verified')
  })

  it('does not conform where it was cut off, although its profile was shown by then', () => {
    const cutOff: CheckResult = { ...check('B-01', 'not_run'), reason: 'interrupted' }
    expect(verdictOf([check('A-01', 'pass'), cutOff], ['A-01'])).toBe('not_fully_verified')
  })

  it('does not conform to an empty profile', () => {
    expect(verdictOf([check('A-01', 'pass')], [])).toBe('not_fully_verified')
  })
})
