import { type Command, InvalidArgumentError } from 'commander'
import { EXIT_CODES } from '../exit-codes.ts'
import { integerBetween } from '../option-parsers.ts'
import type { selftest as selftestCommand } from '../run/selftest.ts'
import type { Session } from '../session.ts'

export function configure(command: Command, session: Session): void {
  command
    .option('--defect <id...>', 'try only these defects; * matches any text')
    .option('--variation <name...>', "try only these legal choices: 'skew-edge=*', 'vary SEED', 'mix 1 of 4'")
    .option('--bad-server <name...>', 'try only these bad servers; * matches any text')
    .option('--scenarios <path...>', 'scenario files or folders (default: those of this package)')
    .option(
      '--quick [seed]',
      'a short run: 40 defects, 3 draws and 4 bad servers, chosen by this text (default: the version)',
      seedOfNames,
    )
    .option('--vary <n>', 'this many more random draws of all open points', integerBetween(0, 1_000))
    .option('--each-choice', 'every legal value of every open point, one at a time, even with --quick')
    .option('--jobs <n>', 'number of threads (default: one per processor, at most 4)', integerBetween(1, 64))
    .option('--write-docs <file>', 'write the results as a page, such as docs/proof.md')
    .option('--list', 'list the defects and what they break; run nothing')
    .option('--json', 'print everything as JSON')
    .addHelpText('after', '\nExit codes: 0 passed, 1 not passed, 4 wrong flag, file or scenario, 5 harness error')
    .action(async (options: Parameters<typeof selftestCommand>[0]) => {
      // Loaded here, so that --help does not wait for the engine.
      const { listEveryDefect, selftest } = await import('../run/selftest.ts')
      if (options.list) return listEveryDefect(options, session)
      const passed = await selftest(options, session)
      if (!passed) session.exitWith(EXIT_CODES.refused)
    })
}

/** Reads the seed of a short run, which is part of the names of its draws: `vary SEED-1`. */
function seedOfNames(text: string): string {
  if (!/^[\w.-]+$/.test(text)) throw new InvalidArgumentError('It must be of letters, digits, ".", "_" and "-".')
  return text
}
