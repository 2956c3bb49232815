import type { MISTAKES, REFUSALS } from './mistakes.ts'

/** A known way to sign or to send wrongly. */
export type MistakeId = keyof typeof MISTAKES | keyof typeof REFUSALS

/** One thing that was done wrong, in a clause for a person. Never holds a secret. */
export interface Mistake {
  readonly id: MistakeId
  readonly says: string
}

/** One way to make a part of what is signed, and what is wrong with it: nothing, one thing or two. */
export interface Alternative<Value> {
  readonly value: Value
  readonly mistakes: readonly Mistake[]
  /** Other mistakes that make the very same of this call. */
  readonly equally: readonly (readonly Mistake[])[]
}

/** A change that can be made together with those of other groups. */
export interface Variation<Value> {
  readonly mistake: Mistake | null
  readonly value: Value
}

/** What is right, then each wrong way once: where two make the same, the smaller and earlier one speaks for both. */
export function distinct<Value>(
  ways: Iterable<{ value: Value; mistakes: readonly Mistake[] }>,
  keyOf: (value: Value) => string,
): Alternative<Value>[] {
  const found = new Map<string, { value: Value; mistakes: readonly Mistake[]; equally: (readonly Mistake[])[] }>()
  for (const way of [...ways].sort((a, b) => a.mistakes.length - b.mistakes.length)) {
    const key = keyOf(way.value)
    const earlier = found.get(key)
    if (!earlier) found.set(key, { ...way, equally: [] })
    else if (earlier.mistakes.length === way.mistakes.length && way.mistakes.length > 0)
      earlier.equally.push(way.mistakes)
  }
  return [...found.values()]
}

/** Every choice of one variation from each group that makes at most two mistakes. */
export function* upToTwo<Group extends readonly (readonly Variation<unknown>[])[]>(
  groups: Group,
): Generator<{ values: { [At in keyof Group]: Group[At][number]['value'] }; mistakes: Mistake[] }> {
  type Values = { [At in keyof Group]: Group[At][number]['value'] }
  yield* chosen(groups, 0, [], []) as Generator<{ values: Values; mistakes: Mistake[] }>
}

const MOST = 2

function* chosen(
  groups: readonly (readonly Variation<unknown>[])[],
  at: number,
  values: readonly unknown[],
  mistakes: readonly Mistake[],
): Generator<{ values: readonly unknown[]; mistakes: readonly Mistake[] }> {
  const group = groups[at]
  if (!group) {
    yield { values, mistakes }
    return
  }
  for (const { mistake, value } of group) {
    if (mistake && mistakes.length === MOST) continue
    yield* chosen(groups, at + 1, [...values, value], mistake ? [...mistakes, mistake] : mistakes)
  }
}
