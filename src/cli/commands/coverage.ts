import { EXIT_CODES } from '../exit-codes.ts'
import { commandError } from '../operator/command-errors.ts'
import type { Extras } from '../operator/group.ts'
import type { OperatorCommand, OperatorContext } from '../operator/operator-command.ts'
import { type CoverageDetail, coverageText } from '../operator/show/coverage.ts'
import { integerBetween } from '../option-parsers.ts'
import { membersOf } from '../output/records.ts'
import { saveText } from '../output-file.ts'
import type { Session } from '../session.ts'

interface CoverageOptions {
  missing?: boolean
  all?: boolean
  html?: string
  min?: number
  json?: boolean
}

const COVERAGE: OperatorCommand<CoverageOptions> = {
  usage: 'coverage',
  options: (coverage) =>
    coverage
      .addHelpText('after', '\nExit code 1 where less is met than --min asks for.')
      .option('--missing', 'only what has not been met, and how to meet it')
      .option('--all', 'what has been met as well, with how often and when')
      .option('--html <file>', 'write it to a file as one page, to be kept or sent')
      .option('--min <percent>', 'end with exit code 1 below that percentage', integerBetween(0, 100)),
  async run(context, _args, options) {
    const { session } = context
    if (options.missing && options.all) throw commandError('exclusive', { one: '--missing', other: '--all' })
    if (options.html !== undefined) await saveSheet(context, options.html)
    const answer = await context.call('coverage.show', {})
    if (options.html === undefined || options.json) {
      context.show(answer, () => coverageText(answer, detailOf(options), session))
    }
    if (options.min !== undefined) judge(answer, options.min, session)
  },
}

function detailOf({ missing, all }: CoverageOptions): CoverageDetail {
  if (all) return 'all'
  return missing ? 'missing only' : 'missing'
}

async function saveSheet({ client, world, session }: OperatorContext, file: string): Promise<void> {
  const page = await client.fetch('coverage.show', { w: world }, { format: 'html' })
  saveText(file, '--html', page.toString('utf8'))
  session.err(`wrote ${file}\n`)
}

function judge(answer: unknown, min: number, session: Session): void {
  const { percent } = membersOf(membersOf(answer)['summary'])
  if (typeof percent !== 'number') throw commandError('coverage-unsaid')
  if (percent >= min) return
  session.err(`${percent} % is met, and --min asks for ${min} %\n`)
  session.exitWith(EXIT_CODES.refused)
}

export const EXTRAS: Extras = { '': [COVERAGE] }
