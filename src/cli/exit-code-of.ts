import type { RunResult } from '../conformance/result.ts'
import { EXIT_CODES, type ExitCode } from './exit-codes.ts'

/**
 * What a run's outcome means for the process. A run that carried nothing out is never a success, whatever was allowed.
 */
export function exitCodeOf(result: RunResult, allowUnverified: boolean): ExitCode {
  const { checks } = result.summary
  if (result.verdict === 'non_conforming') return EXIT_CODES.refused
  if (checks.harness_error > 0) return EXIT_CODES.harness
  const carriedOut = checks.pass + checks.fail + checks.tolerated
  if (result.verdict === 'void' || carriedOut === 0) return EXIT_CODES.notFullyVerified
  if (result.verdict === 'conforming' || allowUnverified) return EXIT_CODES.ok
  return EXIT_CODES.notFullyVerified
}
