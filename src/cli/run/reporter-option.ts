import type { Command } from 'commander'
import { REPORTER_NAMES, REPORTER_SUMMARIES } from '../../conformance/reporters/names.ts'
import { collect } from '../option-parsers.ts'

/** Adds `--reporter` to a command that makes reports, and what each is for to the end of its help. */
export function withReporters(command: Command): Command {
  return command
    .option(
      '--reporter <name[=file]>',
      `${REPORTER_NAMES.join(', ')}; may be given more than once (default: pretty)`,
      collect,
    )
    .option('--verbose', 'pretty: list every requirement id and observation instead of counts')
    .addHelpText('after', reporterHelp)
}

function reporterHelp(): string {
  const width = Math.max(...REPORTER_NAMES.map((name) => name.length))
  const lines = REPORTER_NAMES.map((name) => `  ${name.padEnd(width)}  ${REPORTER_SUMMARIES[name]}\n`)
  return `\nReporters:\n${lines.join('')}`.trimEnd()
}
