import { HEADERS } from '../../contract/headers.ts'
import type { CheckResult, CheckVerdict, RedactedExchange, RunResult } from '../result.ts'
import { canonicalLines } from './canonical-lines.ts'
import { type CheckInContext, checksWith, unverified } from './digest.ts'
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
import { curlOf, isDeliveryOfOurs, rerunCommand } from './reproduce.ts'

/** For a person at a terminal, where the end is what is seen: asides first, then what failed, and the verdict last. */
export const pretty: Reporter = {
  render(result, options) {
    const paint = paintWith(options.colour)
    const sections = [
      observationLines(result, paint),
      options.keepsNothing ? [] : createdLines(result, paint),
      unverifiedLines(result, paint),
      knownLines(result, paint),
      ...newFailures(result).map((failure) => failureLines(failure, result, options, paint)),
      briefSection('Errors of our own', ['harness_error'], result, paint),
      briefSection('Not proved', ['inconclusive'], result, paint),
      briefSection('Tolerated', ['tolerated'], result, paint),
      driftLines(result, paint),
      summaryLines(result, paint, options.keepsNothing),
    ]
    return `${sections
      .filter((lines) => lines.length > 0)
      .map((lines) => lines.join('\n'))
      .join('\n\n')}\n`
  },
}

const MAX_COMMAND_CHARACTERS = 4_000

function newFailures(result: RunResult): CheckInContext[] {
  return checksWith(result, ['fail']).filter(({ check }) => check.known === undefined)
}

/** The order of these lines is promised (design: a failure reads, in this order). */
function failureLines(failure: CheckInContext, result: RunResult, options: RenderOptions, paint: Paint): string[] {
  const { scenario, check, requirement, exchange } = failure
  const row = (label: string, value: string) => labelled(label, value, paint)
  return [
    `${paint.red(paint.bold('FAIL'))}  ${paint.bold(escapeLine(check.requirement))}  ${paint.dim(placeOf(scenario, check))}`,
    ...(requirement ? [row('requirement', requirement.text), row('document', `"${requirement.section}"`)] : []),
    row('expected', check.expected),
    row('actual', check.actual),
    ...(exchange ? signedLines(exchange, paint) : []),
    ...(check.twin === undefined ? [] : [row('twin', check.twin)]),
    ...(check.note === undefined || !saysMore(check.note, check) ? [] : [row('likely cause', check.note)]),
    ...(exchange && !isDelivery(exchange) ? [command('curl', curlOf(exchange, result.target.url), paint)] : []),
    command('again', rerunCommand(options.invocation, scenario.id), paint),
  ]
}

/** Whether a note has a word of any weight that stands neither in what was expected nor in what came. */
function saysMore(note: string, { expected, actual, twin = '' }: CheckResult): boolean {
  const known = new Set(wordsOf(`${expected} ${actual} ${twin}`))
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
    ...found.map(({ scenario, check }) => {
      const reason = check.note === undefined ? '' : ` (${check.note})`
      return `  ${escapeLine(check.requirement)}  ${paint.dim(placeOf(scenario, check))}  ${shorten(escapeLine(check.actual + reason), MAX_VALUE_CHARACTERS)}`
    }),
  ]
}

function unverifiedLines(result: RunResult, paint: Paint): string[] {
  const groups = unverified(result)
  if (groups.length === 0) return []
  return [
    paint.bold('Not verified by this run'),
    ...groups.flatMap(({ reason, requirements, notes, chosen, todo }) => [
      `  ${reason} (${requirements.length})`,
      ...(chosen ? [] : wrapped(requirements.map(escapeLine))).map((line) => `    ${paint.dim(line)}`),
      ...notes.slice(0, 3).map((note) => `    ${paint.dim(shorten(escapeLine(note), 200))}`),
      ...(chosen ? [] : [`    to do: ${todo}`]),
    ]),
  ]
}

const WRAP_CHARACTERS = 96

/** Words in lines of about the same length. */
function wrapped(words: readonly string[]): string[] {
  const lines: string[] = []
  for (const word of words) {
    const last = lines.at(-1)
    if (last === undefined || last.length + word.length >= WRAP_CHARACTERS) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}
