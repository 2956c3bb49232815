import { type Db, writesIn } from '../../storage/db.ts'
import type { World } from '../kernel/world.ts'
import { type DrawListing, listingDrawer } from './draw-listing.ts'
import { indexListing, insertListing } from './listings.ts'

export interface InventoryOptions {
  readonly seed: string
  readonly count: number
  /** The world's time in milliseconds since 1970; no listing was registered after it. */
  readonly nowMs: number
  /** Called at intervals with the number of listings made so far. */
  readonly onProgress?: ((done: number, of: number) => void) | undefined
}

const PROGRESS_EVERY = 10_000
/** An index that was written at once is in one piece already. */
const WRITTEN_IN_ONE_GO = 10_000
/** Few milliseconds' worth. */
const LISTINGS_A_BATCH = 100

/**
 * Fills the inventory from a seed, replacing what was in it; call it inside a transaction. The same seed gives the same
 * listings on any day, and a smaller inventory is the beginning of a larger one.
 *
 * @returns does the next batch; false once all is done.
 */
export function drawingInventory(db: Db, { seed, count, nowMs, onProgress }: InventoryOptions): () => boolean {
  const draw = listingDrawer(seed, nowMs)
  let made = 0
  let isMerging = false
  db.statement("INSERT INTO listing_index (listing_index) VALUES ('delete-all')").run()
  db.statement('DELETE FROM listings').run()
  return () => {
    if (made === count) {
      const hasMore = count > WRITTEN_IN_ONE_GO && mergeIndex(db, isMerging)
      isMerging = true
      return hasMore
    }
    const end = Math.min(made + LISTINGS_A_BATCH, count)
    while (made < end) addNumber(db, draw, ++made)
    if (made % PROGRESS_EVERY === 0) onProgress?.(made, count)
    return made < count || count > WRITTEN_IN_ONE_GO
  }
}

/** So much of an index is merged at a time, in pages. */
const PAGES_A_BATCH = 500

/**
 * Merges some of the index, which becomes one piece, so that a search reads one place.
 *
 * @param hasBegun false for the first time: then all pieces are to become one.
 * @returns whether there is more to merge.
 */
function mergeIndex(db: Db, hasBegun: boolean): boolean {
  const before = writesIn(db)
  const merge = db.statement("INSERT INTO listing_index (listing_index, rank) VALUES ('merge', ?)")
  merge.run(hasBegun ? PAGES_A_BATCH : -PAGES_A_BATCH)
  // In the end nothing but the command itself changes.
  return writesIn(db) - before >= 2
}

/**
 * Adds the listings that a larger inventory of the same seed would have had.
 *
 * @returns their names.
 */
export function addDrawnListings({ db, chance, clock }: World, count: number): string[] {
  const draw = listingDrawer(chance.seed, clock.nowMs())
  // Those that were added by hand count down from -1.
  const sql = 'SELECT max(coalesce(max(id), 0), 0) FROM listings'
  const last = db.statement<number>(sql).pluck().get() as number
  return Array.from({ length: count }, (_, n) => addNumber(db, draw, last + 1 + n))
}

/**
 * Names are drawn until one is free; the kinds of names widen with each attempt, so one is found.
 *
 * @returns the name.
 */
function addNumber(db: Db, draw: DrawListing, n: number): string {
  for (let attempt = 0; ; attempt += 1) {
    const listing = draw(n, attempt)
    if (!listing || !insertListing(db, { ...listing, id: n })) continue
    indexListing(db, { ...listing, id: n })
    return listing.domain
  }
}
