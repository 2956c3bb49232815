export interface RateLimit {
  readonly requests: number
  readonly seconds: number
}

/**
 * The calls of one credential, or the visits of a world's pages, in a sliding window: at most so many in any stretch of so
 * many seconds, exactly.
 */
export class RateWindow {
  /** Oldest first. */
  #admittedAtMs: number[] = []
  #first = 0

  /**
   * Counts a call, or says how long to wait. Refused calls are not counted, so waiting that long is enough (ERR-03).
   *
   * @returns 0 where the call is let through, else whole seconds to wait.
   */
  admit(nowMs: number, { requests, seconds }: RateLimit): number {
    const all = this.#admittedAtMs
    // A clock that went back, as that of a suspended machine may: what it said before is worth nothing.
    if ((all.at(-1) ?? nowMs) > nowMs) this.#first = all.length
    const endedMs = nowMs - seconds * 1_000
    while (this.#first < all.length && (all[this.#first] as number) <= endedMs) this.#first++
    // Dropping the front costs a copy, so it waits until that is at least half.
    if (this.#first > 512 && this.#first * 2 > all.length) {
      this.#admittedAtMs = all.slice(this.#first)
      this.#first = 0
    }
    const inWindow = this.#admittedAtMs.length - this.#first
    if (inWindow < requests) {
      this.#admittedAtMs.push(nowMs)
      return 0
    }
    // After a limit was lowered there may be more than one call too many.
    const leavesAtMs = (this.#admittedAtMs[this.#first + inWindow - requests] as number) + seconds * 1_000
    return Math.max(1, Math.ceil((leavesAtMs - nowMs) / 1_000))
  }
}
