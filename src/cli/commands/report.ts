import type { Command } from 'commander'
import { REPORTER_NAMES } from '../../conformance/reporters/index.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { collect } from '../option-parsers.ts'
import type { AgainOptions } from '../report/write-again.ts'
import { CliError, type Session } from '../session.ts'

const LOGS = 'logs of runs, as --reporter ndjson=FILE writes them; - is standard input'

export function configure(command: Command, session: Session): void {
  withReports(command.enablePositionalOptions())
    .option('--from <log>', 'log to make the reports from; may be given more than once, for parts of one run', collect)
    .addHelpText('after', EXIT_CODE_HELP)
    .action(async (options: AgainOptions & { from?: string[] }) => {
      if (options.from === undefined) throw new CliError('name a log: --from run.ndjson')
      const { writeAgain } = await import('../report/write-again.ts')
      session.exitWith(writeAgain(options.from, options, session))
    })
  withReports(command.command('merge'))
    .description('the reports of several runs that make one together: shards, parts')
    .argument('<logs...>', LOGS)
    .addHelpText('after', EXIT_CODE_HELP)
    .action(async (logs: string[], options: AgainOptions) => {
      const { writeAgain } = await import('../report/write-again.ts')
      session.exitWith(writeAgain(logs, options, session))
    })
  command
    .command('diff')
    .description('what the second run lost, breaks and mends, against the first')
    .argument('<before>', 'log of a run')
    .argument('<after>', 'log of a later one')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExit codes: 0 nothing lost and nothing newly red, 1 otherwise, 4 wrong flag or file')
    .action(async (before: string, after: string, options: { json?: boolean }) => {
      const { printDiff } = await import('../report/print-diff.ts')
      session.exitWith(printDiff(before, after, options.json ?? false, session))
    })
  command
    .command('questions')
    .description("the open points of the API document with what each target was seen to do, for the API's owner")
    .argument('<logs...>', LOGS)
    .action(async (logs: string[]) => {
      const { printQuestions } = await import('../report/print-questions.ts')
      printQuestions(logs, session)
      session.exitWith(EXIT_CODES.ok)
    })
}

const EXIT_CODE_HELP = `
Exit codes: those of the run (see conform --help), 4 where a log cannot be used`

function withReports(command: Command): Command {
  return command
    .option(
      '--reporter <name[=file]>',
      `${REPORTER_NAMES.join(', ')}; may be given more than once (default: pretty)`,
      collect,
    )
    .option('--allow-unverified', 'exit 0 even where requirements were not verified, as long as none is violated')
}
