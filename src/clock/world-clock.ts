import { LATEST_MS } from './instant.ts'
import type { WallClock } from './wall-clock.ts'

/** How a world's time stands: ticking at a distance from the machine's, or standing still. */
export type ClockState = { mode: 'running'; offsetMs: number } | { mode: 'frozen'; atMs: number }

export type ClockMode = ClockState['mode']

/**
 * A world's own time: business dates, quotes, settlement. It moves forward only, and never touches the wall time by
 * which signatures are judged (product.md, Two clocks).
 */
export interface WorldClock {
  /** The world's time in milliseconds since 1970. */
  nowMs(): number
  readonly state: ClockState
  /** Moves to an instant that is not before now, keeping the mode. */
  moveTo(instantMs: number): void
  setMode(mode: ClockMode): void
  /** While a jump runs, time stands at the instant of each scheduled task; `null` lets it go on. */
  pin(instantMs: number | null): void
  /** A running clock stands still, moved only by `moveTo`, until `release`: what a jump awaits takes none of its time. */
  hold(): void
  release(): void
  /** Starts all over, even at an earlier instant: for a world that is reset to its seed. */
  restart(initial: ClockState): void
}

/**
 * @param wall the machine's time, by which a running clock ticks.
 * @param initial where it starts.
 * @param notBeforeMs an instant that the world has reached before, by a machine's clock that may have been set back since.
 */
export function createWorldClock(
  wall: WallClock,
  initial: ClockState,
  notBeforeMs = Number.NEGATIVE_INFINITY,
): WorldClock {
  let state = initial
  let pinnedMs: number | null = null
  let heldMs: number | null = null
  // The machine's clock may be set back; a world's never is.
  let latestMs = notBeforeMs

  function nowMs(): number {
    if (pinnedMs !== null) return pinnedMs
    const raw = heldMs ?? (state.mode === 'frozen' ? state.atMs : wall.nowMs() + state.offsetMs)
    latestMs = Math.min(Math.max(latestMs, raw), LATEST_MS)
    return latestMs
  }

  function stateAt(mode: ClockMode, instantMs: number): ClockState {
    return mode === 'frozen' ? { mode, atMs: instantMs } : { mode, offsetMs: instantMs - wall.nowMs() }
  }

  return {
    nowMs,
    get state() {
      return state
    },
    moveTo(instantMs) {
      if (instantMs < nowMs()) throw new RangeError('a world’s clock moves forward only')
      if (instantMs > LATEST_MS) throw new RangeError('a world’s clock ends with the year 9999')
      if (heldMs !== null) heldMs = instantMs
      state = stateAt(state.mode, instantMs)
    },
    setMode(mode) {
      state = stateAt(mode, nowMs())
    },
    pin(instantMs) {
      pinnedMs = instantMs
      if (instantMs !== null) latestMs = Math.max(latestMs, instantMs)
    },
    hold() {
      heldMs = nowMs()
    },
    release() {
      if (heldMs === null) return
      const reachedMs = nowMs()
      heldMs = null
      state = stateAt(state.mode, reachedMs)
    },
    restart(fresh) {
      state = fresh
      // Held still, but at no instant of before; whoever restarts a held clock says where it stands.
      if (heldMs !== null) heldMs = Number.NEGATIVE_INFINITY
      latestMs = Number.NEGATIVE_INFINITY
    },
  }
}
