/** The machine's own: a test may put others in the place of the global ones, for which a sandbox in its process would wait in vain. */
const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate } = globalThis
const { now } = Date
const { hrtime } = process

/** The machine's time. Nothing outside of src/clock reads it: everything else takes a clock as a parameter. */
export interface WallClock {
  /** Unix time in milliseconds. */
  nowMs(): number
  /** Milliseconds that never go back, for durations. */
  monotonicMs(): number
}

export const wallClock: WallClock = {
  nowMs: now,
  // Node loads all of node:perf_hooks for `performance`, which takes a command line as long as its own request.
  monotonicMs() {
    const [seconds, nanoseconds] = hrtime()
    return seconds * 1_000 + nanoseconds / 1_000_000
  },
}

/** The longest delay a Node timer takes; anything longer fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** A timer that can be taken back. */
export interface Alarm {
  cancel(): void
}

/**
 * Calls back once after so many milliseconds of real time. The timer does not keep the process alive.
 *
 * @example const alarm = callAfter(5_000, () => socket.destroy())
 */
export function callAfter(delayMs: number, callback: () => void): Alarm {
  const timer = setTimeout(callback, Math.min(Math.max(0, delayMs), LONGEST_TIMER_MS))
  timer.unref()
  return { cancel: () => clearTimeout(timer) }
}

/** Calls back every so many milliseconds of real time, likewise. */
export function callEvery(everyMs: number, callback: () => void): Alarm {
  const timer = setInterval(callback, everyMs)
  timer.unref()
  return { cancel: () => clearInterval(timer) }
}

/** Into so many parts a wait is cut, to see in which of them the process stood still. */
const SLICES = 20
/** So late a timer may be in a process that runs. */
const USUAL_LATENESS_MS = 50

/**
 * Calls back once after so many milliseconds in which this process ran: a stall, on a busy machine, does not count as a delay of what
 * it waits for.
 *
 * @param latestMs it calls back in any case as soon as it sees that so many milliseconds are over.
 */
export function callAfterRunning(delayMs: number, latestMs: number, callback: () => void): Alarm {
  const endMs = wallClock.monotonicMs() + latestMs
  let leftMs = delayMs
  let alarm: Alarm
  const next = (): void => {
    const sliceMs = Math.min(delayMs / SLICES, leftMs)
    const startedMs = wallClock.monotonicMs()
    alarm = callAfter(sliceMs, () => {
      leftMs -= Math.min(wallClock.monotonicMs() - startedMs, sliceMs + USUAL_LATENESS_MS)
      if (leftMs > 0 && wallClock.monotonicMs() < endMs) next()
      else callback()
    })
  }
  next()
  return { cancel: () => alarm.cancel() }
}

/**
 * Waits so many milliseconds of real time, or until the signal aborts, whichever is first. Keeps the process alive.
 *
 * @example await sleep(1_000, signal)
 */
export function sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, Math.min(Math.max(0, delayMs), LONGEST_TIMER_MS))
    signal?.addEventListener('abort', done)
  })
}

/** How long work may keep others waiting. */
export interface Turns {
  /** How long a slice may be; a step that has begun is finished. */
  readonly sliceMs: number
  /** Between two slices. */
  pause(): Promise<unknown>
  monotonicMs(): number
}

/** Called between two pieces of work, it gives a promise when a slice is over. */
export function restIn({ sliceMs, pause, monotonicMs }: Turns): () => Promise<void> | undefined {
  let sinceMs = monotonicMs()
  return () => {
    if (monotonicMs() - sinceMs < sliceMs) return undefined
    return pause().then(() => {
      sinceMs = monotonicMs()
    })
  }
}

/** Calls back once the event loop has served what came meanwhile. */
export function inNextTurn(callback: () => void): void {
  setImmediate(callback)
}

/** Waits until then. */
export function nextTurn(): Promise<void> {
  return new Promise(inNextTurn)
}
