import type { CheckResult } from '../../conformance/result/result.ts'
import type { SoundRun } from './result.ts'
import { checksOf, nameOf, runAgainstOwn, type Suite } from './suite.ts'

const GREEN: readonly CheckResult['verdict'][] = ['pass', 'observed']

/** The whole suite against the sound sandbox: everything must be green and every requirement shown. */
export async function runSound(suite: Suite): Promise<SoundRun> {
  const result = await runAgainstOwn(suite, suite.scenarios, {})
  return {
    verdict: result.verdict,
    passed: checksOf(result, ({ verdict }) => verdict === 'pass').map(nameOf),
    notGreen: checksOf(result, ({ verdict }) => !GREEN.includes(verdict)),
    shown: result.requirements.filter(({ status }) => status === 'shown').map(({ id }) => id),
    tookMs: result.durationMs,
  }
}
