import { HEADERS } from '../../contract/headers.ts'
import type { CheckResult, CheckVerdict, RedactedExchange, RunResult } from '../result/result.ts'
import { adviceFor } from './advice.ts'
import { canonicalLines } from './canonical-lines.ts'
import { type CheckInContext, checksWith, saidTogether, seenAndWhy, unverified } from './digest.ts'
import { escapeLine, shorten } from './escape.ts'
import { type Paint, paintWith } from './paint.ts'
import {
  createdLines,
  driftLines,
  knownLines,
  MAX_VALUE_CHARACTERS,
  observationLines,
  placeOf,
} from './pretty-asides.ts'
import { LABEL_WIDTH, summaryLines } from './pretty-summary.ts'
import type { RenderOptions, Reporter } from './reporter.ts'
import { isDeliveryOfOurs, MAX_COMMAND_CHARACTERS, reproductionOf } from './reproduce.ts'

/** For a person at a terminal, where the end is what is seen: what failed comes last, and the verdict below it. */
export const pretty: Reporter = {
  render(result, options) {
    const paint = paintWith(options.colour)
    const sections = [
      observationLines(result, paint, options.verbose),
      options.keepsNothing ? [] : createdLines(result, paint),
      briefSection('Tolerated', ['tolerated'], result, paint),
      unverifiedLines(result, options, paint),
      briefSection('Inconclusive', ['inconclusive'], result, paint),
      driftLines(result, paint),
      briefSection('Errors of our own', ['harness_error'], result, paint),
      knownLines(result, paint),
      ...newFailures(result).map((failure) => failureLines(failure, result, options, paint)),
      summaryLines(result, paint, options.keepsNothing),
    ]
    return `${sections
      .filter((lines) => lines.length > 0)
      .map((lines) => lines.join('\n'))
      .join('\n\n')}\n`
  },
}

function newFailures(result: RunResult): CheckInContext[] {
  return checksWith(result, ['fail']).filter(({ check }) => check.known === undefined)
}

/** The order of these lines is promised (design: a failure reads, in this order). */
function failureLines(failure: CheckInContext, result: RunResult, options: RenderOptions, paint: Paint): string[] {
  const { scenario, check, requirement, exchange } = failure
  const place = { scenario: scenario.id, url: result.target.url }
  const { call, note, again } = reproductionOf(exchange, place, options)
  const row = (label: string, value: string) => labelled(label, value, paint)
  return [
    `${paint.red(paint.bold('FAIL'))}  ${paint.bold(escapeLine(check.requirement))}  ${paint.dim(placeOf(scenario, check))}`,
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

/** Whether a note has a word of any weight that stands neither in what was expected nor in what came. */
function saysMore(note: string, { expected, actual, twin = '' }: CheckResult): boolean {
  const known = new Set(wordsOf(`asked ${expected} ${actual} ${twin}`))
  return wordsOf(note).some((word) => word.length > 3 && !known.has(word))
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_.]+/gu) ?? []
}

function labelled(label: string, value: string, paint: Paint): string {
  return `  ${paint.dim(label.padEnd(LABEL_WIDTH))}${shorten(escapeLine(value), MAX_VALUE_CHARACTERS)}`
}

function command(label: string, text: string, paint: Paint): string {
  return `  ${paint.dim(label.padEnd(LABEL_WIDTH))}${paint.cyan(shorten(escapeLine(text), MAX_COMMAND_CHARACTERS))}`
}

function signedLines(exchange: RedactedExchange, paint: Paint): string[] {
  if (isDelivery(exchange) || isDeliveryOfOurs(exchange)) return deliveryLines(exchange, paint)
  const lines = canonicalLines(exchange)
  if (lines.length === 0) return [labelled('signed', '(this call was sent without a signature of ours)', paint)]
  return lines.flatMap(({ text, instead }, at) => {
    const label = at === 0 ? 'signed' : ''
    if (instead === null) return [labelled(label, text, paint)]
    return [
      labelled(label, `${text}   <-- the first difference`, paint),
      labelled('', `${instead}   <-- what the request as sent calls for`, paint),
    ]
  })
}

/** The target asked and the runner answered: nobody can send that again from here. */
function isDelivery({ speaker }: RedactedExchange): boolean {
  return speaker === 'target'
}

/** A delivery: what a receiver has to go by. */
function deliveryLines(exchange: RedactedExchange, paint: Paint): string[] {
  const signature = exchange.requestHeaders.find(([name]) => name.toLowerCase() === HEADERS.signature.toLowerCase())
  const answered = exchange.status === null ? (exchange.broken ?? 'not answered') : `answered ${exchange.status}`
  return [
    labelled('delivery', `${exchange.method}, ${answered} after ${Math.round(exchange.tookMs)} ms`, paint),
    labelled('', `${HEADERS.signature}: ${signature?.[1] ?? 'none'}`, paint),
    labelled('', exchange.requestBody, paint),
  ]
}

function briefSection(title: string, verdicts: readonly CheckVerdict[], result: RunResult, paint: Paint): string[] {
  const found = checksWith(result, verdicts).filter(({ check }) => check.known === undefined)
  if (found.length === 0) return []
  return [
    paint.bold(title),
    ...saidTogether(found).flatMap(({ scenario, check, exchange, requirements, steps }) => [
      `  ${escapeLine(requirements)}  ${paint.dim(placeOf(scenario, { step: steps }))}  ${shorten(escapeLine(seenAndWhy(check)), MAX_VALUE_CHARACTERS)}`,
      ...(check.verdict === 'inconclusive' ? [`    to do: ${escapeLine(adviceFor(check, exchange))}`] : []),
    ]),
  ]
}

function unverifiedLines(result: RunResult, { verbose }: RenderOptions, paint: Paint): string[] {
  const groups = unverified(result)
  if (groups.length === 0) return []
  return [
    paint.bold('Not verified by this run'),
    ...groups.flatMap(({ reason, requirements, notes, chosen, todo }) => [
      `  ${reason} (${requirements.length})`,
      ...(chosen ? [] : wrapped(verbose ? requirements : bySection(result, requirements))).map(
        (line) => `    ${paint.dim(escapeLine(line))}`,
      ),
      ...notes.slice(0, 3).map((note) => `    ${paint.dim(shorten(escapeLine(note), 200))}`),
      ...(chosen ? [] : [`    to do: ${todo}`]),
    ]),
  ]
}

/** A few by their ids; many as counts by heading of the document. */
function bySection(result: RunResult, ids: readonly string[]): readonly string[] {
  if (ids.length <= IDS_SHOWN) return ids
  const counts = new Map<string, number>()
  for (const { id, section } of result.requirements)
    if (ids.includes(id)) counts.set(section, (counts.get(section) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a).map(([section, count]) => `${section} ${count}`)
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
