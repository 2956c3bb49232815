import { parseDuration } from '../../clock/duration.ts'

/** A duration of a scenario in milliseconds; null if there is none. */
export function durationOf(text: string | undefined): number | null {
  return text === undefined ? null : parseDuration(text)
}
