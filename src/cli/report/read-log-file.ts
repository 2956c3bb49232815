import { statSync } from 'node:fs'
import { UnusableLogError } from '../../conformance/log/read-lines.ts'
import { type RunLog, readLog } from '../../conformance/log/read-log.ts'
import { readInput } from '../read-input.ts'
import { CliError } from '../session.ts'

/** More than a hundred runs of everything there is; one text of more could not be held. */
const MAX_LOG_BYTES = 256 * 1024 * 1024

/**
 * The run that a log file tells; `-` is standard input.
 *
 * @throws CliError with file and line where it cannot be used.
 */
export function readLogFile(file: string): RunLog {
  refuseHuge(file, file === '-' ? 0 : (statSync(file, { throwIfNoEntry: false })?.size ?? 0))
  const bytes = readInput(file)
  refuseHuge(file, bytes.length)
  try {
    return readLog(new TextDecoder('utf-8').decode(bytes))
  } catch (error) {
    if (!(error instanceof UnusableLogError)) throw error
    throw new CliError(`${file}:${error.line}: ${error.message}`)
  }
}

function refuseHuge(file: string, bytes: number): void {
  if (bytes > MAX_LOG_BYTES) throw new CliError(`${file}: a log of more than ${MAX_LOG_BYTES} bytes is not read`)
}
