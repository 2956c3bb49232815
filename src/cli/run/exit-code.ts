import type { BaselinedRun } from '../../conformance/engine/baseline.ts'
import { type CheckResult, type RunResult, selectionPassed } from '../../conformance/result/result.ts'
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts'

/** What a run is held to besides its verdict. */
interface Standards {
  allowUnverified: boolean
  failOnDrift: boolean
  /** The selected scenarios alone decide. */
  selected?: boolean
}

/** What flags hold a run to. */
export function standardsOf(options: { allowUnverified?: boolean; failOn?: 'drift'[]; selected?: boolean }): Standards {
  const { allowUnverified = false, failOn = [], selected = false } = options
  return { allowUnverified, failOnDrift: failOn.includes('drift'), selected }
}

/**
 * What the end of a run means for the process. A failure that no baseline lists comes first; then what
 * keeps the run or its baseline from being trusted; then the verdict, as if the known failures were not there.
 */
export function exitCodeOfRun(result: RunResult, standards: Standards, baselined: BaselinedRun | null): ExitCode {
  const allowUnverified = standards.allowUnverified && !result.interrupted
  if (result.summary.checks.fail > 0 && failsAnew(result, baselined)) return EXIT_CODES.refused
  if (standards.failOnDrift && result.summary.checks.drift > 0) return EXIT_CODES.refused
  const allowed = { ...standards, allowUnverified }
  if (baselined === null) return verdictCode(result, allowed)
  if (result.summary.checks.harness_error > 0) return EXIT_CODES.harness
  const { stale, changed, expired } = baselined
  if (stale.length + changed.length + expired.length > 0) return EXIT_CODES.baseline
  return verdictCode({ ...result, verdict: baselined.verdictBesides }, allowed)
}

function verdictCode(result: RunResult, { selected, allowUnverified }: Standards): ExitCode {
  return selected && selectionPassed(result) !== null ? EXIT_CODES.ok : exitCodeOf(result, allowUnverified)
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
