import { type Steps, someSteps } from '../contract/steps.ts'

/** How long work may keep others waiting. */
export interface Turns {
  /** How long a slice may be; a step that has begun is finished. */
  readonly sliceMs: number
  /** Between two slices. */
  pause(): Promise<unknown>
  monotonicMs(): number
}

/**
 * Work in slices, with others served in between.
 *
 * @throws what `pause` throws: it ends the work.
 */
export async function inTurns<Result>(steps: Steps<Result>, { sliceMs, pause, monotonicMs }: Turns): Promise<Result> {
  try {
    let step = someSteps(steps, sliceMs, monotonicMs)
    while (!step.done) {
      await pause()
      step = someSteps(steps, sliceMs, monotonicMs)
    }
    return step.value
  } finally {
    // Lets it tidy up.
    steps.return(undefined as Result)
  }
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

/**
 * A turn of the event loop after each step.
 *
 * @param refuseEnd throws when the result is not wanted any more; this ends the work where it is.
 */
export function turnEachStep(refuseEnd: () => void): Turns {
  return {
    sliceMs: 0,
    monotonicMs: () => 0,
    async pause() {
      await new Promise((resolve) => setImmediate(resolve))
      refuseEnd()
    },
  }
}
