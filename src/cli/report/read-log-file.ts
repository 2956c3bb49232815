import { statSync } from 'node:fs'
import { mergeRuns, UnmergeableRunsError } from '../../conformance/log/merge-runs.ts'
import { UnusableLogError } from '../../conformance/log/read-lines.ts'
import { type RunLog, readLog } from '../../conformance/log/read-log.ts'
import type { RunResult } from '../../conformance/result/result.ts'
import { readInput } from '../files.ts'
import { CliError } from '../session.ts'

/** More than a hundred runs of everything there is; one text of more could not be held. */
const MAX_LOG_BYTES = 256 * 1024 * 1024

/** One run made of the parts that logs hold. The flag is the option that named them; null for arguments. */
export function mergedRun(parts: readonly RunResult[], flag: string | null = null): RunResult {
  try {
    return mergeRuns(parts)
  } catch (error) {
    if (!(error instanceof UnmergeableRunsError)) throw error
    throw new CliError(flag === null ? error.message : `${flag}: ${error.message}`)
  }
}

/** The run of a log file; `-` is standard input. */
export function readLogFile(file: string, flag: string | null = null): RunLog {
  const name = flag === null ? file : `${flag}: ${file}`
  const facts = file === '-' ? undefined : statSync(file, { throwIfNoEntry: false })
  if (facts?.isCharacterDevice()) throw new CliError(`${name}: this is a device, not a log`)
  refuseHuge(name, facts?.size ?? 0)
  const bytes = readInput(file)
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
