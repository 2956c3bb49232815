import { lstatSync } from 'node:fs'
import { REPORTERS } from '../../conformance/reporters/index.ts'
import type { RenderOptions, RunFollower } from '../../conformance/reporters/reporter.ts'
import type { RunResult } from '../../conformance/result.ts'
import type { Session } from '../operator/session.ts'
import { appendText, replaceText } from '../output-file.ts'
import { type WantedReport, writeReport } from '../run/reporter-arguments.ts'

/** The reports of a run that goes on. */
export interface OpenReports extends RunFollower {
  /** One of them shows calls that no check names too (see RunOptions.transcript). */
  readonly everyExchange: boolean
  /** Of a run that judged nothing: what a program reads says so; a person reads the error. */
  endUnjudged(result: RunResult): void
}

/**
 * Begins the reports that are written while the run goes; the others are written at its end.
 *
 * @example
 * const writing = openReports(wantedReports(options.reporter), { colour, invocation }, session)
 * const result = await runConformance({ ...options, onProgress: writing.show })
 * writing.end(result)
 */
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

/** A pipe or a link is no file that another could be put in the place of. */
function isPlainFile(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() ?? true
}
