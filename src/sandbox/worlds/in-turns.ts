/**
 * Does work that yields now and then, with a turn of the event loop at each yield, so that others are served meanwhile.
 *
 * @param refuseEnd throws if the caller has gone; then it ends where it stands.
 */
export async function inTurns<Result>(work: Generator<void, Result>, refuseEnd: () => void): Promise<Result> {
  try {
    let step = work.next()
    while (!step.done) {
      await new Promise((resolve) => setImmediate(resolve))
      refuseEnd()
      step = work.next()
    }
    return step.value
  } finally {
    // Lets it tidy up.
    work.return(undefined as Result)
  }
}

/** The same without a pause. */
export function atOnce<Result>(work: Generator<void, Result>): Result {
  let step = work.next()
  while (!step.done) step = work.next()
  return step.value
}
