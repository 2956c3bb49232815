import type { Db } from '../../storage/db.ts'
import type { World } from '../kernel/world.ts'
import { type DrawListing, listingDrawer } from './draw-listing.ts'
import * as store from './store.ts'

/** What an inventory is made from. */
export interface InventoryOptions {
  readonly seed: string
  /** How many listings. */
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
 */
export function seedInventory(db: Db, options: InventoryOptions): void {
  const drawSome = drawingInventory(db, options)
  while (drawSome());
}

/**
 * The same in batches.
 *
 * @returns does the next batch; false once all is done.
 */
export function drawingInventory(db: Db, { seed, count, nowMs, onProgress }: InventoryOptions): () => boolean {
  const draw = listingDrawer(seed, nowMs)
  let made = 0
  let isMerging = false
  store.deleteAllListings(db)
  return () => {
    if (made === count) {
      const hasMore = count > WRITTEN_IN_ONE_GO && store.mergeIndex(db, isMerging)
      isMerging = true
      return hasMore
    }
    const end = Math.min(made + LISTINGS_A_BATCH, count)
    while (made < end) addNumber(db, draw, ++made)
    if (made % PROGRESS_EVERY === 0) onProgress?.(made, count)
    return made < count || count > WRITTEN_IN_ONE_GO
  }
}

/**
 * Adds the listings that a larger inventory of the same seed would have had.
 *
 * @returns their names.
 */
export function addDrawnListings({ db, chance, clock }: World, count: number): string[] {
  const draw = listingDrawer(chance.seed, clock.nowMs())
  const last = store.lastDrawnId(db)
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
    if (!listing || !store.insertListing(db, { ...listing, id: n })) continue
    store.indexListing(db, { ...listing, id: n })
    return listing.domain
  }
}
