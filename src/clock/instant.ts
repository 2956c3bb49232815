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

/** Writes an instant as the wire has it: ISO 8601 UTC with milliseconds (shapes.md). */
export function formatInstant(instantMs: number): string {
  return new Date(Math.min(instantMs, LATEST_MS)).toISOString()
}
