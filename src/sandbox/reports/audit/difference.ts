/** Something that does not reconcile: what the history says it must be, and what was found. */
export type Difference = { what: string; id: string } & (
  | { expectedCents: number; foundCents: number }
  | { expected: string | number; found: string | number }
)

/** A ledger that was lost differs in every line, and a million lines are of no use. */
const MOST_KEPT = 1_000

/** What does not reconcile. */
export class Findings {
  readonly differences: Difference[] = []
  /** How many more there are than are kept. */
  leftOut = 0

  /** Notes two amounts that are not the same. */
  cents(what: string, id: string, expectedCents: number, foundCents: number): void {
    if (expectedCents !== foundCents) this.#note({ what, id, expectedCents, foundCents })
  }

  /** Notes two other facts that are not the same. */
  facts(what: string, id: string, expected: string | number, found: string | number): void {
    if (expected !== found) this.#note({ what, id, expected, found })
  }

  #note(difference: Difference): void {
    if (this.differences.length < MOST_KEPT) this.differences.push(difference)
    else this.leftOut++
  }
}
