import type { CheckResult } from '../result/result.ts'

/**
 * What a check comes to in reports of other tools' formats. Skips (left out on purpose), known failures (listed in a baseline) and
 * unsupported capabilities (the run lacks what the check needs) are three different things.
 */
export type Standing =
  | 'fine'
  | 'violated'
  | 'known failure'
  | 'unproved'
  | 'drifted'
  | 'skipped'
  | 'unsupported'
  | 'interrupted'

/** What is wrong with a run that checked nothing; no report of it may look green. */
export const VOID = 'no check ran, so this run has no verdict'

/** @example standingOf(check) // 'known failure' */
export function standingOf({ verdict, reason, known }: CheckResult): Standing {
  if (known !== undefined) return 'known failure'
  if (verdict === 'fail') return 'violated'
  if (verdict === 'inconclusive' || verdict === 'harness_error') return 'unproved'
  if (verdict === 'drift') return 'drifted'
  if (verdict !== 'not_run') return 'fine'
  if (reason === 'filtered' || reason === 'dry-run') return 'skipped'
  return reason === 'interrupted' ? 'interrupted' : 'unsupported'
}

/** Why a failure is known, in one line. */
export function knownWords({ known }: CheckResult): string {
  return known === undefined ? '' : `known failure until ${known.until}: ${known.reason}`
}
