/** Fewer calls between two pauses show no rate: an operator may have set a limit of a few calls, or one slot of a window was free. */
const FEWEST_TAKEN = 8
/** One 429 may be a chance. */
const LIMITED_BEFORE = 3
/** Over a longer time a run is slow for reasons of its own. */
const LONGEST_WINDOW_MS = 60_000
/** Of the rate that was measured; a further 429 lowers it by as much again. */
const SHARE = 0.9

/**
 * The rate that a target allows, measured by its 429s: the calls that it took from the end of one pause to the end of the next. A
 * run that goes slower than this is no longer refused, and so is a call that cannot be repeated.
 */
export class CallRate {
  #taken = 0
  #sinceMs: number
  #pauses = 0
  #gapMs = 0
  #nextMs = 0

  constructor(nowMs: number) {
    this.#sinceMs = nowMs
  }

  /** No call goes out before. */
  get nextMs(): number {
    return this.#nextMs
  }

  /** Takes note of calls that go out. */
  take(calls: number, nowMs: number): void {
    this.#taken += calls
    this.#nextMs = Math.max(nowMs, this.#nextMs) + this.#gapMs * calls
  }

  /** Takes note of a 429 that asks all calls to wait until then. */
  limit(untilMs: number): void {
    const windowMs = untilMs - this.#sinceMs
    this.#pauses++
    if (this.#pauses >= LIMITED_BEFORE && this.#taken >= FEWEST_TAKEN && windowMs <= LONGEST_WINDOW_MS)
      this.#gapMs = Math.max(this.#gapMs, windowMs / this.#taken) / SHARE
    this.#taken = 0
    this.#sinceMs = untilMs
  }
}
