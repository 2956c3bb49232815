import type { Db } from '../../storage/database.ts'
import { loadTallies, saveTallies } from './store.ts'
import type { Tally, TallyKind } from './tally.ts'

/** A world's tallies, kept in memory and written down from time to time; there are a few hundred at most. */
export class Tallies {
  readonly #db: () => Db
  #known: Map<string, Tally> | null = null
  #unsaved = new Set<Tally>()

  /** @param db asked for late, so that a world without calls never reads its tallies. */
  constructor(db: () => Db) {
    this.#db = db
  }

  /** The same object each time; it counts zero if it was never added to. */
  of(kind: TallyKind, id: string): Tally {
    const key = keyOf({ kind, id })
    const found = this.#loaded().get(key)
    if (found) return found
    const fresh = { kind, id, count: 0, firstMs: 0, lastMs: 0, detail: null }
    this.#loaded().set(key, fresh)
    return fresh
  }

  /** Those of a kind that count anything. */
  all(kind: TallyKind): Tally[] {
    return [...this.#loaded().values()].filter((tally) => tally.kind === kind && tally.count > 0)
  }

  add(kind: TallyKind, id: string, atMs: number, times = 1): Tally {
    const tally = this.of(kind, id)
    if (tally.count === 0) tally.firstMs = atMs
    tally.lastMs = atMs
    tally.count += times
    this.#unsaved.add(tally)
    return tally
  }

  /**
   * Writes what is not written yet, in the open transaction or in one of its own.
   *
   * @returns call it if that transaction was undone.
   */
  save(): () => void {
    const written = this.#unsaved
    if (written.size > 0) saveTallies(this.#db(), written)
    this.#unsaved = new Set()
    return () => {
      for (const tally of written) this.#unsaved.add(tally)
    }
  }

  /** Forgets what is in memory; what the table holds is read again. */
  forget(): void {
    this.#known = null
    this.#unsaved.clear()
  }

  #loaded(): Map<string, Tally> {
    this.#known ??= new Map(loadTallies(this.#db()).map((tally) => [keyOf(tally), tally]))
    return this.#known
  }
}

function keyOf({ kind, id }: Pick<Tally, 'kind' | 'id'>): string {
  return `${kind} ${id}`
}
