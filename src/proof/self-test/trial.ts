import type { CheckResult } from '../../conformance/result/result.ts'
import { findDefect } from '../defects/index.ts'
import { badServerCalled } from './bad-server-targets.ts'
import { runBadServer } from './bad-servers.ts'
import { runDefect } from './defect-detection.ts'
import { gapVariationCalled, runGapVariation } from './gap-variations.ts'
import type { BadServerRun, CorrectRun, DefectRun, GapVariationRun } from './result.ts'
import { checksOf, nameOf, runAgainstOwn, type Suite } from './suite.ts'

/** What comes of each kind of trial. */
export interface RunOf {
  sound: CorrectRun
  defect: DefectRun
  variation: GapVariationRun
  'bad-server': BadServerRun
}

export type TrialKind = keyof RunOf

/** One thing that a self-test tries, in words that can be sent to another thread. */
export interface Trial<Kind extends TrialKind = TrialKind> {
  kind: Kind
  name: string
}

/** Whether a trial keeps a processor busy for seconds; the others run few scenarios, and mostly wait. */
export function isWholeSuite(kind: TrialKind): boolean {
  return kind === 'sound' || kind === 'variation'
}

const RUN: { [Kind in TrialKind]: (suite: Suite, name: string) => Promise<RunOf[Kind]> } = {
  sound: runCorrect,
  defect: (suite, id) => runDefect(suite, findDefect(id)),
  variation: (suite, choice) => runGapVariation(suite, gapVariationCalled(choice)),
  'bad-server': (suite, name) => runBadServer(suite, badServerCalled(name)),
}

/** @throws UnknownDefectError, UnknownGapVariationError, UnknownBadServerError */
export function runTrial<Kind extends TrialKind>(suite: Suite, { kind, name }: Trial<Kind>): Promise<RunOf[Kind]> {
  return RUN[kind](suite, name)
}

const GREEN: readonly CheckResult['verdict'][] = ['pass', 'observed']

/** The whole suite against the correct sandbox: everything must be green and every requirement shown. */
export async function runCorrect(suite: Suite): Promise<CorrectRun> {
  const result = await runAgainstOwn(suite, suite.scenarios, {})
  return {
    verdict: result.verdict,
    passed: checksOf(result, ({ verdict }) => verdict === 'pass').map(nameOf),
    notGreen: checksOf(result, ({ verdict }) => !GREEN.includes(verdict)),
    shown: result.requirements.filter(({ status }) => status === 'shown').map(({ id }) => id),
    tookMs: result.durationMs,
  }
}
