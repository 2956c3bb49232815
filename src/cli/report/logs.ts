import { statSync } from 'node:fs'
import { baselinedBefore } from '../../conformance/engine/baseline.ts'
import { loadRequirements } from '../../conformance/format/requirements.ts'
import { readLog, UnusableLogError } from '../../conformance/log/lines.ts'
import { questionsOf } from '../../conformance/reports/open-points.ts'
import type { ExitCode } from '../exit-codes.ts'
import { readInput } from '../files.ts'
import { SCENARIOS_DIRECTORY } from '../read-scenarios.ts'
import {
  exitCodeOfRun,
  keepLog,
  openReports,
  prepareReports,
  type ReportingOptions,
  wantedReports,
} from '../run/reports.ts'
import { CliError, type Session } from '../session.ts'

/** More than a hundred runs of everything there is; one text of more could not be held. */
const MAX_LOG_BYTES = 256 * 1024 * 1024

/** The run of a log file; `-` is standard input. */
export function readLogFile(file: string, flag: string | null = null) {
  const name = flag === null ? file : `${flag}: ${file}`
  const facts = file === '-' ? undefined : statSync(file, { throwIfNoEntry: false })
  if (facts?.isCharacterDevice()) throw new CliError(`${name}: this is a device, not a log`)
  refuseHuge(name, facts?.size ?? 0)
  const bytes = readInput(file, flag)
  refuseHuge(name, bytes.length)
  try {
    return readLog(new TextDecoder('utf-8').decode(bytes))
  } catch (error) {
    if (!(error instanceof UnusableLogError)) throw error
    throw new CliError(`${name}:${error.line}: ${error.message}`)
  }
}

function refuseHuge(name: string, bytes: number): void {
  if (bytes > MAX_LOG_BYTES) throw new CliError(`${name}: the log is larger than ${MAX_LOG_BYTES} bytes`)
}

export async function writeAgain(file: string, options: ReportingOptions, session: Session): Promise<ExitCode> {
  const reports = wantedReports(options)
  keepLog(file, reports)
  const { result, complete, surroundings } = readLogFile(file)
  prepareReports(reports)
  const words = { ...surroundings, verbose: options.verbose ?? false, ownScenarios: SCENARIOS_DIRECTORY }
  const writing = await openReports(reports, words, session)
  writing.end(result)
  if (!complete) session.err(`${file} is incomplete: what is missing counts as not run\n`)
  return exitCodeOfRun(result, options, baselinedBefore(result))
}

/** The open points with what each run saw, as Markdown. */
export function printQuestions(logs: readonly string[], session: Session): void {
  const runs = logs.map((log) => readLogFile(log).result)
  session.out(questionsOf(runs, loadRequirements().conflicts))
}
