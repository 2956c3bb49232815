const SHORT = /^(?:(\d{1,6})d)?(?:(\d{1,8})h)?(?:(\d{1,9})m)?(?:(\d{1,10})s)?$/
const ISO = /^P(?:(\d{1,6})D)?(?:T(?:(\d{1,8})H)?(?:(\d{1,9})M)?(?:(\d{1,10})S)?)?$/
const UNIT_MS = [86_400_000, 3_600_000, 60_000, 1_000] as const

/** What durations look like, for error messages. */
export const DURATION_WORDS =
  'a duration of more than zero in whole days, hours, minutes and seconds, such as 10m30s, 2h, 7d or PT10M30S'

/**
 * What is wrong with a text that is not a duration, to follow its name or a pronoun.
 *
 * @example durationProblem('10') // 'has no unit; write 10s, 10m or 10h'
 */
export function durationProblem(text: string): string {
  return /^\d{1,9}$/.test(text) && Number(text) > 0
    ? `has no unit; write ${text}s, ${text}m or ${text}h`
    : `is not ${DURATION_WORDS}`
}

/**
 * Reads a duration: `10m30s`, `2h`, `7d`, `90s` and combinations of d h m s, or ISO 8601 (`PT10M30S`, `P7D`).
 *
 * @returns milliseconds, or null if the text is not a duration or the duration is empty.
 */
export function parseDuration(text: string): number | null {
  const parts = SHORT.exec(text) ?? ISO.exec(text)
  if (!parts) return null
  const ms = UNIT_MS.reduce((sum, unitMs, i) => sum + unitMs * Number(parts[i + 1] ?? 0), 0)
  return ms > 0 ? ms : null
}

/** Writes a duration in the short form. */
export function formatDuration(durationMs: number): string {
  let restMs = Math.max(0, Math.round(durationMs / 1_000) * 1_000)
  let text = ''
  for (const [i, letter] of ['d', 'h', 'm', 's'].entries()) {
    const unitMs = UNIT_MS[i] as number
    const count = Math.floor(restMs / unitMs)
    restMs -= count * unitMs
    if (count > 0) text += `${count}${letter}`
  }
  return text || '0s'
}
