import type { ExitCode } from './exit-codes.ts'
import { CliError, type Session } from './session.ts'

export type QuietCommand = (session: Session) => Promise<ExitCode>

/** What a command wrote, and how it ended: with a failure where the command line was wrong. */
interface Written {
  readonly code: ExitCode
  readonly failure: CliError | null
  readonly out: string
  readonly err: string
}

/** Runs a command for another one, which takes what it writes. */
export async function writtenBy(
  command: QuietCommand,
  { env, wall, program, columns }: Session,
  signal: AbortSignal,
): Promise<Written> {
  const written = { out: '', err: '' }
  const quiet: Session = {
    env,
    wall,
    program,
    columns,
    outIsTerminal: false,
    errIsTerminal: false,
    out: (text) => {
      written.out += text
    },
    err: (text) => {
      written.err += text
    },
    interrupted: () => signal,
    exitWith: () => undefined,
  }
  const end = await command(quiet).then(
    (code) => ({ code, failure: null }),
    (error: unknown) => {
      if (!(error instanceof CliError)) throw error
      return { code: error.exitCode, failure: error }
    },
  )
  return { ...end, ...written }
}
