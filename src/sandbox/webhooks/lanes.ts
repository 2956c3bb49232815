import { callAfter } from '../../clock/wall-clock.ts'

/** One endpoint's attempts in flight. */
export interface Lane {
  inFlight: number
  /** The attempt that was started last, while the next one waits for it; null where the next may start. */
  waitsFor: number | null
  /** Whether the attempt that ended last has failed. */
  isFailing: boolean
}

const MOST_IN_FLIGHT = 8
/** So long is an attempt waited for before the next one of its endpoint starts (HOOK-09). */
const PATIENCE_MS = 250

export function newLane(): Lane {
  return { inFlight: 0, waitsFor: null, isFailing: false }
}

export function mayStart(lane: Lane): boolean {
  return lane.waitsFor === null && lane.inFlight < MOST_IN_FLIGHT
}

/**
 * Counts an attempt in. The next one of the lane may start when this one has ended or has taken long.
 *
 * @param onPatienceEnded told when it has taken long.
 * @returns call it when the attempt has ended.
 */
export function enter(lane: Lane, seq: number, onPatienceEnded: () => void): () => void {
  lane.inFlight += 1
  lane.waitsFor = seq
  const alarm = callAfter(PATIENCE_MS, () => {
    goOn(lane, seq)
    onPatienceEnded()
  })
  return () => {
    alarm.cancel()
    lane.inFlight -= 1
    goOn(lane, seq)
  }
}

function goOn(lane: Lane, seq: number): void {
  if (lane.waitsFor === seq) lane.waitsFor = null
}
