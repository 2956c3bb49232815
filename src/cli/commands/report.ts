import { type Command, InvalidArgumentError } from 'commander'
import { EXIT_CODES } from '../exit-codes.ts'
import { failOn, withReporters } from '../run/flags.ts'
import type { ReportingOptions } from '../run/reports.ts'
import { CliError, type Session } from '../session.ts'

const LOGS = 'logs of runs, as --reporter ndjson=FILE writes them; - is standard input'

const EXIT_CODE_HELP = `
Exit codes: those of the run (see conform --help), 4 if a log cannot be used`

export function configure(command: Command, session: Session): void {
  withReporters(command)
    .option('--fail-on <what>', 'drift: also exit 1 if a pinned answer differs', failOn)
    .option('--from <log>', 'log to make the reports from', onlyLog)
    .addHelpText('after', EXIT_CODE_HELP)
    .action(async (options: ReportOptions) => {
      if (options.from === undefined) throw new CliError('name a log: --from run.ndjson')
      const { writeAgain } = await import('../report/logs.ts')
      session.exitWith(await writeAgain(options.from, options, session))
    })
  configureDiff(command, session)
  configureQuestions(command, session)
}

/** A report is about one run; `report diff` compares two. */
function onlyLog(text: string, earlier: string | undefined): string {
  if (earlier !== undefined)
    throw new InvalidArgumentError('It is given twice; name one log, or compare two with "report diff".')
  return text
}

interface ReportOptions extends ReportingOptions {
  from?: string
}

function configureDiff(report: Command, session: Session): void {
  report
    .command('diff')
    .description('compare two runs: what the second lost, broke and fixed')
    .argument('<before>', 'log of a run')
    .argument('<after>', 'log of a later one')
    .option('--json', 'print JSON')
    .option('--all', 'print every check on its own line (default: grouped by scenario if there are many)')
    .addHelpText(
      'after',
      '\nExit codes: 0 no worse than before, 1 a check was lost, failed or became inconclusive, 4 wrong flag or file',
    )
    .action(async (before: string, after: string, options: { json?: boolean; all?: boolean }) => {
      if (options.json && options.all) throw new CliError('--all: --json has every check already')
      const { printDiff } = await import('../report/diff.ts')
      session.exitWith(printDiff(before, after, options, session))
    })
}

function configureQuestions(report: Command, session: Session): void {
  report
    .command('questions')
    .description("list the open points of the API document and what each target does, for the API's owner")
    .argument('<logs...>', LOGS)
    .action(async (logs: string[]) => {
      const { printQuestions } = await import('../report/logs.ts')
      printQuestions(logs, session)
      session.exitWith(EXIT_CODES.ok)
    })
}
