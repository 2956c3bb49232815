import type { Mistake } from './mistake.ts'
import { mistake } from './mistakes.ts'

const WHOLE_SECONDS = /^(?:0|[1-9][0-9]{0,14})$/
/** Later than any second of this millennium: milliseconds. */
const FIRST_MILLISECONDS = 100_000_000_000

/**
 * Why a timestamp is refused; null where it is none of the reasons.
 *
 * @param nowMs the time that it is judged by.
 * @param allowedSeconds either side of it.
 * @example explainTimestamp('1767225600000', nowMs, 300)?.id // 'timestamp-sent-in-milliseconds'
 */
export function explainTimestamp(text: string, nowMs: number, allowedSeconds: number): Mistake | null {
  if (!WHOLE_SECONDS.test(text)) return mistake('timestamp-not-seconds', notSeconds(text))
  const seconds = Number(text)
  if (seconds >= FIRST_MILLISECONDS) return mistake('timestamp-sent-in-milliseconds')
  const ahead = seconds - Math.floor(nowMs / 1_000)
  if (Math.abs(ahead) <= allowedSeconds) return null
  return ahead > 0
    ? mistake('clock-ahead', `the clock that made the timestamp is ${spanOf(ahead)} ahead`)
    : mistake(
        'clock-behind',
        `the clock that made the timestamp is ${spanOf(-ahead)} behind, or the call was kept for so long`,
      )
}

function notSeconds(text: string): string {
  const form = FORMS.find(({ pattern }) => pattern.test(text))
  return `the timestamp is ${form?.words ?? 'no Unix time in whole seconds'}; it is Unix time in whole seconds, digits alone`
}

const FORMS = [
  { pattern: /^\d{4}-\d{2}-\d{2}/, words: 'an ISO date' },
  { pattern: /^[A-Z][a-z]{2},? /, words: 'an HTTP date' },
  { pattern: /^\d+[.,]\d+$/, words: 'a number with a fraction' },
  { pattern: /^["'].*["']$/, words: 'in quotation marks' },
  { pattern: /^\d+(?:\.\d+)?e\+?\d+$/i, words: 'written with an exponent' },
  { pattern: /^0\d+$/, words: 'written with a leading zero' },
]

const UNITS = [
  { name: 'day', seconds: 86_400 },
  { name: 'hour', seconds: 3_600 },
  { name: 'minute', seconds: 60 },
]

/** @example spanOf(420) // '7 minutes' */
export function spanOf(seconds: number): string {
  const unit = UNITS.find((each) => seconds >= 2 * each.seconds)
  const count = Math.round(seconds / (unit?.seconds ?? 1))
  return `${count} ${unit?.name ?? 'second'}${count === 1 ? '' : 's'}`
}
