/** Work in short steps: the caller decides what happens between them. */
export type Steps<Result> = Generator<void, Result>

/** Runs all steps without a pause. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}

/** Work without a pause. */
// biome-ignore lint/correctness/useYield: that is what it is for
export function* oneStep<Result>(work: () => Result): Steps<Result> {
  return work()
}
