import type { CheckResult } from './result.ts'

/**
 * How a check fails, in words that stay the same from run to run: what came instead of what, without the ids, names, times
 * and amounts that change in every run. Two failures with one fingerprint are the same failure.
 *
 * @example fingerprintOf(check) // '409 conflict instead of accepted (any 2xx); order.public_id is ...'
 */
export function fingerprintOf({ actual, expected }: Pick<CheckResult, 'actual' | 'expected'>): string {
  return `${shortened(stable(withoutMessage(actual)))} instead of ${shortened(stable(expected))}`
}

/** The code says how a call was refused; its message is for people, and may name anything. */
function withoutMessage(actual: string): string {
  return actual.replace(/^([1-5]\d\d [a-z][a-z0-9_]*): .*$/s, '$1')
}

/** What stands for everything that is another one in each run. */
const ANY = '...'

/** In this order: a later pattern must not eat part of what an earlier one takes whole. */
const PASSING: readonly (readonly [RegExp, string])[] = [
  [/"[^"]*"/g, ANY],
  [/\bhttps?:\/\/\S+/g, ANY],
  [/\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d)?)?/g, ANY],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, ANY],
  [/\bconf-[0-9a-f]{10}[\w.-]*/g, ANY],
  [/\b[a-z]{2,5}_(?=[A-Za-z]*\d)[A-Za-z0-9]{6,}/g, ANY],
  [/(domain(?: is(?: not)?)?) [a-z0-9-]+(?:\.[a-z0-9-]+)+/g, `$1 ${ANY}`],
  [/\b(?=[a-z]*\d)(?=\d*[a-f])[0-9a-f]{8,}\b/g, ANY],
  [/\bnumber \d+ of \d+/g, 'one'],
  [/\bnone of \d+/g, 'none'],
]

function stable(text: string): string {
  const words = PASSING.reduce((left, [pattern, stand]) => left.replace(pattern, stand), text.replaceAll(/\s+/g, ' '))
  return words.trim().replace(NUMBER, (number, at: number) => (isTelling(number, words.slice(0, at)) ? number : '#'))
}

const NUMBER = /(?<![\w.])-?\d+(?:\.\d+)?(?!\w)/g

/** None, one and the statuses of HTTP distinguish failures; other numbers are counts and amounts. */
function isTelling(number: string, before: string): boolean {
  if (number === '0' || number === '1') return true
  return /^[1-5]\d\d$/.test(number) && /(?:^|status |with |refused: |answered |changed: |,)$/.test(before)
}

const MAX_CHARACTERS = 160

function shortened(text: string): string {
  return text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS - ANY.length)}${ANY}`
}
