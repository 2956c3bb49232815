import { Chalk, type ChalkInstance } from 'chalk'
import { HEADERS } from '../../contract/headers.ts'
import { counted } from '../../contract/words.ts'
import type {
  CheckResult,
  CheckVerdict,
  CreatedThing,
  Observation,
  RedactedExchange,
  RunResult,
} from '../result/result.ts'
import { adviceFor } from './advice.ts'
import { answerText } from './answers.ts'
import {
  type CheckInContext,
  checksWith,
  createdTitle,
  grouped,
  newChecks,
  saidTogether,
  seenAndWhy,
  unverified,
} from './digest.ts'
import { escapeLine, shorten } from './escape.ts'
import { canonicalLines, headerOf, isDelivery } from './exchange.ts'
import { LABEL_WIDTH, summaryLines } from './pretty-summary.ts'
import type { RenderOptions, Reporter } from './reporter.ts'
import { MAX_COMMAND_CHARACTERS, reproductionOf } from './reproduce.ts'

/** For a person at a terminal, where the end is what is seen: what failed comes last, and the verdict below it. */
export const pretty: Reporter = {
  render(result, options) {
    const paint = new Chalk({ level: options.color ? 1 : 0 })
    const sections = [
      observationLines(result, paint, options.verbose),
      options.keepsNothing ? [] : createdLines(result, paint),
      briefLines('Tolerated', 'tolerated', result, paint),
      unverifiedLines(result, options, paint),
      briefLines('Inconclusive', 'inconclusive', result, paint),
      driftLines(result, paint),
      briefLines('Runner errors', 'harness_error', result, paint),
      knownLines(result, paint),
      ...newChecks(result, ['fail']).map((failure) => failureLines(failure, result, options, paint)),
      summaryLines(result, paint, options.keepsNothing),
    ]
    return `${sections
      .filter((lines) => lines.length > 0)
      .map((lines) => lines.join('\n'))
      .join('\n\n')}\n`
  },
}

/** The order of these lines is promised (design: a failure reads, in this order). */
function failureLines(
  failure: CheckInContext,
  result: RunResult,
  options: RenderOptions,
  paint: ChalkInstance,
): string[] {
  const { scenario, check, requirement, exchange } = failure
  const place = { scenario: scenario.id, url: result.target.url }
  const { call, note, again } = reproductionOf(exchange, place, options)
  const row = (label: string, value: string) => labeled(label, value, paint)
  return [
    `${paint.red(paint.bold('FAIL'))}  ${paint.bold(escapeLine(check.requirement))}  ${paint.dim(escapeLine(`${scenario.id} > ${check.step}`))}`,
    ...(requirement ? [row('requirement', requirement.text), row('document', `"${requirement.section}"`)] : []),
    row('expected', check.expected),
    row('actual', check.actual),
    ...(exchange ? signedLines(exchange, paint) : []),
    ...(check.twin === undefined ? [] : [row('twin', check.twin)]),
    ...(check.note === undefined || !saysMore(check.note, check) ? [] : [row('likely cause', check.note)]),
    ...(call === null ? [] : [command('reproduce', call, paint)]),
    ...(note === null ? [] : [row('by hand', note)]),
    command('again', again, paint),
  ]
}

/** Whether a note says more than what was expected and what came. */
function saysMore(note: string, { expected, actual, twin = '' }: CheckResult): boolean {
  const known = new Set(wordsOf(`asked ${expected} ${actual} ${twin}`))
  return wordsOf(note).some((word) => word.length > 3 && !known.has(word))
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_.]+/gu) ?? []
}

function labeled(label: string, value: string, paint: ChalkInstance): string {
  return `  ${paint.dim(label.padEnd(LABEL_WIDTH))}${cut(value)}`
}

function command(label: string, text: string, paint: ChalkInstance): string {
  return `  ${paint.dim(label.padEnd(LABEL_WIDTH))}${paint.cyan(shorten(escapeLine(text), MAX_COMMAND_CHARACTERS))}`
}

function signedLines(exchange: RedactedExchange, paint: ChalkInstance): string[] {
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
function deliveryLines(exchange: RedactedExchange, paint: ChalkInstance): string[] {
  const answered = exchange.status === null ? (exchange.broken ?? 'not answered') : `answered ${exchange.status}`
  return [
    labeled('delivery', `${exchange.method}, ${answered} after ${Math.round(exchange.tookMs)} ms`, paint),
    labeled('', `${HEADERS.signature}: ${headerOf(exchange.requestHeaders, HEADERS.signature) ?? 'none'}`, paint),
    labeled('', exchange.requestBody, paint),
  ]
}

function unverifiedLines(result: RunResult, { verbose }: RenderOptions, paint: ChalkInstance): string[] {
  const lines = unverified(result).flatMap(({ reason, requirements, notes, chosen, todo }) => [
    `  ${reason} (${requirements.length})`,
    ...(chosen ? [] : wrapped(verbose ? requirements : bySection(result, requirements))).map(
      (line) => `    ${paint.dim(escapeLine(line))}`,
    ),
    ...notes.slice(0, 3).map((note) => `    ${paint.dim(shorten(escapeLine(note), 200))}`),
    ...(chosen ? [] : [`    to do: ${todo}`]),
  ])
  return section('Not verified by this run', lines, paint)
}

/** A few by their ids; many as counts by heading of the document. */
function bySection(result: RunResult, ids: readonly string[]): readonly string[] {
  if (ids.length <= IDS_SHOWN) return ids
  const rows = result.requirements.filter(({ id }) => ids.includes(id))
  return [...grouped(rows, ({ section }) => section)]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([section, own]) => `${section} ${own.length}`)
}

const IDS_SHOWN = 10
const WRAP_CHARACTERS = 96

/** Words in lines of about the same length. */
function wrapped(words: readonly string[]): string[] {
  const lines: string[] = []
  for (const word of words.map((one, at) => (at < words.length - 1 ? `${one},` : one))) {
    const last = lines.at(-1)
    if (last === undefined || last.length + word.length >= WRAP_CHARACTERS) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}

const MAX_VALUE_CHARACTERS = 600

/** A value on one line, cut where it is long: the JSON report has it whole. */
function cut(text: string): string {
  return shorten(escapeLine(text), MAX_VALUE_CHARACTERS)
}

/** Nothing where there are no lines. */
function section(title: string, lines: readonly string[], paint: ChalkInstance): string[] {
  return lines.length === 0 ? [] : [paint.bold(title), ...lines]
}

function itemLine(requirement: string, place: string, text: string, paint: ChalkInstance): string {
  return `  ${escapeLine(requirement)}  ${paint.dim(escapeLine(place))}  ${cut(text)}`
}

/** What the target was seen to do where the document leaves a choice. */
function observationLines(result: RunResult, paint: ChalkInstance, verbose = false): string[] {
  const count = result.observations.length
  if (count > 0 && !verbose) return [`${counted(count, 'choice')} observed (--verbose and the html report show them)`]
  const lines = inOrderOfPoints(result).map(
    ({ gap, value, scenario }) => `  ${escapeLine(gap)}  ${cut(answerText(value))}  ${paint.dim(escapeLine(scenario))}`,
  )
  return section('Observed where the document leaves a choice', lines, paint)
}

/** Those of one point together, in the order of the registry: scenarios meet the same points in several places. */
function inOrderOfPoints({ observations, requirements }: RunResult): Observation[] {
  const places = new Map(requirements.map(({ id }, at) => [id, at]))
  const place = ({ gap }: Observation) => places.get(gap.split('/')[0] ?? '') ?? requirements.length
  return [...observations].sort((a, b) => place(a) - place(b))
}

/** Checks that a baseline does not name, in brief. */
function briefLines(title: string, verdict: CheckVerdict, result: RunResult, paint: ChalkInstance): string[] {
  const lines = saidTogether(newChecks(result, [verdict])).flatMap(
    ({ scenario, check, exchange, requirements, steps }) => [
      itemLine(requirements, `${scenario.id} > ${steps}`, seenAndWhy(check), paint),
      ...(verdict === 'inconclusive' ? [`    to do: ${escapeLine(adviceFor(check, exchange))}`] : []),
    ],
  )
  return section(title, lines, paint)
}

/** What the target file has pinned, and what came instead. */
function driftLines(result: RunResult, paint: ChalkInstance): string[] {
  const lines = checksWith(result, ['drift']).map(({ scenario, check }) =>
    itemLine(check.requirement, `${scenario.id} > ${check.step}`, `${check.actual} (${check.expected})`, paint),
  )
  return section('Drifted from the pinned answer', lines, paint)
}

/** Mostly failures. A baseline may list any check that is not green. */
const NOT_GREEN: readonly CheckVerdict[] = ['fail', 'inconclusive', 'tolerated', 'drift', 'not_run', 'harness_error']

/** Failures that the baseline lists. They are still violations, but not new ones. */
function knownLines(result: RunResult, paint: ChalkInstance): string[] {
  const lines = checksWith(result, NOT_GREEN).flatMap(({ scenario, check: { requirement, step, actual, known } }) => {
    if (known === undefined) return []
    const line = itemLine(requirement, `${scenario.id} > ${step}`, actual, paint)
    return [line, `    ${cut(`${known.reason} (until ${known.until})`)}`]
  })
  return section('Known failures (listed in the baseline)', lines, paint)
}

function createdLines(result: RunResult, paint: ChalkInstance): string[] {
  const lines = [...grouped(result.created, ({ kind }) => kind)].map(
    ([kind, things]) => `  ${counted(things.length, kind.replaceAll('_', ' '))}: ${firstFew(things)}`,
  )
  return section(createdTitle(result), lines, paint)
}

const THINGS_SHOWN = 3
const MAX_ID_CHARACTERS = 100

/** The JSON report has them all. */
function firstFew(things: readonly CreatedThing[]): string {
  const shown = things.slice(0, THINGS_SHOWN).map(({ id }) => shorten(escapeLine(id), MAX_ID_CHARACTERS))
  const left = things.length - shown.length
  return left === 0 ? shown.join(', ') : `${shown.join(', ')} and ${left} more`
}
