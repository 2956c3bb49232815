import type { WallClock } from '../clock/wall-clock.ts'
import { EXIT_CODES, type ExitCode } from './exit-codes.ts'

/** Everything a command may know of the process around it, so that a test can be that process. */
export interface Session {
  /** Standard output: what was asked for. */
  out(text: string): void
  /** Standard error: everything else. */
  err(text: string): void
  readonly outIsTerminal: boolean
  readonly errIsTerminal: boolean
  /** Characters in a line of the terminal. */
  readonly columns: number
  readonly env: Readonly<Record<string, string | undefined>>
  readonly wall: WallClock
  /** How this program was called, ready to be pasted, e.g. `npx partner-sandbox`. */
  readonly program: string
  /** Aborted by the first SIGINT or SIGTERM from now on; the second one ends the process. */
  interrupted(): AbortSignal
  /** Aborted when the reader of standard output closes; undefined if that cannot happen. */
  readonly readerGone?: AbortSignal
  /** Asks the person at the terminal for one line; null at the end of input. Absent without a terminal. */
  readonly askLine?: ((question: string, signal?: AbortSignal) => Promise<string | null>) | undefined
  /** Ends the command with this code once it returns. */
  exitWith(code: ExitCode): void
}

/** Ends a command with one line on standard error. The message says what was wrong and what to do. */
export class CliError extends Error {
  override name = 'CliError'
  readonly exitCode: ExitCode
  /** What went wrong, for programs; null if the exit code says all there is. */
  readonly code: string | null

  constructor(message: string, exitCode: ExitCode = EXIT_CODES.usage, code: string | null = null) {
    super(message)
    this.exitCode = exitCode
    this.code = code
  }
}

/** Ends a command with the lines of all problems in files, each with its place. */
export class FilesWithProblems extends CliError {
  override name = 'FilesWithProblems'
}

/**
 * An error that the value of a flag brought about, as one of the command line; every other error as it is.
 *
 * @param flags by the option that the error names, or by the name of the error.
 */
export function withFlagOf(error: unknown, flags: Readonly<Record<string, string>>): unknown {
  if (!(error instanceof Error)) return error
  const { option } = error as { option?: unknown }
  const flag = flags[typeof option === 'string' ? option : error.name]
  return flag === undefined ? error : new CliError(`${flag}: ${error.message}`)
}

/** Where a command listens. */
interface Listening {
  readonly port: number
  readonly operatorPort: number
  readonly host: string
}

/**
 * Why a server of the command line did not start: one line where a person can do something about it, the error itself where
 * it is ours.
 *
 * @param flags by the name of the error that the value of each brings about.
 */
export function startupError(error: unknown, { port, operatorPort, host }: Listening, flags: Record<string, string>) {
  const { code, port: taken } = error as NodeJS.ErrnoException & { port?: number }
  const flag = taken === operatorPort && taken !== port ? '--operator-port' : '--port'
  if (code === 'EADDRINUSE' && port === operatorPort)
    return new CliError(`--port and --operator-port are both ${port}; choose another for one of them`)
  if (code === 'EADDRINUSE') return new CliError(`${flag} ${taken} is in use; choose another, or 0 for a free one`)
  if (code === 'EACCES' && taken !== undefined)
    return new CliError(`${flag} ${taken} may not be opened; choose one above 1023`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return new CliError(`--host ${host} is not an address of this machine; try 127.0.0.1 or 0.0.0.0`)
  return withFlagOf(error, flags)
}
