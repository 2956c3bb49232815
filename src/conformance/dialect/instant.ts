import { instantMs } from '../format/values.ts'

/**
 * An instant that is written otherwise than in ISO 8601 with dashes and colons, written so: times compare then. Null for any other text.
 *
 * @example instantIn('20261129T221724Z') // '2026-11-29T22:17:24.000Z'
 */
export function instantIn(text: string): string | null {
  if (SECONDS.test(text)) return isoOf(Number(text) * 1_000)
  if (MILLISECONDS.test(text)) return isoOf(Number(text))
  if (BASIC_FORM.test(text)) return isoOf(instantMs(text))
  const [, day, time] = HTTP_DATE.exec(text) ?? []
  if (day === undefined) return null
  if (time === undefined) return isoOf(Date.parse(`${day} GMT`))?.slice(0, 'YYYY-MM-DD'.length) ?? null
  return isoOf(Date.parse(`${day} ${time} GMT`))
}

function isoOf(ms: number): string | null {
  return Number.isNaN(ms) ? null : new Date(ms).toISOString()
}

/** `Fri, 16 Apr 2027 09:30:00 GMT`, or its day alone. */
const HTTP_DATE = /^(?:[A-Z][a-z]{2,8},? )?(\d{1,2} [A-Z][a-z]{2} \d{4})(?: (\d\d:\d\d:\d\d) (?:GMT|UTC|\+0000))?$/
/** `20261129T221724Z`, as ISO 8601 writes an instant in short. */
const BASIC_FORM = /^\d{8}T\d{6}(?:\.\d+)?Z$/
const SECONDS = /^\d{10}(\.\d+)?$/
const MILLISECONDS = /^\d{13}$/

/** Whether a text may be a date, an instant, or a Unix time. */
export function looksLikeATime(text: string): boolean {
  return LOOKS_LIKE_A_TIME.test(text) || instantIn(text) !== null
}

const LOOKS_LIKE_A_TIME = /^(?:\d{4}-\d\d-\d\d|\d{8}T\d{6}|\d{10}(?:\d{3})?$)/
