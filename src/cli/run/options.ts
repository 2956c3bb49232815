import { type BaselineEntry, isDay } from '../../conformance/engine/baseline.ts'
import { profileOfAll } from '../../conformance/engine/profile.ts'
import type { RunOptions } from '../../conformance/engine/run-options.ts'
import { readRegistry } from '../read-registry.ts'
import { readLogFile } from '../report/logs.ts'
import { CliError } from '../session.ts'
import { readBaseline } from './baseline.ts'
import type { ReportingOptions } from './reports.ts'
import { filterOf, loadSelected, type Selection, wantedProfile } from './selection.ts'
import type { TargetOptions } from './target.ts'

/** What `conform` was asked for. */
export interface ConformOptions extends TargetOptions, Selection, ReportingOptions {
  selected?: boolean
  baseline?: string
  writeBaseline?: string
  /** Of the entries that --write-baseline adds. */
  reason?: string
  /** The last day of these entries. */
  until?: string
  /** Log of a run whose failed scenarios are to run, and no others. */
  rerunFailed?: string
  dryRun?: boolean
  watch?: boolean
  /** True: one failing scenario. */
  bail?: number | true
  maxWait?: number
  ask?: boolean
}

/** Flags that contradict each other, with what each pair is called. */
const CONTRADICTIONS = [
  ['dryRun', 'writeBaseline', '--dry-run and --write-baseline exclude each other: a dry run finds no failures'],
  ['dryRun', 'bail', '--dry-run and --bail exclude each other: a dry run has no failures'],
  ['dryRun', 'watch', '--dry-run and --watch exclude each other'],
  ['watch', 'writeBaseline', '--watch and --write-baseline exclude each other: write it in a separate run'],
  ['watch', 'ask', '--watch and --ask exclude each other'],
  ['rerunFailed', 'only', '--rerun-failed and --only exclude each other: the log names the scenarios'],
] as const satisfies readonly (readonly [keyof ConformOptions, keyof ConformOptions, string])[]

/** @throws CliError */
export function refuseCombinations(options: ConformOptions): void {
  const found = CONTRADICTIONS.find(([one, other]) => options[one] !== undefined && options[other] !== undefined)
  if (found) throw new CliError(found[2])
  const { writeBaseline, reason, until } = options
  if (writeBaseline === undefined && (reason ?? until) !== undefined)
    throw new CliError('--reason and --until go with --write-baseline: they are for the entries that it adds')
  if (reason?.trim() === '') throw new CliError('--reason: it must not be empty')
  if (until !== undefined && !isDay(until)) throw new CliError('--until: it must be a day such as 2026-09-30')
}

/** With `--rerun-failed`, the scenarios in which a check of that log failed; these alone are judged. */
export function narrowedToFailed(options: ConformOptions): ConformOptions {
  const { rerunFailed: log } = options
  if (log === undefined) return options
  const { scenarios } = readLogFile(log, '--rerun-failed').result
  const failed = scenarios.filter(({ checks }) => checks.some(({ verdict }) => verdict === 'fail')).map(({ id }) => id)
  if (failed.length === 0) throw new CliError(`--rerun-failed: no check failed in ${log}, so no check would run`)
  return { ...options, only: failed, selected: true }
}

export interface RunInputs extends Pick<RunOptions, 'scenarios' | 'registry' | 'only'> {
  profile: NonNullable<RunOptions['profile']>
  baseline: BaselineEntry[] | null
}

/** Everything that is read is read before the first request, so that a mistake costs none. */
export function prepare(options: ConformOptions): RunInputs {
  const registry = readRegistry()
  const profile = wantedProfile(options.profile, registry)
  const scenarios = loadSelected(options, registry, profile)
  return {
    registry,
    scenarios,
    ...filterOf(options, profile),
    profile: profile ?? profileOfAll(registry),
    baseline: readBaseline(options.baseline, scenarios),
  }
}
