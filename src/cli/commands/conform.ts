import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { parse } from 'yaml'
import { PROFILES_FILE } from '../../package-files.ts'
import { EXIT_CODE_HELP } from '../exit-codes.ts'
import { choiceOption, durationMs, integerBetween } from '../option-parsers.ts'
import { budget, failOn, shard, withReporters } from '../run/flags.ts'
import type { ConformOptions } from '../run/options.ts'
import type { Session } from '../session.ts'

export function configure(command: Command, session: Session): void {
  withTarget(command)
  withSelection(command)
  withReporters(withModes(command))
    .option('--allow-unverified', 'exit 0 even where requirements were not verified, as long as none is violated')
    .option('--selected', 'judge the selected scenarios alone: exit 0 where every check of them passed')
    .option('--fail-on <what>', 'exit 1 also where a pinned answer differs: drift', failOn)
    .option('--baseline <file>', 'known failures, each with a reason and a last day; anything else still fails')
    .option('--write-baseline <file>', 'write what fails as a baseline; each reason is left to you')
    .addHelpText('after', () => profileHelp() + EXIT_CODE_HELP)
    .action(async (url: string | undefined, options: ConformOptions) => {
      // Loaded here, so that --help does not wait for the engine.
      const { conform } = await import('../run/conform.ts')
      session.exitWith(await conform(url, options, session))
    })
}

function withTarget(command: Command): Command {
  return command
    .argument('[url]', 'base address of the target (or use --target, or --self)')
    .option('--target <file>', 'target file: credentials, fixtures, operator, dialect')
    .option('--self', 'start a sandbox of our own and judge that')
    .option('--key-id <id>', 'key id of the credential to sign with')
    .option('--secret-env <name>', 'environment variable that holds its secret (default: PARTNER_SECRET)')
    .addOption(
      choiceOption('--mode <mode>', 'what may be done to the target (default: read)', ['read', 'write', 'operator']),
    )
    .option('--operator-url <url>', 'operator address of the target, where it is a sandbox')
    .option('--world <name>', 'world of that sandbox (default: default)')
    .option(
      '--budget <limits>',
      'what a run may use at most, e.g. orders=20,quotes=20,requests=500,per_second=5',
      budget,
    )
    .option(
      '--live-writes <n>',
      'orders that a live key may create; takes --i-accept-orders too',
      integerBetween(1, 1000),
    )
    .option('--i-accept-orders', 'accept that orders on a live target cost real money')
}

function withSelection(command: Command): Command {
  return command
    .option('--scenarios <path...>', 'scenario files or folders (default: those of this package)')
    .option('--profile <name...>', 'judge the requirements of these profiles alone (see below)')
    .option('--only <id...>', 'run these scenarios alone; * stands for any text')
    .option('--tag <tag...>', 'run only scenarios with one of these tags')
    .option('--requirement <id...>', 'run only what proves one of these requirements; * stands for any text')
    .option('--shard <i/n>', 'run one of n parts of equal cost; "report merge" makes one run of them', shard)
}

function withModes(command: Command): Command {
  return command
    .option('--dry-run', 'tell what would be done and what could not be shown, and send nothing')
    .option('--bail [n]', 'stop after so many scenarios that fail (default: 1)', integerBetween(1, 100_000))
    .option('--resume <log...>', 'go on with an interrupted run, from its ndjson log')
    .option('--watch', 'run again what a change of a scenario, the target file or a baseline concerns')
    .option(
      '--max-wait <duration>',
      'where nobody can move the clock of the target, really wait so long at most',
      durationMs,
    )
    .option('--ask', 'ask you to do at the target what no operator does')
}

/** The profiles, for the help: it does not wait for the engine, and so takes their titles as they stand. */
function profileHelp(): string {
  const rows = Object.entries(parse(readFileSync(PROFILES_FILE, 'utf8')) as Record<string, { title: string }>)
  const all = [['all', { title: 'everything that a caller can observe (default)' }] as const, ...rows]
  const width = Math.max(...all.map(([name]) => name.length))
  return `\nProfiles:\n${all.map(([name, { title }]) => `  ${name.padEnd(width)}  ${title}\n`).join('')}`
}
