import { lstatSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Progress } from '../../conformance/engine/run-options.ts'
import { type RenderOptions, type Reporter, reportModelOf } from '../../conformance/reports/report-model.ts'
import { isReporterName, REPORTER_NAMES, REPORTERS } from '../../conformance/reports/reporters.ts'
import type { RunResult } from '../../conformance/result/result.ts'
import { didYouMean } from '../../contract/words.ts'
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
      const [name = '', ...rest] = value.split('=')
      const file = rest.length === 0 ? null : rest.join('=')
      if (!isReporterName(name))
        throw new CliError(
          `--reporter: unknown reporter "${name}"${didYouMean(name, REPORTER_NAMES) || `; use ${REPORTER_NAMES.join(', ')}`}`,
        )
      if (file === '') throw new CliError(`--reporter: ${name}= has no file name`)
      return { name, file }
    }),
    ...(output === undefined ? [] : REPORTER_NAMES).map(
      (name): WantedReport => ({ name, file: join(output ?? '', REPORTERS[name].file), flag: '--output' }),
    ),
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

/** Begins the reports that are written while the run goes; the others are written at its end. */
export async function openReports(
  reports: readonly WantedReport[],
  options: Omit<RenderOptions, 'color'>,
  session: Session,
): Promise<OpenReports> {
  const reporters = await Promise.all(reports.map(({ name }) => REPORTERS[name].load()))
  const opened = reports.map(({ file, flag = '--reporter' }, at) => {
    const { render, follow } = reporters[at] as Reporter
    const add = (text: string) => (file === null ? session.out(text) : appendText(file, flag, text))
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
        else if (follower) replaceText(file, flag, text)
        else saveText(file, flag, text)
      }
    },
  }
}
