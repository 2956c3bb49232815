/** What is counted as calls finish, because no table of a world shows it afterwards. */
export type TallyKind =
  | 'called'
  | 'accepted'
  | 'code'
  | 'retry-right'
  | 'retry-wrong'
  | 'order-edge'
  | 'order-state'
  | 'case-edge'
  | 'event'
  | 'situation'
  /** How far each partner has read its history. */
  | 'history'
  /** When counting began again, and what the tables of the world held at that instant already. */
  | 'start'
  | 'baseline'

/** How often something happened, and when first and last, in milliseconds of world time. */
export interface Met {
  readonly count: number
  readonly firstMs: number
  readonly lastMs: number
}

export const NOTHING: Met = { count: 0, firstMs: 0, lastMs: 0 }

export function once(atMs: number, count = 1): Met {
  return { count, firstMs: atMs, lastMs: atMs }
}

/** Counts of the same thing as one. */
export function together(...all: readonly Met[]): Met {
  return all.reduce(both, NOTHING)
}

function both(one: Met, other: Met): Met {
  if (one.count === 0) return other
  if (other.count === 0) return one
  return {
    count: one.count + other.count,
    firstMs: Math.min(one.firstMs, other.firstMs),
    lastMs: Math.max(one.lastMs, other.lastMs),
  }
}

/** A count of one thing, as a table keeps it. */
export interface Tally<Kind extends string = TallyKind> extends Met {
  readonly kind: Kind
  readonly id: string
  /** What belongs to the latest of them. */
  readonly detail: string | null
}

/** Counts by kind and id, in memory; there are a few hundred at most. */
export class Tallies<Kind extends string = TallyKind> {
  readonly #known: Map<string, Tally<Kind>>

  constructor(known: readonly Tally<Kind>[] = []) {
    this.#known = new Map(known.map((tally) => [`${tally.kind} ${tally.id}`, tally]))
  }

  add(kind: Kind, id: string, met: Met, detail: string | null = null): void {
    const key = `${kind} ${id}`
    const before = this.#known.get(key)
    const { count, firstMs, lastMs } = before ? both(before, met) : met
    this.#known.set(key, { kind, id, count, firstMs, lastMs, detail: detail ?? before?.detail ?? null })
  }

  /** It counts zero if it was never added to. */
  of(kind: Kind, id: string): Tally<Kind> {
    return this.#known.get(`${kind} ${id}`) ?? { kind, id, ...NOTHING, detail: null }
  }

  all(): Tally<Kind>[] {
    return [...this.#known.values()]
  }
}
