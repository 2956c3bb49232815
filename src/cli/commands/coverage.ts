import type { Command } from 'commander'
import { EXIT_CODES } from '../exit-codes.ts'
import { commandError } from '../operator/command-errors.ts'
import type { Extras } from '../operator/group.ts'
import { makeOperatorCommand, type OperatorContext } from '../operator/operator-command.ts'
import { type CoverageDetail, coverageText } from '../operator/show/coverage.ts'
import { integerBetween } from '../option-parsers.ts'
import { isRecord } from '../output/records.ts'
import { saveText } from '../output-file.ts'
import type { Session } from '../session.ts'

interface CoverageOptions {
  missing?: boolean
  all?: boolean
  html?: string
  min?: number
  json?: boolean
}

export const EXTRAS: Extras = { '': addCoverage }

function addCoverage(command: Command, session: Session): void {
  command.addHelpText('after', '\nExit code 1 where less is met than --min asks for.')
  makeOperatorCommand<CoverageOptions>(command, session, {
    options: coverageOptions,
    run: async (context, _args, options) => {
      if (options.missing && options.all) throw commandError('exclusive', { one: '--missing', other: '--all' })
      if (options.html !== undefined) await saveSheet(context, options.html, session)
      const answer = await context.call('coverage.show', {})
      if (options.html === undefined || options.json) {
        context.show(answer, () => coverageText(answer, detailOf(options), session))
      }
      if (options.min !== undefined) judge(answer, options.min, session)
    },
  })
}

function coverageOptions(command: Command): Command {
  return command
    .option('--missing', 'only what has not been met, and how to meet it')
    .option('--all', 'what has been met as well, with how often and when')
    .option('--html <file>', 'write it to a file as one page, to be kept or sent')
    .option('--min <percent>', 'end with exit code 1 below that percentage', integerBetween(0, 100))
}

function detailOf({ missing, all }: CoverageOptions): CoverageDetail {
  if (all) return 'all'
  return missing ? 'missing only' : 'missing'
}

async function saveSheet(context: OperatorContext, file: string, session: Session): Promise<void> {
  const page = await context.client.fetch('coverage.show', { w: context.world }, { format: 'html' })
  saveText(file, '--html', page.toString('utf8'))
  session.err(`wrote ${file}\n`)
}

function judge(answer: unknown, min: number, session: Session): void {
  const summary = isRecord(answer) && isRecord(answer['summary']) ? answer['summary'] : {}
  const { percent } = summary
  if (typeof percent !== 'number') {
    throw commandError('coverage-unsaid')
  }
  if (percent >= min) return
  session.err(`${percent} % is met, and --min asks for ${min} %\n`)
  session.exitWith(EXIT_CODES.refused)
}
