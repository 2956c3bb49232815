/** Work in short steps: the caller decides what happens between them. */
export type Steps<Result> = Generator<void, Result>

/** Runs all steps without a pause. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}

/**
 * Takes steps for so long, at least one; a step that has begun is finished.
 *
 * @returns the last of them.
 */
export function someSteps<Result>(
  steps: Steps<Result>,
  mostMs: number,
  monotonicMs: () => number,
): IteratorResult<void, Result> {
  const sinceMs = monotonicMs()
  let step = steps.next()
  while (!step.done && monotonicMs() - sinceMs < mostMs) step = steps.next()
  return step
}
