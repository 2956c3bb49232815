import type { Money } from './money-of.ts'

type Unit = NonNullable<Money['unit']>

/** What was read while one expectation was judged. A place is an operation and a role: `pricing:listing.price`. */
export interface Reading {
  /** Places of amounts whose unit neither the answer nor the target file shows. */
  readonly open: Set<string>
  /** Places that the runner found without a hint. */
  readonly guessed: Set<string>
  /** Units that are supposed for open places, to see whether they explain a failure. */
  readonly supposed: ReadonlyMap<string, Unit>
  /** The item that an `includes` was satisfied with. */
  fitted?: unknown
}

export function newReading(supposed: Reading['supposed'] = new Map()): Reading {
  return { open: new Set(), guessed: new Set(), supposed }
}
