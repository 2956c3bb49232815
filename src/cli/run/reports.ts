import { lstatSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { BaselinedRun } from '../../conformance/engine/baseline.ts'
import type { Progress } from '../../conformance/engine/run-options.ts'
import { type RenderOptions, type Reporter, reportModelOf } from '../../conformance/reports/report-model.ts'
import { REPORTER_NAMES, REPORTERS } from '../../conformance/reports/reporters.ts'
import { type CheckResult, type RunResult, selectionPassed } from '../../conformance/result/result.ts'
import { unknownName } from '../../contract/words.ts'
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts'
import { appendText, replaceText, saveText } from '../files.ts'
import { wantsColor } from '../output/color.ts'
import { CliError, type Session } from '../session.ts'

/** What a command was asked for that makes reports and ends with the exit code of a run. */
export interface ReportingOptions {
  reporter?: string[]
  /** Folder for a file of each format. */
  output?: string
  verbose?: boolean
  allowUnverified?: boolean
  failOn?: 'drift'[]
}

/** A report that was asked for, and where it goes. */
interface WantedReport {
  name: keyof typeof REPORTERS
  /** Null: standard output. */
  file: string | null
  /** What asked for it; `--reporter` if absent. */
  flag?: '--reporter' | '--output'
}

/**
 * Reads `--reporter NAME[=FILE]`, given any number of times, and `--output DIR`, which adds a file of each format; `pretty` on
 * standard output by default. A step of GitHub Actions gets annotations before it without being asked: they are lines of their
 * own, and the verdict comes last.
 */
export function wantedReports(
  { reporter = ['pretty'], output }: ReportingOptions,
  env: Session['env'] = {},
): WantedReport[] {
  const named = [
    ...reporter.map((value): WantedReport => {
      const [word = '', ...rest] = value.split('=')
      const file = rest.length === 0 ? null : rest.join('=')
      const name = REPORTER_NAMES.find((one) => one === word)
      if (name === undefined) throw new CliError(`--reporter: ${unknownName('reporter', word, REPORTER_NAMES)}`)
      if (file === '') throw new CliError(`--reporter: ${name}= has no file name`)
      return { name, file }
    }),
    ...(output === undefined
      ? []
      : REPORTER_NAMES.map(
          (name): WantedReport => ({ name, file: join(output, REPORTERS[name].file), flag: '--output' }),
        )),
  ]
  const isPretty = named.some(({ name, file }) => name === 'pretty' && file === null)
  const isGithub = named.some(({ name, flag }) => name === 'github' && flag === undefined)
  const annotates = isPretty && env['GITHUB_ACTIONS'] === 'true' && !isGithub
  const reports = annotates ? [{ name: 'github' as const, file: null }, ...named] : named
  const places = reports
    .filter(({ name, file }) => !(isPretty && name === 'github' && file === null))
    .map(({ file }) => file)
  const shared = places.find((file, at) => places.indexOf(file) !== at)
  if (shared === undefined) return reports
  throw new CliError(
    `--reporter: two reports would go to ${shared ?? 'standard output'}; write NAME=FILE for one of them`,
  )
}

/** What the reports are made from must not be written over by one of them, also where making them fails halfway. */
export function keepLog(log: string, reports: readonly WantedReport[]): void {
  const over = reports.find(({ file }) => file !== null && resolve(file) === resolve(log))
  if (over)
    throw new CliError(
      `${over.flag ?? '--reporter'}: ${over.file} is the log that is read; write the new one to another file`,
    )
}

/** Opens every report file before a single request is sent, so that a long run is not lost to a wrong path. */
export function prepareReports(reports: readonly WantedReport[]): void {
  for (const { file, flag = '--reporter' } of reports) {
    if (file !== null) saveText(file, flag, '')
  }
}

/** The reports of a run that goes on. */
interface OpenReports {
  show(progress: Progress): void
  /** One of them shows calls that no check names too (see RunOptions.transcript). */
  readonly everyExchange: boolean
  /** @param isJudged false for a run without any check: reports for programs show that; a person reads the error. */
  end(result: RunResult, isJudged?: boolean): void
}

/**
 * Begins the reports that are written while the run goes; the others are written at its end. What cannot be
 * written is an error once all other reports are there.
 */
export async function openReports(
  reports: readonly WantedReport[],
  options: Omit<RenderOptions, 'color'>,
  session: Session,
): Promise<OpenReports> {
  const reporters = await Promise.all(reports.map(({ name }) => REPORTERS[name].load()))
  const unwritten = new Map<string, Error>()
  const unlessFull = (file: string, write: () => void, isWhole = false) => {
    try {
      if (unwritten.has(file) && !isWhole) return
      write()
      unwritten.delete(file)
    } catch (error) {
      unwritten.set(file, error as Error)
    }
  }
  const opened = reports.map(({ file, flag = '--reporter' }, at) => {
    const { render, follow } = reporters[at] as Reporter
    const add = (text: string) =>
      file === null ? session.out(text) : unlessFull(file, () => appendText(file, flag, text))
    return { render, follower: follow?.((text) => text !== '' && add(text), options) }
  })
  return {
    everyExchange: reporters.some(({ wants }) => wants === 'every-exchange'),
    show(progress) {
      for (const { follower } of opened) follower?.show(progress)
    },
    end(result, isJudged = true) {
      const model = reportModelOf(result)
      for (const [at, { render, follower }] of opened.entries()) {
        const { name, file, flag = '--reporter' } = reports[at] as WantedReport
        if (!isJudged && name === 'pretty' && file === null) continue
        // A pipe or a link cannot be replaced by another file.
        const isPlain = file !== null && (lstatSync(file, { throwIfNoEntry: false })?.isFile() ?? true)
        if (follower && !isPlain) {
          follower.end(result)
          continue
        }
        // Colors are for a report on standard output only.
        const color = file === null && wantsColor(session.env, session.outIsTerminal)
        const text = render(model, { ...options, color })
        if (file === null) session.out(text)
        // Put in order once all is known, so that the same run always leaves the same bytes.
        else unlessFull(file, () => (follower ? replaceText : saveText)(file, flag, text), true)
      }
      const [first, ...others] = unwritten.values()
      if (others.length === 0 && first) throw first
      if (first) throw new CliError([first, ...others].map(({ message }) => message).join('; '))
    },
  }
}

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
