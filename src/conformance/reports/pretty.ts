import { HEADERS, headerIn } from '../../contract/headers.ts'
import { counted, firstFew, inLines } from '../../contract/words.ts'
import {
  type CheckResult,
  isLeftOut,
  isSelection,
  type RedactedExchange,
  type RunResult,
  selectedChecks,
} from '../result/result.ts'
import type { CheckGroup } from './causes.ts'
import { escapeLine, MAX_VALUE_CHARACTERS, shorten } from './escape.ts'
import { callWords, canonicalLines, isDelivery } from './exchange.ts'
import {
  deliveryText,
  failureFacts,
  followText,
  observedRemarks,
  type Remark,
  remarksOf,
  sentenceOf,
} from './failure-facts.ts'
import { ADDITIONS_TITLE, sectionsOf } from './not-verified.ts'
import { type Paint, paintWith } from './paint.ts'
import {
  checkCountsText,
  countsText,
  createdOf,
  createdTitle,
  earlyEnd,
  headlineOf,
  placesOf,
  type RenderOptions,
  type Reporter,
  type ReportModel,
  scenariosOf,
  usageOf,
} from './report-model.ts'

/** For a person at a terminal: what failed as a table, then each failure, then the rest; the verdict is last, where the eye is. */
export const pretty: Reporter = {
  render(model, options) {
    const paint = paintWith(options.color)
    const sections = [
      failedTable(model, paint),
      ...model.failed.map((failed) => failedLines(failed, model, options, paint)),
      ...remarksOf(model).map(([heading, remarks]) => section(heading, remarkLines(remarks, paint), paint)),
      notVerifiedLines(model, options, paint),
      section(
        ADDITIONS_TITLE,
        model.additions.map((line) => `  ${escapeLine(line)}`),
        paint,
      ),
      observationLines(model.run, paint, options.verbose),
      options.keepsNothing ? [] : createdLines(model, paint),
      summaryLines(model, paint, options.keepsNothing),
    ]
    return `${sections
      .filter((lines) => lines.length > 0)
      .map((lines) => lines.join('\n'))
      .join('\n\n')}\n`
  },
}

/** One line for each requirement that failed. */
function failedTable({ failed }: ReportModel, paint: Paint): string[] {
  const rows = failed.map(({ id, checks, causes }) => [
    escapeLine(id),
    counted(checks.length, 'check'),
    causeText(causes),
  ])
  const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0))
  const [ids, counts] = [width(0), width(1)]
  return section(
    `Failed: ${counted(failed.length, 'requirement')}`,
    rows.map(([id = '', count = '', cause]) => `  ${paint.bold(id.padEnd(ids))}  ${count.padStart(counts)}  ${cause}`),
    paint,
  )
}

const MAX_ACTUAL_CHARACTERS = 200

/** Of the call, what came and what was expected together; of the last at least so many. */
const MAX_CAUSE_CHARACTERS = 200
const LEAST_EXPECTED_CHARACTERS = 60

const UNWANTED = /^number \d+ of \d+ \S+ should not be there/

/** What came is what is wrong, so what was expected is cut first. */
function causeText([cause, ...others]: readonly CheckGroup[]): string {
  if (!cause) return ''
  const { check, exchange } = cause.first
  const call = exchange === undefined ? null : callWords(exchange)
  const came = clipped(escapeLine(`${call === null ? '' : `${call}: `}${check.actual}`), MAX_ACTUAL_CHARACTERS)
  const left = Math.max(LEAST_EXPECTED_CHARACTERS, MAX_CAUSE_CHARACTERS - came.length)
  // That something should not be there says what was expected.
  const expected = UNWANTED.test(check.actual) ? '' : `; expected ${clipped(escapeLine(clauseOf(check)), left)}`
  const words = `${came}${expected}`
  return others.length === 0 ? words : `${words}; and ${counted(others.length, 'other way', 'other ways')}`
}

/** A text cut between two words, if it has any. */
function clipped(text: string, most: number): string {
  if (text.length <= most) return text
  const start = text.slice(0, most - 1)
  return `${start.slice(0, start.lastIndexOf(' ') + 1) || start}…`
}

/** Where what was expected has several parts: the one about the value that is wrong. */
const PARTS = /; |: |, (?=\w+(?:\.\w+)* (?:is|matches)\b)/

/** @example clauseOf({ expected: 'the number of events is 1; each of the events: a.b is 1, a.c is 2', actual: '...: a.c is 3' }) // 'a.c is 2' */
function clauseOf({ expected, actual }: Pick<CheckResult, 'expected' | 'actual'>): string {
  const role = /(?:^|[:,] )(\w+(?:\.\w+)*) is /.exec(actual)?.[1]
  return expected.split(PARTS).find((part) => part.startsWith(`${role} `)) ?? expected
}

/** A requirement that failed: what it asks for, and each way in which it failed with where that was seen. */
function failedLines(
  { id, checks, causes }: ReportModel['failed'][number],
  model: ReportModel,
  options: RenderOptions,
  paint: Paint,
) {
  const [first] = checks
  return [
    `${paint.red(paint.bold('FAILED'))}  ${paint.bold(escapeLine(id))}  ${first ? escapeLine(sentenceOf(first)) : ''}`,
    ...causes
      .map((cause) =>
        options.verbose
          ? [...cause.checks, ...(cause.follow ?? [])].flatMap((check) =>
              causeLines({ first: check, checks: [check] }, model, options, paint),
            )
          : causeLines(cause, model, options, paint),
      )
      .flatMap((lines, at) => (at === 0 ? lines : ['', ...lines])),
  ]
}

function causeLines(group: CheckGroup, { run }: ReportModel, options: RenderOptions, paint: Paint): string[] {
  const { first, checks } = group
  const facts = failureFacts(first, run.target.url, options, scenariosOf(checks))
  const row = ({ label, text, isCommand }: (typeof facts)[number]) =>
    isCommand ? command(label, text, paint) : labeled(label, text, paint)
  const whole = options.verbose && first.exchange ? signedLines(first.exchange, paint) : []
  const shown = whole.length === 0 ? facts : facts.filter(({ label }) => label !== 'signed' && label !== 'delivery')
  const follows = followText(group)
  return [
    labeled(counted(checks.length, 'check'), placesOf(checks), paint),
    ...shown.flatMap((fact) => (fact.label === 'actual' ? [row(fact), ...whole] : [row(fact)])),
    ...(follows === null ? [] : [labeled('follows', follows, paint)]),
  ]
}

const LABEL_WIDTH = 14

function labeled(label: string, value: string, paint: Paint): string {
  return `  ${paint.dim(label.padEnd(LABEL_WIDTH))}${cut(value)}`
}

function command(label: string, text: string, paint: Paint): string {
  return `  ${paint.dim(label.padEnd(LABEL_WIDTH))}${paint.cyan(text)}`
}

function signedLines(exchange: RedactedExchange, paint: Paint): string[] {
  if (isDelivery(exchange)) return deliveryLines(exchange, paint)
  const lines = canonicalLines(exchange)
  if (lines.length === 0) return [labeled('signed', '(the runner did not sign this call)', paint)]
  return lines.flatMap(({ text, instead }, at) => {
    const label = at === 0 ? 'signed' : ''
    if (instead === null) return [labeled(label, text, paint)]
    return [
      labeled(label, `${text}   <-- first difference`, paint),
      labeled('', `${instead}   <-- expected for this request`, paint),
    ]
  })
}

/** A delivery: what a receiver has to go by. */
function deliveryLines(exchange: RedactedExchange, paint: Paint): string[] {
  return [
    labeled('delivery', deliveryText(exchange), paint),
    labeled('', `${HEADERS.signature}: ${headerIn(exchange.requestHeaders, HEADERS.signature) ?? 'none'}`, paint),
    labeled('', exchange.requestBody, paint),
  ]
}

function remarkLines(remarks: readonly Remark[], paint: Paint): string[] {
  return remarks.flatMap(({ ids, places, says, more }) => [
    `  ${escapeLine(ids)}  ${paint.dim(escapeLine(places))}  ${cut(says)}`,
    ...(more === '' ? [] : [`    ${cut(more)}`]),
  ])
}

const IDS_SHOWN = 10
const NOTES_SHOWN = 3

/** What a selection left out is the reader's choice; it is only counted. */
function notVerifiedLines(model: ReportModel, { verbose }: RenderOptions, paint: Paint): string[] {
  const unchosen = model.notVerified.filter(({ chosen }) => !chosen)
  // A few by their ids; many as counts by heading of the document.
  const briefly = (ids: readonly string[]) =>
    verbose || ids.length <= IDS_SHOWN ? ids : sectionsOf(model.run.requirements.filter(({ id }) => ids.includes(id)))
  const lines = unchosen.flatMap(({ reason, requirements, notes, todo }) => [
    `  ${reason} (${requirements.length})`,
    ...inLines(briefly(requirements)).map((line) => `    ${paint.dim(escapeLine(line))}`),
    ...notes.slice(0, NOTES_SHOWN).map((note) => `    ${paint.dim(shorten(escapeLine(note), 200))}`),
    ...(notes.length > NOTES_SHOWN
      ? [`    ${paint.dim(`and ${counted(notes.length - NOTES_SHOWN, 'more note')} (the html report has all)`)}`]
      : []),
    `    to do: ${todo}`,
  ])
  const chosen = model.notVerified.filter((group) => group.chosen && lines.length > 0)
  lines.push(...chosen.map(({ reason, requirements }) => `  ${reason} (${requirements.length})`))
  const ids = unchosen.flatMap(({ requirements }) => requirements)
  const several = new Set(ids).size < ids.length ? ' (some for several reasons)' : ''
  return section(`Not verified by this run${several}`, lines, paint)
}

/** A value on one line, cut where it is long: the JSON report has it whole. */
function cut(text: string): string {
  return shorten(escapeLine(text), MAX_VALUE_CHARACTERS)
}

/** Nothing where there are no lines. */
function section(title: string, lines: readonly string[], paint: Paint): string[] {
  return lines.length === 0 ? [] : [paint.bold(title), ...lines]
}

/** What the target was seen to do where the document leaves a choice. */
function observationLines(run: RunResult, paint: Paint, verbose = false): string[] {
  const count = run.observations.length
  if (count > 0 && !verbose) return [`${counted(count, 'choice')} observed (--verbose and the html report show them)`]
  return section('Observed where the document leaves a choice', remarkLines(observedRemarks(run), paint), paint)
}

function createdLines(model: ReportModel, paint: Paint): string[] {
  const lines = createdOf(model.run).map(({ count, ids }) => `  ${count}: ${ids.map(escapeLine).join(', ')}`)
  return section(createdTitle(model), lines, paint)
}

/** The end of the report: the verdict, the target, the counts, and the budget used. A row without a value is left out. */
function summaryLines(model: ReportModel, paint: Paint, keepsNothing = false): string[] {
  const { run, counts, failed } = model
  const { tone, verdict, sentence } = headlineOf(model)
  const { passed, total } = selectedChecks(run)
  const early = earlyEnd(run)
  const painted = { good: paint.green, bad: paint.red, doubt: paint.yellow, quiet: paint.red }[tone]
  const left = run.scenarios.filter(({ checks }) => checks.some(isLeftOut)).length
  const leftOut = left > 0 ? `; ${counted(left, 'scenario')} left out` : ''
  const failedIds = firstFew(
    failed.map(({ id }) => escapeLine(id)),
    IDS_SHOWN,
  )
  const rows = [
    ['Verdict', painted(`${paint.bold(tone === 'good' ? verdict : verdict.toUpperCase())}: ${sentence}`)],
    ['', early === null ? '' : paint.yellow(escapeLine(`The run ${early}: checks that did not run are missing`))],
    ['Failed', failedIds.join(', ')],
    ['Target', escapeLine(`${run.target.url} (${run.target.environment})`)],
    ['Selected', isSelection(run) ? `${passed} of ${total} checks passed${leftOut}` : ''],
    ['Profile', escapeLine(`${run.profile.name} (${counted(run.profile.requirements.length, 'requirement')})`)],
    ['Checks', checkCountsText(model)],
    ['Requirements', countsText(counts.requirements)],
    ['Used', `${usedText(run, keepsNothing)}, ${(run.durationMs / 1000).toFixed(1)} s`],
  ] as const
  return rows.flatMap(([label, value]) => (value === '' ? [] : [paint.dim(label.padEnd(LABEL_WIDTH + 2)) + value]))
}

/** What the run used of its budget. A kind that no scenario declares and the run did not use is left out. */
function usedText(run: RunResult, keepsNothing: boolean): string {
  return usageOf(run, keepsNothing)
    .filter(({ name, declared, used }) => used !== null && (name === 'requests' || (declared ?? 0) + used > 0))
    .map(({ name, budget, used }) => (budget === null ? `${used} ${name}` : `${used} of ${budget} ${name}`))
    .join(', ')
}
