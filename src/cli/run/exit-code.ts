import type { BaselinedRun } from '../../conformance/engine/baseline.ts'
import { type CheckResult, type RunResult, selectionPassed } from '../../conformance/result/result.ts'
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts'

/** What flags hold a run to besides its verdict. */
interface Standards {
  allowUnverified?: boolean
  failOn?: readonly 'drift'[]
  /** The selected scenarios alone decide. */
  selected?: boolean
}

/**
 * What the end of a run means for the process. A failure that no baseline lists comes first; then what
 * keeps the run or its baseline from being trusted; then the verdict, as if the known failures were not there.
 */
export function exitCodeOfRun(result: RunResult, standards: Standards, baselined: BaselinedRun | null): ExitCode {
  const { allowUnverified = false, failOn = [], selected = false } = standards
  const { fail, drift, harness_error: harness } = result.summary.checks
  if (fail > 0 && failsAnew(result, baselined)) return EXIT_CODES.refused
  if (failOn.includes('drift') && drift > 0) return EXIT_CODES.refused
  if (baselined && harness > 0) return EXIT_CODES.harness
  if (baselined && baselined.stale.length + baselined.changed.length + baselined.expired.length > 0)
    return EXIT_CODES.baseline
  const judged = baselined ? { ...result, verdict: baselined.verdictBesides } : result
  if (selected && selectionPassed(judged) !== null) return EXIT_CODES.ok
  return exitCodeOf(judged, allowUnverified && !result.interrupted)
}

/** Whether there is a failure that no entry of the baseline is about, be it an outdated one. */
function failsAnew({ scenarios }: RunResult, baselined: BaselinedRun | null): boolean {
  const outdated = [...(baselined?.changed.map(({ entry }) => entry) ?? []), ...(baselined?.expired ?? [])]
  const isOutdated = (scenario: string, { step, requirement }: CheckResult): boolean =>
    outdated.some(
      (entry) =>
        entry.requirement === requirement && (entry.check === undefined || entry.check === `${scenario}/${step}`),
    )
  return scenarios.some(({ id, checks }) =>
    checks.some((check) => check.verdict === 'fail' && !check.known && !isOutdated(id, check)),
  )
}

/** A run without any check that ran is never a success, with any flag. */
export function exitCodeOf(result: RunResult, allowUnverified: boolean): ExitCode {
  const { checks } = result.summary
  if (result.verdict === 'non_conforming') return EXIT_CODES.refused
  if (checks.harness_error > 0) return EXIT_CODES.harness
  const carriedOut = checks.pass + checks.fail + checks.tolerated
  if (result.verdict === 'void' || carriedOut === 0) return EXIT_CODES.notFullyVerified
  if (result.verdict === 'conforming' || allowUnverified) return EXIT_CODES.ok
  return EXIT_CODES.notFullyVerified
}
