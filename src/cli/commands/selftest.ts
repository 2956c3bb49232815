import type { Command } from 'commander'
import { EXIT_CODES } from '../exit-codes.ts'
import { integerBetween } from '../option-parsers.ts'
import type { Session } from '../session.ts'

interface SelftestOptions {
  defect?: string[]
  scenarios?: string[]
  vary?: number
  eachChoice?: boolean
  list?: boolean
  json?: boolean
}

export function configure(command: Command, session: Session): void {
  command
    .option('--defect <id...>', 'try these defects alone; * stands for any text')
    .option('--scenarios <path...>', 'scenario files or folders (default: those of this package)')
    .option('--vary <n>', 'so many more draws of all open points from seeds', integerBetween(0, 1_000))
    .option('--each-choice', 'every legal value of every open point by itself as well')
    .option('--list', 'list the defects and what they break, and try nothing')
    .option('--json', 'everything as JSON')
    .addHelpText('after', '\nExit codes: 0 passed, 1 not passed, 4 wrong flag, file or scenario, 5 harness error')
    .action(async (options: SelftestOptions) => {
      // Loaded here, so that --help does not wait for the engine.
      const { listEveryDefect, selftest } = await import('../selftest.ts')
      if (options.list) return listEveryDefect(options, session)
      const passed = await selftest(options, session)
      if (!passed) session.exitWith(EXIT_CODES.refused)
    })
}
