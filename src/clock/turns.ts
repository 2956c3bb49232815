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

/** Waits until the event loop has served what came meanwhile. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
