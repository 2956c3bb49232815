import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { parse } from 'yaml'
import { PROFILES_FILE } from '../../package-files.ts'
import { EXIT_CODE_HELP } from '../exit-codes.ts'
import { choiceOption, durationMs, integerBetween } from '../option-parsers.ts'
import type { conform as conformCommand } from '../run/conform.ts'
import { budget, failOn, withReporters } from '../run/flags.ts'
import type { Session } from '../session.ts'

export function configure(command: Command, session: Session): void {
  command
    // The target.
    .argument('[url]', 'base address of the target (or use --target, or --self)')
    .option('--target <file>', 'target file: credentials, fixtures, operator, dialect')
    .option('--self', 'judge a sandbox that the runner starts itself')
    .option('--key-id <id>', 'key id of the credential to sign with')
    .option('--secret-env <name>', 'environment variable that holds its secret (default: PARTNER_SECRET)')
    .addOption(
      choiceOption('--mode <mode>', 'what the run may do to the target (default: read)', ['read', 'write', 'operator']),
    )
    .option('--operator-url <url>', 'operator address of the target, if it is a sandbox')
    .option('--world <name>', 'world of that sandbox (default: default)')
    .option('--budget <limits>', 'limits of the run, e.g. orders=20,quotes=20,requests=500,per_second=5', budget)
    .option(
      '--live-writes <n>',
      'orders that a live key may create; also needs --i-accept-orders',
      integerBetween(1, 1000),
    )
    .option('--i-accept-orders', 'accept that orders on a live target cost real money')
    // Which scenarios.
    .option('--scenarios <path...>', 'scenario files or folders (default: those of this package)')
    .option('--profile <name...>', 'judge only the requirements of these profiles (see below)')
    .option('--only <id...>', 'run only these scenarios; * matches any text')
    .option('--tag <tag...>', 'run only scenarios with one of these tags')
    .option('--requirement <id...>', 'run only what checks one of these requirements; * matches any text')
    .option('--rerun-failed <log>', 'run only the scenarios that failed in this log, and judge only these')
    // In which way.
    .option('--dry-run', 'print what would run and what would not; send nothing')
    .option('--bail [n]', 'stop after this many failing scenarios (default: 1)', integerBetween(1, 100_000))
    .option('--watch', 're-run affected scenarios when a scenario, the target file or a baseline changes')
    .option('--max-wait <duration>', 'longest real wait, if nothing can move the clock of the target', durationMs)
    .option('--ask', 'ask you to do by hand what the operator cannot do')
  withReporters(command)
    .option('--selected', 'judge only the selected scenarios: exit 0 if all their checks passed')
    .option('--fail-on <what>', 'drift: also exit 1 if a pinned answer differs', failOn)
    .option(
      '--baseline <file>',
      'known failures, each with a reason and an expiry date; any other failure still counts',
    )
    .option('--write-baseline <file>', 'write the failures as a baseline, one entry per requirement and way of failing')
    .option('--reason <text>', 'with --write-baseline: why the new entries are accepted')
    .option('--until <day>', 'with --write-baseline: the last day on which they are, such as 2030-06-30')
    .addHelpText('after', () => profileHelp() + EXIT_CODE_HELP)
    .action(async (url: string | undefined, options: Parameters<typeof conformCommand>[1]) => {
      // Loaded here, so that --help does not wait for the engine.
      const { conform } = await import('../run/conform.ts')
      session.exitWith(await conform(url, options, session))
    })
}

/** The profiles, for the help: it does not wait for the engine, and so takes their titles as they stand. */
function profileHelp(): string {
  const rows = Object.entries(parse(readFileSync(PROFILES_FILE, 'utf8')) as Record<string, { title: string }>)
  const all = [['all', { title: 'everything that a caller can observe (default)' }] as const, ...rows]
  const width = Math.max(...all.map(([name]) => name.length))
  return `\nProfiles:\n${all.map(([name, { title }]) => `  ${name.padEnd(width)}  ${title}\n`).join('')}`
}
