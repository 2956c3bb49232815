import type { Db } from '../../storage/database.ts'
import { loadTallies, saveTallies } from './store.ts'
import type { Tally, TallyKind } from './tally.ts'

/** A world's tallies, kept in memory and written down from time to time; there are a few hundred at most. */
export class Tallies {
  readonly #db: () => Db
  /** By kind and id. */
  #known: Map<TallyKind, Map<string, Tally>> | null = null
  #unsaved = new Set<Tally>()

  /** @param db asked for late, so that a world without calls never reads its tallies. */
  constructor(db: () => Db) {
    this.#db = db
  }

  /** The same object each time; it counts zero if it was never added to. */
  of(kind: TallyKind, id: string): Tally {
    const found = this.#loaded().get(kind)?.get(id)
    if (found) return found
    const fresh = { kind, id, count: 0, firstMs: 0, lastMs: 0, detail: null }
    keep(this.#loaded(), fresh)
    return fresh
  }

  /** Those of a kind that count anything. */
  all(kind: TallyKind): Tally[] {
    return [...(this.#loaded().get(kind)?.values() ?? [])].filter(({ count }) => count > 0)
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

  #loaded(): Map<TallyKind, Map<string, Tally>> {
    if (this.#known) return this.#known
    // Known once all are read: one that was left out would begin at zero again.
    const known = new Map<TallyKind, Map<string, Tally>>()
    for (const tally of loadTallies(this.#db())) keep(known, tally)
    this.#known = known
    return known
  }
}

function keep(known: Map<TallyKind, Map<string, Tally>>, tally: Tally): void {
  const ofKind = known.get(tally.kind)
  if (ofKind) ofKind.set(tally.id, tally)
  else known.set(tally.kind, new Map([[tally.id, tally]]))
}
