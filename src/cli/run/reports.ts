import { lstatSync } from 'node:fs'
import { resolve } from 'node:path'
import type { RunFollower } from '../../conformance/log/write-log.ts'
import { REPORTERS } from '../../conformance/reports/index.ts'
import { isReporterName, REPORTER_NAMES, type ReporterName } from '../../conformance/reports/names.ts'
import type { RenderOptions } from '../../conformance/reports/reporter.ts'
import type { RunResult } from '../../conformance/result/result.ts'
import { didYouMean } from '../../contract/words.ts'
import { appendText, replaceText, saveText } from '../files.ts'
import { CliError, type Session } from '../session.ts'

/** What a command was asked for that makes reports and ends with the exit code of a run. */
export interface ReportingOptions {
  reporter?: string[]
  verbose?: boolean
  allowUnverified?: boolean
  failOn?: 'drift'[]
}

/** A report that was asked for, and where it goes. */
export interface WantedReport {
  name: ReporterName
  /** Null: standard output. */
  file: string | null
}

const PRETTY: WantedReport = { name: 'pretty', file: null }

/**
 * Reads `--reporter NAME[=FILE]`, given any number of times; `pretty` on standard output by default. A step of GitHub Actions
 * gets annotations before it without being asked: they are lines of their own, and the verdict comes last.
 */
export function wantedReports(values: readonly string[], env: Session['env'] = {}): WantedReport[] {
  const named = values.length === 0 ? [PRETTY] : values.map(readReport)
  const isPretty = named.some(({ name, file }) => name === 'pretty' && file === null)
  const annotates = isPretty && env['GITHUB_ACTIONS'] === 'true' && named.every(({ name }) => name !== 'github')
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

function readReport(value: string): WantedReport {
  const [name = '', ...rest] = value.split('=')
  const file = rest.length === 0 ? null : rest.join('=')
  if (!isReporterName(name))
    throw new CliError(
      `--reporter: unknown reporter "${name}"${didYouMean(name, REPORTER_NAMES) || `; use ${REPORTER_NAMES.join(', ')}`}`,
    )
  if (file === '') throw new CliError(`--reporter: ${name}= has no file name`)
  return { name, file }
}

/** What the reports are made from must not be written over by one of them, also where making them fails halfway. */
export function keepLog(log: string, reports: readonly WantedReport[]): void {
  const over = reports.find(({ file }) => file !== null && resolve(file) === resolve(log))
  if (over) throw new CliError(`--reporter: ${over.file} is the log that is read; write the new one to another file`)
}

/** Opens every report file before a single request is sent, so that a long run is not lost to a wrong path. */
export function prepareReports(reports: readonly WantedReport[]): void {
  for (const { file } of reports) {
    if (file !== null) saveText(file, '--reporter', '')
  }
}

/** Writes every report. Colors are for a report on standard output only. */
export function writeReports(
  reports: readonly WantedReport[],
  result: RunResult,
  options: RenderOptions,
  session: Session,
): void {
  for (const report of reports) writeReport(report, result, options, session)
}

function writeReport({ name, file }: WantedReport, result: RunResult, options: RenderOptions, session: Session): void {
  const text = REPORTERS[name].render(result, { ...options, color: options.color && file === null })
  if (file === null) session.out(text)
  else saveText(file, '--reporter', text)
}

/** The reports of a run that goes on. */
export interface OpenReports extends RunFollower {
  /** One of them shows calls that no check names too (see RunOptions.transcript). */
  readonly everyExchange: boolean
  /** For a run without any check: reports for programs show that; a person reads the error. */
  endUnjudged(result: RunResult): void
}

/** Begins the reports that are written while the run goes; the others are written at its end. */
export function openReports(reports: readonly WantedReport[], options: RenderOptions, session: Session): OpenReports {
  const writing = reports.map((report) => ({ report, ...openReport(report, options, session) }))
  return {
    everyExchange: reports.some(({ name }) => REPORTERS[name].wants === 'every-exchange'),
    show: (progress) => {
      for (const { show } of writing) show(progress)
    },
    endUnjudged: (result) => {
      for (const { report, end } of writing) if (report.name !== 'pretty' || report.file !== null) end(result)
    },
    end: (result) => {
      for (const { end } of writing) end(result)
    },
  }
}

function openReport(report: WantedReport, options: RenderOptions, session: Session): RunFollower {
  const { name, file } = report
  const { render, follow } = REPORTERS[name]
  if (!follow) return { show: () => undefined, end: (result) => writeReport(report, result, options, session) }
  const follower = follow((text) => add(file, text, session), options)
  if (file === null || !isPlainFile(file)) return follower
  // Put in order once all is known, so that the same run always leaves the same bytes.
  return { show: follower.show, end: (result) => replaceText(file, '--reporter', render(result, options)) }
}

function add(file: string | null, text: string, session: Session): void {
  if (text === '') return
  if (file === null) session.out(text)
  else appendText(file, '--reporter', text)
}

/** A pipe or a link cannot be replaced by another file. */
function isPlainFile(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() ?? true
}
