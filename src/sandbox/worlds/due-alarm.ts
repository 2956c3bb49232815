import { type Alarm, callAfter } from '../../clock/wall-clock.ts'
import { caughtUp } from '../kernel/scheduler.ts'
import type { Environment } from './environment.ts'

/** Brings a world whose clock is running to what is due, without any call. A frozen one must be moved. */
export interface DueAlarm {
  /** Must be called after every commit: what it wrote, or where it put the clock, may have changed what is next. */
  set(): void
  /** Ends for ever: before the database is closed. */
  end(): void
}

/** After a disk that was full or broken, in real time. */
const PAUSE_MS = 1_000

/** @param world asked for late, because a world and its alarm need each other. */
export function createDueAlarm(world: () => Environment): DueAlarm {
  let alarm: Alarm | null = null
  let setFor: { atMs: number; clock: Environment['clock']['state'] } | null = null
  let isCatchingUp = false
  let ended = false

  function set(): void {
    const { due, clock } = world()
    const atMs = due.notBeforeMs
    if (ended || isCatchingUp || (setFor?.atMs === atMs && setFor.clock === clock.state)) return
    alarm?.cancel()
    setFor = { atMs, clock: clock.state }
    const ticks = clock.state.mode === 'running' && atMs !== Number.POSITIVE_INFINITY
    alarm = ticks ? callAfter(atMs - clock.nowMs(), ring) : null
  }

  function ring(): void {
    if (ended || !world().db.open) return
    setFor = null
    isCatchingUp = true
    void caughtUp(world()).then(goOn, goOnLater)
  }

  function goOn(): void {
    isCatchingUp = false
    set()
  }

  function goOnLater(): void {
    isCatchingUp = false
    if (!ended) alarm = callAfter(PAUSE_MS, ring)
  }

  return {
    set,
    end() {
      ended = true
      alarm?.cancel()
    },
  }
}
