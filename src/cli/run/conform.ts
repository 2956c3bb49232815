import type { ExitCode } from '../exit-codes.ts'
import type { Session } from '../session.ts'
import { prepareBaseline } from './baseline.ts'
import { judge } from './judge.ts'
import { type ConformOptions, prepare, refuseCombinations } from './options.ts'
import { prepareReports, type WantedReport, wantedReports } from './reports.ts'
import { keepLogs } from './resume.ts'
import { namedTarget } from './target.ts'

/** Runs the scenarios against the target of the command line, writes the reports, and says how it ended. */
export async function conform(url: string | undefined, options: ConformOptions, session: Session): Promise<ExitCode> {
  refuseCombinations(options)
  const reports = reportsOf(options, session)
  const open = namedTarget(url, options, session)
  keepLogs(options.resume ?? [], reports, 'resumed')
  if (options.watch) {
    const { watchAndRun } = await import('./watch.ts')
    const openAgain = () => namedTarget(url, options, session)()
    return watchAndRun({ open: openAgain, reports, options, session })
  }
  // A sandbox of our own starts in a thread of its own, while this one reads the scenarios.
  const opening = open()
  try {
    const prepared = prepare(options)
    prepareReports(reports)
    prepareBaseline(options)
    const opened = await opening
    const signal = session.interrupted()
    return (await judge({ opened, reports, prepared, options, signal, session })).code
  } finally {
    const opened = await opening.catch(() => null)
    await opened?.close()
  }
}

/** A dry run lists what it would do, and a watch what came of each run, in the place of a report. */
function reportsOf({ dryRun, watch, reporter }: ConformOptions, { env }: Session): WantedReport[] {
  return (dryRun || watch) && reporter === undefined ? [] : wantedReports(reporter ?? [], env)
}
