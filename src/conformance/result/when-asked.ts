/**
 * What is worked out when it is first asked for, and once.
 *
 * @example const exchanges = whenAsked(() => kept.map(redacted))
 */
export function whenAsked<Value>(work: () => Value): () => Value {
  let known: { value: Value } | undefined
  return () => {
    known ??= { value: work() }
    return known.value
  }
}
