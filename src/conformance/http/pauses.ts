/** How long a run waits for something, and how often it looks meanwhile. */

export function firstPauseMs(loopback: boolean): number {
  return loopback ? 25 : 500
}

const LONGEST_PAUSE_MS = 2_000

export function longerPauseMs(pauseMs: number): number {
  return Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
}

/**
 * How many looks fit into such a wait at most, with the first look and the last.
 *
 * @param everyMs the pause where it is always the same; null if it grows.
 * @example looksWithin(1_000, 500, true) // 4
 */
export function looksWithin(withinMs: number, everyMs: number | null, loopback: boolean): number {
  if (everyMs !== null) return Math.floor(withinMs / Math.max(everyMs, 1)) + 2
  let looks = 2
  for (let [spent, pause] = [0, firstPauseMs(loopback)]; spent + pause <= withinMs; pause = longerPauseMs(pause)) {
    spent += pause
    looks += 1
  }
  return looks
}
