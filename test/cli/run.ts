import { runCli } from '../../src/cli/run-cli.ts'
import type { Session } from '../../src/cli/session.ts'
import { wallClock } from '../../src/clock/wall-clock.ts'
import { showIfTestFails } from '../support/shown-if-test-fails.ts'

export interface CliOutcome {
  code: number
  out: string
  err: string
}

export interface Surroundings {
  env?: Record<string, string>
  terminal?: boolean
  /** Asks the command to stop. */
  stop?: AbortSignal
  onOut?: (text: string) => void
  /** How the program was called. */
  program?: string
  onErr?: (text: string) => void
}

/** Runs one command line in this process, with an environment of its own. */
export async function cli(args: readonly string[], around: Surroundings = {}): Promise<CliOutcome> {
  const outcome: CliOutcome = { code: -1, out: '', err: '' }
  const session: Session = {
    out(text) {
      outcome.out += text
      around.onOut?.(text)
    },
    err: (text) => {
      outcome.err += text
      around.onErr?.(text)
    },
    outIsTerminal: around.terminal ?? false,
    errIsTerminal: around.terminal ?? false,
    columns: 80,
    env: around.env ?? {},
    wall: wallClock,
    program: around.program ?? 'partner-sandbox',
    interrupted: () => around.stop ?? new AbortController().signal,
    exitWith: () => undefined,
  }
  outcome.code = await runCli(args, '0.0.0-test', session)
  showIfTestFails(`${args.join(' ').slice(0, 200)}: exit code ${outcome.code} ${outcome.err.slice(0, 300)}`.trimEnd())
  return outcome
}
