/** Something an operator did to a world, as its log keeps it. */
export interface Act {
  /** Position in the world's list of acts, counting from 1; never given twice. */
  readonly position: number
  /** Wall time at which it was done, in milliseconds. */
  readonly atMs: number
  /** World time before and after it, in milliseconds: a jump of the clock is as long as they are apart. */
  readonly fromMs: number
  readonly toMs: number
  /** The position of the last call that was logged before it was done: so calls and acts can be put in one order. */
  readonly afterCall: number
  /** What was asked for: verb and path below the world, as `POST /orders/{public_id}/hold`. */
  readonly operation: string
  readonly params: Readonly<Record<string, string>>
  readonly body: unknown
}

const MOST_ACTS = 10_000

/** The latest acts of operators on a world: bounded, oldest dropped first. */
export class ActLog {
  #acts: Act[] = []
  #added = 0

  /** @returns it with its position. */
  add(act: Omit<Act, 'position'>): Act {
    this.#added += 1
    const added = { ...act, position: this.#added }
    this.#acts.push(added)
    // Dropping the oldest costs a copy, so it waits for a tenth of all.
    if (this.#acts.length > MOST_ACTS * 1.1) this.#acts = this.#acts.slice(-MOST_ACTS)
    return added
  }

  /** Oldest first, those after a position. */
  after(position: number): readonly Act[] {
    return this.#acts.filter((act) => act.position > position).slice(-MOST_ACTS)
  }

  clear(): void {
    this.#acts = []
  }
}
