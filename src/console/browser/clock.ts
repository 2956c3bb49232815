/** The browser's time and timers: nothing else in the console reads them. */
export const browserClock = {
  nowMs: () => Date.now(),
}

/** Calls back once after so many milliseconds. @returns call it to take that back. */
export function callAfter(delayMs: number, callback: () => void): () => void {
  const timer = setTimeout(callback, delayMs)
  return () => clearTimeout(timer)
}

/** Waits, or until the signal aborts, whichever is first. */
export function sleep(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const cancel = callAfter(delayMs, resolve)
    signal.addEventListener('abort', () => {
      cancel()
      resolve()
    })
  })
}

/** Calls back at most once in so many milliseconds, and always after the last call. */
export function atMostEvery(intervalMs: number, callback: () => void): (() => void) & { cancel(): void } {
  let cancel: (() => void) | null = null
  let isWanted = false
  const run = () => {
    isWanted = false
    callback()
    cancel = callAfter(intervalMs, () => {
      cancel = null
      if (isWanted) run()
    })
  }
  const ask = () => {
    if (cancel) isWanted = true
    else run()
  }
  return Object.assign(ask, { cancel: () => cancel?.() })
}
