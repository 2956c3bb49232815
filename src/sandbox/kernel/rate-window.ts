/** The calls of one credential, or the visits of a world's pages, within the last seconds, oldest first. */
export interface RateWindow {
  /**
   * Counts a call, or says how long to wait. Refused calls are not counted, so waiting that long is enough (ERR-03).
   *
   * @returns 0 where the call is let through, else whole seconds to wait.
   */
  admit(nowMs: number, limit: { requests: number; seconds: number }): number
}

/** A sliding window: at most so many calls in any stretch of so many seconds, exactly. */
export function createRateWindow(): RateWindow {
  let admittedAtMs: number[] = []
  let first = 0

  function forget(upToMs: number): void {
    while (first < admittedAtMs.length && (admittedAtMs[first] as number) <= upToMs) first++
    // Dropping the front costs a copy, so it waits until that is at least half.
    if (first > 512 && first * 2 > admittedAtMs.length) {
      admittedAtMs = admittedAtMs.slice(first)
      first = 0
    }
  }

  return {
    admit(nowMs, { requests, seconds }) {
      // A clock that went back, as that of a suspended machine may: what it said before is worth nothing.
      if ((admittedAtMs.at(-1) ?? nowMs) > nowMs) forget(Number.POSITIVE_INFINITY)
      forget(nowMs - seconds * 1_000)
      const inWindow = admittedAtMs.length - first
      if (inWindow < requests) {
        admittedAtMs.push(nowMs)
        return 0
      }
      // After a limit was lowered there may be more than one call too many.
      const leavesAtMs = (admittedAtMs[first + inWindow - requests] as number) + seconds * 1_000
      return Math.max(1, Math.ceil((leavesAtMs - nowMs) / 1_000))
    },
  }
}
