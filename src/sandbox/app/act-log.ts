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

/** The latest acts of operators on a world: bounded, oldest dropped first. */
export interface ActLog {
  add(act: Omit<Act, 'position'>): void
  /** Oldest first, those after a position. */
  after(position: number): readonly Act[]
  clear(): void
}

const MOST_ACTS = 10_000

/** @example createActLog(1_000) */
export function createActLog(most = MOST_ACTS): ActLog {
  let acts: Act[] = []
  let added = 0
  return {
    add(act) {
      added += 1
      acts.push({ ...act, position: added })
      // Dropping the oldest costs a copy, so it waits for a tenth of all.
      if (acts.length > most * 1.1) acts = acts.slice(-most)
    },
    after: (position) => acts.filter((act) => act.position > position).slice(-most),
    clear() {
      acts = []
    },
  }
}
