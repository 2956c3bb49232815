import { coverageRows } from '../../operator-api/rows/coverage.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { saveText } from '../files.ts'
import { commandError } from '../operator/command-errors.ts'
import type { Group } from '../operator/group.ts'
import type { OperatorCommand, OperatorContext } from '../operator/operator-command.ts'
import { integerBetween } from '../option-parsers.ts'
import { colors } from '../output/color.ts'
import { membersOf, type OutputRow, rowsOf } from '../output/records.ts'
import { type Column, cellText, table, wrapped } from '../output/table.ts'
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
      .addHelpText('after', '\nExit code 1 if coverage is below --min.')
      .option('--missing', 'list only what is missing, and how to reach it')
      .option('--all', 'also list what was used, how often and when')
      .option('--html <file>', 'write one HTML page to this file')
      .option('--min <percent>', 'exit 1 below this percentage', integerBetween(0, 100)),
  async run(context, _args, options) {
    const { session } = context
    const { missing, all } = options
    if (missing && all) throw commandError('exclusive', { one: '--missing', other: '--all' })
    if (options.html !== undefined) await saveSheet(context, options.html)
    const answer = await context.call('coverage.show', {})
    if (options.html === undefined || options.json) {
      context.show(answer, () => coverageText(answer, options, session))
    }
    if (options.min !== undefined) judge(answer, options.min, session)
  },
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
  session.err(`coverage is ${percent} %, below --min ${min} %\n`)
  session.exitWith(EXIT_CODES.refused)
}

/** Coverage for a person: a summary line, the sections, and below them what is missing and how to use it. */
function coverageText(answer: unknown, { missing, all = false }: CoverageOptions, session: Session): string {
  const sections = rowsOf(answer, 'sections')
  const chapters = sections.map((section) => chapterOf(section, all, session)).filter((text) => text !== '')
  const overview = missing ? [] : [table(sections, OVERVIEW)]
  const end = chapters.length === 0 ? ['nothing is missing\n'] : chapters
  return [summaryLine(answer, session), ...overview, ...end].join('\n')
}

function summaryLine(answer: unknown, session: Session): string {
  const { world, summary } = membersOf(answer)
  const { met, of, percent, wrong, not_counted, own_choices } = membersOf(summary)
  const paint = colors(session)
  const amiss = Number(wrong) > 0 ? paint.red(`, ${String(wrong)} wrong`) : ''
  // The total may differ from that of another world.
  const choices =
    own_choices === true ? 'This world has non-default choices for open points, which add or remove rows\n' : ''
  return [
    `${paint.bold(`${cellText(percent)} %`)} of the API used in the world ${cellText(world)}: ${String(met)} of ${String(of)}${amiss}\n`,
    not_counted === 0 ? '' : `${String(not_counted)} more are listed but not counted: no API call can show them\n`,
    choices,
  ].join('')
}

const OVERVIEW: readonly Column<OutputRow>[] = [
  ['SECTION', 'title'],
  ['USED', 'met', 'count'],
  ['OF', 'of', 'count'],
  ['', ({ met, of }) => barOf(Number(met), Number(of))],
]

const BAR_CHARACTERS = 20

function barOf(met: number, of: number): string {
  const full = of === 0 ? 0 : Math.floor((BAR_CHARACTERS * met) / of)
  return `[${'#'.repeat(full)}${'.'.repeat(BAR_CHARACTERS - full)}]`
}

/** Rows without anything left to do: a client cannot use what is not counted. */
const DONE = ['met', 'not_counted']

/** @param all whether rows are listed with which nothing is left to do. */
function chapterOf(section: OutputRow, all: boolean, session: Session): string {
  const rows = rowsOf(section, 'rows').filter(({ state }) => all || !DONE.includes(String(state)))
  if (rows.length === 0) return ''
  const columns = all ? [STATE, WHAT, ...TIMES] : [STATE, WHAT]
  const text = session.outIsTerminal ? withHowBelow(rows, columns, session.columns) : table(rows, [...columns, HOW])
  return `${colors(session).bold(String(section['title']))}\n${painted(text, session)}`
}

/** Commands are for copying, so each has its own line, which only the terminal folds. */
function withHowBelow(rows: readonly OutputRow[], columns: readonly Column<OutputRow>[], width: number): string {
  const [head, ...lines] = wrapped(rows, columns, width)
    .trimEnd()
    .split(/\n(?=\S)/)
  const hows = table(rows, [HOW]).split('\n').slice(1)
  return `${[head, ...lines.map((line, i) => (hows[i] === '-' ? line : `${line}\n    ${hows[i]}`))].join('\n')}\n`
}

const STATE: Column<OutputRow> = ['STATE', (row) => String(row['state']).replace('met', 'used').replaceAll('_', ' ')]
const WHAT: Column<OutputRow> = ['WHAT', 'title']
const TIMES: readonly Column<OutputRow>[] = [
  ['COUNT', 'count', 'count'],
  ['FIRST', 'first_at'],
  ['LAST', 'last_at'],
]
const HOW: Column<OutputRow> = [
  'HOW',
  ({ says, hint }) => [says, hint].filter((part) => typeof part === 'string').join('; '),
]

/** Only the state at the start of a line is colored, so that columns stay where they are. */
function painted(text: string, session: Session): string {
  const paint = colors(session)
  return text.replace(/^(?:used|partly|wrong|not used|not counted)(?= )/gm, (state) => {
    if (state === 'wrong') return paint.red(state)
    if (state === 'partly') return paint.yellow(state)
    return state === 'used' ? paint.green(state) : paint.dim(state)
  })
}

export const GROUP: Group = { rows: coverageRows, extras: { '': [COVERAGE] } }
