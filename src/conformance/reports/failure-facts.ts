import type { RedactedExchange } from '../result/result.ts'
import { canonicalLines, isDelivery } from './exchange.ts'
import type { ReportedCheck } from './report-model.ts'
import type { RenderOptions } from './reporter.ts'
import { reproductionOf } from './reproduce.ts'

/** One thing to know about a failure. */
export interface Fact {
  readonly label: string
  readonly text: string
  /** A line to paste into a shell; safe to show as it is. */
  readonly isCommand?: true
}

/**
 * What a report says of a check that failed, in the order that it promises: what was expected and came, the first wrong line of
 * what was signed, the twin, the likely cause, and a line that reproduces it.
 *
 * @param url base address of the target.
 */
export function failureFacts(
  { scenario, check, exchange }: ReportedCheck,
  url: string,
  options: RenderOptions,
): Fact[] {
  const { call, note, again } = reproductionOf(exchange, { scenario: scenario.id, url }, options)
  const differing = exchange && canonicalLines(exchange).find(({ instead }) => instead !== null)
  const command = (label: string, text: string): Fact => ({ label, text, isCommand: true })
  return [
    { label: 'expected', text: check.expected },
    { label: 'actual', text: check.actual },
    ...(exchange && isDelivery(exchange) ? [{ label: 'delivery', text: deliveryText(exchange) }] : []),
    ...(differing ? [{ label: 'signed', text: `${differing.text}; this request needs ${differing.instead}` }] : []),
    ...(check.twin === undefined ? [] : [{ label: 'twin', text: check.twin }]),
    ...(check.note !== undefined && saysMore(check.note, check) ? [{ label: 'likely cause', text: check.note }] : []),
    ...(note === null ? [] : [{ label: 'note', text: note }]),
    ...(call === null ? [command('reproduce', again)] : [command('reproduce', call), command('or run', again)]),
  ]
}

/** @example deliveryText(exchange) // 'POST, answered 200 after 3 ms' */
export function deliveryText({ method, status, broken, tookMs }: RedactedExchange): string {
  const answered = status === null ? (broken ?? 'not answered') : `answered ${status}`
  return `${method}, ${answered} after ${Math.round(tookMs)} ms`
}

/** Whether a note says more than what was expected and what came. */
function saysMore(note: string, { expected, actual, twin = '' }: ReportedCheck['check']): boolean {
  const known = new Set(wordsOf(`asked ${expected} ${actual} ${twin}`))
  return wordsOf(note).some((word) => word.length > 3 && !known.has(word))
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_.]+/gu) ?? []
}

/** The sentence of a requirement, with the heading of the document that it comes from. */
export function sentenceOf({ requirement }: Pick<ReportedCheck, 'requirement'>): string {
  if (requirement === undefined) return ''
  return requirement.section === '' ? requirement.text : `${requirement.text} ("${requirement.section}")`
}
