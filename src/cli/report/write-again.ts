import { baselinedBefore } from '../../conformance/engine/baseline.ts'
import { questionsOf } from '../../conformance/reports/questions.ts'
import type { ExitCode } from '../exit-codes.ts'
import { wantsColor } from '../output/color.ts'
import { readRegistry } from '../read-registry.ts'
import { exitCodeOfRun, standardsOf } from '../run/exit-code.ts'
import { prepareReports, wantedReports, writeReports } from '../run/reports.ts'
import { keepLogs } from '../run/resume.ts'
import type { Session } from '../session.ts'
import { mergedRun, readLogFile } from './read-log-file.ts'

export interface AgainOptions {
  reporter?: string[]
  verbose?: boolean
  allowUnverified?: boolean
  failOn?: 'drift'[]
}

/** Makes the reports of a run, or of several that make one together, from their logs. */
export function writeAgain(files: readonly string[], options: AgainOptions, session: Session): ExitCode {
  const reports = wantedReports(options.reporter ?? [])
  keepLogs(files, reports, 'read')
  const logs = files.map((file) => readLogFile(file))
  const result = mergedRun(logs.map((log) => log.result))
  prepareReports(reports)
  const surroundings = logs[0]?.surroundings ?? { invocation: '' }
  const color = wantsColor(session.env, session.outIsTerminal)
  writeReports(reports, result, { ...surroundings, color, verbose: options.verbose ?? false }, session)
  for (const [at, file] of files.entries()) {
    if (logs[at]?.complete === false) session.err(`${file} is incomplete: what is missing counts as not run\n`)
  }
  return exitCodeOfRun(result, standardsOf(options), baselinedBefore(result))
}

/** The open points with what each run saw, as Markdown. */
export function printQuestions(logs: readonly string[], session: Session): void {
  const runs = logs.map((log) => readLogFile(log).result)
  session.out(questionsOf(runs, readRegistry().conflicts))
}
