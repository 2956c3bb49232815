/** Fewer calls between two pauses show no rate: an operator may have set a limit of a few calls, or one slot of a window was free. */
const FEWEST_TAKEN = 8
/** One 429 may be a chance. */
const LIMITED_BEFORE = 3
/** Over a longer time a run is slow for reasons of its own. */
const LONGEST_WINDOW_MS = 60_000
/** By how much a run goes slower than the rate that was measured: a step for each 429, and at most so many. */
const STEP = 0.05
const MOST_STEPS = 4
/** A limit of calls at once looks like a slow rate, and fewer calls at once are the answer to that. */
const LONGEST_GAP_MS = 30

/**
 * The rate that a target allows, measured by its 429s: the calls that it took from the end of one pause to the end of the next. A
 * run that goes slower than this is no longer refused, and so is a call that cannot be repeated.
 */
export class CallRate {
  #taken = 0
  #sinceMs: number
  #pauses = 0
  #steps = 0
  #fastestMs = Number.POSITIVE_INFINITY
  #gapMs = 0
  #nextMs = 0
  /** What was taken until the latest pause. */
  #ended: { taken: number; readonly windowMs: number } | null = null

  constructor(nowMs: number) {
    this.#sinceMs = nowMs
  }

  /** No call goes out before. */
  get nextMs(): number {
    return this.#nextMs
  }

  /** Takes note of calls that go out. */
  take(calls: number, nowMs: number): void {
    this.#measure()
    this.#taken += calls
    this.#nextMs = Math.max(nowMs, this.#nextMs) + this.#gapMs * calls
  }

  /** Takes note of a 429 to a call that went out then. */
  refuse(startedMs: number): void {
    if (this.#ended && startedMs < this.#sinceMs) this.#ended.taken--
    else this.#taken--
  }

  /** Takes note of a 429 that asks all calls to wait until then. Calls that are under way may be refused as well. */
  limit(untilMs: number): void {
    this.#pauses++
    this.#ended = { taken: this.#taken, windowMs: untilMs - this.#sinceMs }
    this.#taken = 0
    this.#sinceMs = untilMs
  }

  #measure(): void {
    if (this.#ended === null) return
    const { taken, windowMs } = this.#ended
    this.#ended = null
    if (this.#pauses < LIMITED_BEFORE || taken < FEWEST_TAKEN || windowMs > LONGEST_WINDOW_MS) return
    // What was slow between two pauses says nothing of the limit.
    this.#fastestMs = Math.min(this.#fastestMs, windowMs / taken)
    this.#steps = Math.min(this.#steps + 1, MOST_STEPS)
    this.#gapMs = Math.min(this.#fastestMs * (1 + STEP * this.#steps), LONGEST_GAP_MS)
  }
}
