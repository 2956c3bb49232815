import { LATEST_MS } from './instant.ts'
import type { WallClock } from './wall-clock.ts'

/** How a world's time stands: ticking at a distance from the machine's, or standing still. */
export type ClockState = { mode: 'running'; offsetMs: number } | { mode: 'frozen'; atMs: number }

export type ClockMode = ClockState['mode']

/**
 * A world's own time: business dates, quotes, settlement. It moves forward only, and never touches the wall time by
 * which signatures are judged (docs/worlds-and-time.md).
 */
export class WorldClock {
  /** Replaced when the clock is set or moved, never altered; for others to read. */
  state: ClockState
  readonly #wall: WallClock
  #pinnedMs: number | null = null
  #heldMs: number | null = null
  /** The machine's clock may be set back; a world's never is. */
  #latestMs: number

  /**
   * @param wall by which a running clock ticks.
   * @param notBeforeMs an instant that the world has reached before; the machine's clock may have been set back since.
   */
  constructor(wall: WallClock, initial: ClockState, notBeforeMs = Number.NEGATIVE_INFINITY) {
    this.#wall = wall
    this.state = initial
    this.#latestMs = notBeforeMs
  }

  /** The world's time in milliseconds since 1970. */
  nowMs(): number {
    if (this.#pinnedMs !== null) return this.#pinnedMs
    const state = this.state
    const raw = this.#heldMs ?? (state.mode === 'frozen' ? state.atMs : this.#wall.nowMs() + state.offsetMs)
    this.#latestMs = Math.min(Math.max(this.#latestMs, raw), LATEST_MS)
    return this.#latestMs
  }

  /** Moves to an instant that is not before now, keeping the mode. */
  moveTo(instantMs: number): void {
    if (instantMs < this.nowMs()) throw new RangeError('a world’s clock moves forward only')
    if (instantMs > LATEST_MS) throw new RangeError('a world’s clock ends with the year 9999')
    if (this.#heldMs !== null) this.#heldMs = instantMs
    this.state = this.#stateAt(this.state.mode, instantMs)
  }

  setMode(mode: ClockMode): void {
    this.state = this.#stateAt(mode, this.nowMs())
  }

  /** While a jump runs, time is at the instant of each scheduled task; `null` lets it go on. */
  pin(instantMs: number | null): void {
    this.#pinnedMs = instantMs
    if (instantMs !== null) this.#latestMs = Math.max(this.#latestMs, instantMs)
  }

  /** A running clock stands still, moved only by `moveTo`, until `release`: what a jump awaits takes none of its time. */
  hold(): void {
    this.#heldMs = this.nowMs()
  }

  release(): void {
    if (this.#heldMs === null) return
    const reachedMs = this.nowMs()
    this.#heldMs = null
    this.state = this.#stateAt(this.state.mode, reachedMs)
  }

  /** Starts all over, even at an earlier instant: for a world that is reset to its seed. */
  restart(initial: ClockState): void {
    this.state = initial
    // Held still, but at no instant of before; the caller that restarts a held clock says where it is.
    if (this.#heldMs !== null) this.#heldMs = Number.NEGATIVE_INFINITY
    this.#latestMs = Number.NEGATIVE_INFINITY
  }

  #stateAt(mode: ClockMode, instantMs: number): ClockState {
    return mode === 'frozen' ? { mode, atMs: instantMs } : { mode, offsetMs: instantMs - this.#wall.nowMs() }
  }
}
