/** Work in steps of a few milliseconds: whoever runs it says what happens between them. */
export type Steps<Result> = Generator<undefined, Result>

/** Without a pause. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}

/**
 * With others served in between.
 *
 * @param pause between two slices of the work.
 * @param sliceMs how long a slice may be; a step that has begun is finished.
 * @throws what `pause` throws: it ends the work.
 */
export async function inTurns<Result>(
  steps: Steps<Result>,
  { pause, sliceMs, monotonicMs }: { pause: () => Promise<unknown>; sliceMs: number; monotonicMs: () => number },
): Promise<Result> {
  let sinceMs = monotonicMs()
  let step = steps.next()
  while (!step.done) {
    if (monotonicMs() - sinceMs >= sliceMs) {
      await pause()
      sinceMs = monotonicMs()
    }
    step = steps.next()
  }
  return step.value
}
