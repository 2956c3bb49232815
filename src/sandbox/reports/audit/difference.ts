/** Something that does not reconcile: what the history says it must be, and what was found. */
export type Difference = { what: string; id: string } & (
  | { expectedCents: number; foundCents: number }
  | { expected: string | number; found: string | number }
)

/** Where an audit collects what does not reconcile. */
export interface Findings {
  readonly differences: readonly Difference[]
  /** How many more there are than are kept. */
  readonly leftOut: number
  /** Notes two amounts that are not the same. */
  cents(what: string, id: string, expectedCents: number, foundCents: number): void
  /** Notes two other facts that are not the same. */
  facts(what: string, id: string, expected: string | number, found: string | number): void
}

/** A ledger that was lost differs in every line, and nobody reads a million of them. */
const MOST_KEPT = 1_000

export function newFindings(): Findings {
  const differences: Difference[] = []
  let leftOut = 0
  function note(difference: Difference): void {
    if (differences.length < MOST_KEPT) differences.push(difference)
    else leftOut++
  }
  return {
    differences,
    get leftOut() {
      return leftOut
    },
    cents(what, id, expectedCents, foundCents) {
      if (expectedCents !== foundCents) note({ what, id, expectedCents, foundCents })
    },
    facts(what, id, expected, found) {
      if (expected !== found) note({ what, id, expected, found })
    },
  }
}
