import type { DueItem, DueSource } from './scheduler.ts'
import type { World } from './world.ts'

/** Which kind of due thing is next. */
export interface DueOrder {
  /** Something may be due at this instant from now on. */
  note(atMs: number): void
  /** No item is due before this instant; Infinity where nothing waits. */
  readonly notBeforeMs: number
  /** The earliest item of all sources; ties in the order of the sources. */
  earliest(world: World): { source: DueSource; item: DueItem } | null
  /** Those that have not been left out. */
  sound(): readonly DueSource[]
  /** A source that broke in this process waits for the next one. */
  leaveOut(source: DueSource): void
  /** What was known may have been undone. */
  forget(): void
}

interface Entry {
  readonly source: DueSource
  /** It has nothing that is due before this instant. */
  notBeforeMs: number
  /** What it answered when it was asked last, and in which search that was. */
  item: DueItem | null
  askedIn: number
}

const UNKNOWN_MS = Number.NEGATIVE_INFINITY

/**
 * Asks as few tables as it can: of each source an instant is known before which it has nothing, and only the source that
 * may come first is asked. Things that go away, or are put off, need not be told; those that come must be.
 *
 * @param sources in the order in which ties are settled.
 */
export function createDueOrder(sources: readonly DueSource[]): DueOrder {
  // Unknown until the tables have been asked once.
  let entries: Entry[] = sources.map((source) => ({ source, notBeforeMs: UNKNOWN_MS, item: null, askedIn: 0 }))
  let notBeforeMs = UNKNOWN_MS
  let search = 0

  function first(): Entry | undefined {
    let best = entries[0]
    for (const entry of entries) if (best && entry.notBeforeMs < best.notBeforeMs) best = entry
    return best
  }

  function earliest(world: World): { source: DueSource; item: DueItem } | null {
    search += 1
    while (true) {
      const entry = first()
      notBeforeMs = entry?.notBeforeMs ?? Number.POSITIVE_INFINITY
      if (!entry || notBeforeMs === Number.POSITIVE_INFINITY) return null
      // Asked a moment ago, and still none of the others can come before it.
      if (entry.askedIn === search) return { source: entry.source, item: entry.item as DueItem }
      entry.askedIn = search
      entry.item = entry.source.peek(world)
      entry.notBeforeMs = entry.item?.atMs ?? Number.POSITIVE_INFINITY
    }
  }

  return {
    note(atMs) {
      notBeforeMs = Math.min(notBeforeMs, atMs)
      for (const entry of entries) entry.notBeforeMs = Math.min(entry.notBeforeMs, atMs)
    },
    get notBeforeMs() {
      return notBeforeMs
    },
    earliest,
    sound: () => entries.map(({ source }) => source),
    leaveOut(source) {
      entries = entries.filter((entry) => entry.source !== source)
    },
    forget() {
      notBeforeMs = UNKNOWN_MS
      for (const entry of entries) entry.notBeforeMs = UNKNOWN_MS
    },
  }
}
