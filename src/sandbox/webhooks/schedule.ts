import { parseDuration } from '../../clock/duration.ts'
import type { GapChoices } from '../../contract/gaps.ts'

/**
 * How long after each failed attempt the next one is made, in milliseconds of world time; after the last of them none is
 * (HOOK-07).
 *
 * @example retryDelaysMs('5s 1m') // [5_000, 60_000]
 */
export function retryDelaysMs(schedule: GapChoices['retry-schedule']): number[] {
  return schedule === 'never' ? [] : schedule.split(' ').map((delay) => parseDuration(delay) as number)
}

/**
 * When the attempt after a failed one is due; null where there is none any more.
 *
 * @param attempts of the schedule made so far, the failed one included.
 * @param atMs instant of the failed one.
 * @example retryAtMs('10s 1m 5m 30m 2h 8h 24h', 1, 0) // 10_000
 */
export function retryAtMs(schedule: GapChoices['retry-schedule'], attempts: number, atMs: number): number | null {
  const delayMs = retryDelaysMs(schedule)[attempts - 1]
  return delayMs === undefined ? null : atMs + delayMs
}
