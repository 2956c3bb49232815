/** How long a run waits for something, and how often it looks meanwhile. */

export function firstPauseMs(loopback: boolean): number {
  return loopback ? 25 : 500
}

const LONGEST_PAUSE_MS = 2_000

export function longerPauseMs(pauseMs: number): number {
  return Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
}
