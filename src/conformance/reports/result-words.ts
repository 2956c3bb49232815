import type { CheckVerdict, RequirementStatus } from '../result/result.ts'
import type { Standing } from './standing.ts'

/**
 * The words for results in every format that people read: the same ones for checks and requirements. The JSON formats have their
 * own names.
 */
export const RESULT_WORDS: Readonly<Record<CheckVerdict | RequirementStatus, string>> = {
  pass: 'passed',
  fail: 'failed',
  tolerated: 'tolerated',
  inconclusive: 'inconclusive',
  not_run: 'not run',
  observed: 'observed',
  drift: 'drift',
  harness_error: 'runner error',
  shown: 'passed',
  violated: 'failed',
  not_exercised: 'not run',
}

/** The same for what a check comes to, where skips and known failures are counted separately. */
export const STANDING_WORDS: Readonly<Record<Standing, string>> = {
  fine: 'passed',
  violated: 'failed',
  'known failure': 'known failures',
  unproved: 'inconclusive',
  drifted: 'drift',
  skipped: 'skipped',
  unsupported: 'not run',
  interrupted: 'interrupted',
}
