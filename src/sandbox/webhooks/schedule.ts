const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** How long after each failed attempt the next one is made, in world time; after the last of them none is (HOOK-07). */
export const RETRY_DELAYS_MS: readonly number[] = [
  10 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  8 * HOUR_MS,
  24 * HOUR_MS,
]

/**
 * When the attempt after a failed one is due; null where there is none any more.
 *
 * @param attempts of the schedule made so far, the failed one included.
 * @param atMs instant of the failed one.
 * @example retryAtMs(1, 0) // 10_000
 */
export function retryAtMs(attempts: number, atMs: number): number | null {
  const delayMs = RETRY_DELAYS_MS[attempts - 1]
  return delayMs === undefined ? null : atMs + delayMs
}
