const DATE = /^\d{4}-\d{2}-\d{2}$/
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/

/**
 * Reads an ISO 8601 date (midnight UTC) or date-time with a zone.
 *
 * @returns milliseconds since 1970, or null where the text is neither or names a day that does not exist.
 */
export function parseInstant(text: string): number | null {
  if (!DATE.test(text) && !DATE_TIME.test(text)) return null
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) return null
  // Date.parse rolls 31 February over; the day that comes back must be the day that was written.
  const midnight = new Date(`${text.slice(0, 10)}T00:00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(text.slice(0, 10)) ? ms : null
}

/** The last instant that ISO 8601 writes with four digits of year; worlds end there. */
export const LATEST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

const CLOSE_MS = 60_000

/**
 * Whether a time of one clock would mislead a reader who goes by another, both in Unix milliseconds: a minute or more lies between them.
 *
 * @example isOtherTime(Date.parse('2030-01-01T00:00:00Z'), Date.parse('2030-01-01T00:00:59Z')) // false
 */
export function isOtherTime(oneMs: number, anotherMs: number): boolean {
  return Math.abs(oneMs - anotherMs) >= CLOSE_MS
}

const DAY_MS = 86_400_000
const DAYS_KEPT = 100
/** The texts of days by their number: what of an instant is costly to write, and most of a world's instants share. */
const days = new Map<number, string>()

const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'))

/** Writes an instant as the wire has it: ISO 8601 UTC with milliseconds. */
export function formatInstant(instantMs: number): string {
  const ms = Math.trunc(Math.min(instantMs, LATEST_MS))
  const day = Math.floor(ms / DAY_MS)
  const rest = ms - day * DAY_MS
  const [hours, minutes] = [Math.floor(rest / 3_600_000), Math.floor(rest / 60_000) % 60]
  const [seconds, millis] = [Math.floor(rest / 1_000) % 60, rest % 1_000]
  const time = `${TWO_DIGITS[hours]}:${TWO_DIGITS[minutes]}:${TWO_DIGITS[seconds]}`
  return `${textOfDay(day)}T${time}.${String(millis).padStart(3, '0')}Z`
}

/** @throws RangeError for one that no date has. */
function textOfDay(day: number): string {
  const known = days.get(day)
  if (known !== undefined) return known
  const [text = ''] = new Date(day * DAY_MS).toISOString().split('T')
  if (days.size >= DAYS_KEPT) days.clear()
  days.set(day, text)
  return text
}
