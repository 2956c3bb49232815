/** One thing that was done wrong, in a clause for a person. Never holds a secret. */
export interface Mistake {
  readonly id: string
  readonly says: string
}

/**
 * Rows of the table of mistakes, by id: a clause for a person, and what a caller who made the mistake would have signed instead. That
 * is one value for each way to make it, none where it cannot be made here.
 */
export type Mistakes<Given, Value = Given> = Readonly<Record<string, MistakeRow<Given, Value>>>

type MistakeRow<Given, Value> = readonly [
  /** A function where it names what was given or what came of it. */
  sentence: string | ((given: Given, wrong: Value) => string),
  apply: (given: Given) => readonly Value[],
  /** What fits instead, for a receiver who verifies other bytes than were signed. */
  fits?: string,
]

/** A value, and what is wrong with it: nothing, one thing or two. */
export interface Way<Value> {
  readonly value: Value
  readonly mistakes: readonly Mistake[]
  /** Other mistakes that make the very same of this call. */
  readonly equally?: readonly (readonly Mistake[])[]
}

export function wrongWays<Given, Value>(mistakes: Mistakes<Given, Value>, given: Given): Way<Value>[] {
  return Object.entries(mistakes).flatMap((row) => waysToMake(row, given))
}

function waysToMake<Given, Value>([id, row]: [string, MistakeRow<Given, Value>], given: Given): Way<Value>[] {
  const [sentence, apply] = row
  return apply(given).map((value) => {
    const says = typeof sentence === 'string' ? sentence : sentence(given, value)
    return { value, mistakes: [{ id, says }] }
  })
}

/** Parts of long work, each of which takes little time, in their order. */
export type Pieces<Result> = readonly (() => Result)[]

/**
 * What is right, and every way with one mistake, or with two in different steps.
 *
 * @param steps the last one first: of two mistakes, that of the earlier step is applied first.
 */
export function upToTwo<Draft>(steps: readonly Mistakes<Draft>[], right: Draft): Pieces<Way<Draft>[]> {
  const wrong = steps.flatMap((step, at) =>
    Object.entries(step).map(
      (row) => () => waysToMake(row, right).flatMap((way) => [way, ...withAnother(steps.slice(0, at), way)]),
    ),
  )
  return [() => [{ value: right, mistakes: [] }], ...wrong]
}

function withAnother<Draft>(later: readonly Mistakes<Draft>[], { value, mistakes }: Way<Draft>): Way<Draft>[] {
  return later
    .flatMap((step) => wrongWays(step, value))
    .map((way) => ({ value: way.value, mistakes: [...mistakes, ...way.mistakes] }))
}

/** What is right, and every way with one mistake; each value once. */
export function rightAndWrong<Given, Value>(
  right: Value,
  mistakes: Mistakes<Given, Value>,
  given: Given,
): Way<Value>[] {
  return distinct([{ value: right, mistakes: [] }, ...wrongWays(mistakes, given)])
}

/**
 * Each value once, those with the fewest mistakes first: where two ways make the same, the one with fewer mistakes and then the
 * earlier one is named.
 */
export function distinct<Value>(
  ways: Iterable<Way<Value>>,
  keyOf: (value: Value) => unknown = (value) => value,
): Way<Value>[] {
  const found = new Map<unknown, Way<Value> & { equally: (readonly Mistake[])[] }>()
  for (const way of [...ways].sort((a, b) => a.mistakes.length - b.mistakes.length)) {
    const key = keyOf(way.value)
    const earlier = found.get(key)
    if (!earlier) found.set(key, { ...way, equally: [] })
    else if (earlier.mistakes.length === way.mistakes.length && way.mistakes.length > 0)
      earlier.equally.push(way.mistakes)
  }
  return [...found.values()]
}
