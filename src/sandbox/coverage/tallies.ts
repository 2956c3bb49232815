import type { Db } from '../../storage/database.ts'
import { emptyTallies, loadTallies, saveTallies } from './store.ts'
import type { Tally, TallyKind } from './tally.ts'

/** A world's tallies, kept in memory and written down from time to time; there are a few hundred at most. */
export interface Tallies {
  /** The same object each time; it counts zero where nothing was met. */
  of(kind: TallyKind, id: string): Tally
  /** Those of a kind that count anything. */
  all(kind: TallyKind): Tally[]
  add(tally: Tally, atMs: number, times?: number): void
  /**
   * Writes what is not written yet, in the open transaction or in one of its own.
   *
   * @returns call it where that transaction was undone.
   */
  save(): () => void
  /** Forgets all of them, here and in the table. */
  empty(): void
  /** Forgets what is in memory; what the table holds is read again. */
  reload(): void
}

/** @param db asked for late, so that a world without calls never reads its tallies. */
export function createTallies(db: () => Db): Tallies {
  let known: Map<string, Tally> | null = null
  let dirty: Tally[] = []

  function loaded(): Map<string, Tally> {
    known ??= new Map(loadTallies(db()).map((tally) => [keyOf(tally.kind, tally.id), tally]))
    return known
  }

  function soil(tally: Tally): void {
    if (tally.isDirty) return
    tally.isDirty = true
    dirty.push(tally)
  }

  return {
    of(kind, id) {
      const key = keyOf(kind, id)
      const found = loaded().get(key)
      if (found) return found
      const fresh: Tally = { kind, id, count: 0, firstMs: 0, lastMs: 0, detail: null, isDirty: false }
      loaded().set(key, fresh)
      return fresh
    },
    all: (kind) => [...loaded().values()].filter((tally) => tally.kind === kind && tally.count > 0),
    add(tally, atMs, times = 1) {
      if (tally.count === 0) tally.firstMs = atMs
      tally.lastMs = atMs
      tally.count += times
      soil(tally)
    },
    save() {
      const written = dirty
      if (written.length > 0) saveTallies(db(), written)
      for (const tally of written) tally.isDirty = false
      dirty = []
      return () => {
        for (const tally of written) soil(tally)
      }
    },
    empty() {
      emptyTallies(db())
      known = null
      dirty = []
    },
    reload() {
      known = null
      dirty = []
    },
  }
}

function keyOf(kind: TallyKind, id: string): string {
  return `${kind} ${id}`
}
