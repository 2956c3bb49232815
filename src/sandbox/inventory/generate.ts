import type { Db } from '../../storage/database.ts'
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
/** A few milliseconds' worth. */
const LISTINGS_A_BIT = 250

/**
 * Fills the inventory from a seed, replacing what was in it; call it inside a transaction. The same seed gives the same
 * listings on any day, and a smaller inventory is the beginning of a larger one.
 */
export function seedInventory(db: Db, options: InventoryOptions): void {
  for (const _ of seedingInventory(db, options));
}

/** The same bit by bit, so that others are served in between. */
export function* seedingInventory(db: Db, { seed, count, nowMs, onProgress }: InventoryOptions): Generator<void> {
  const draw = listingDrawer(seed, nowMs)
  store.deleteAllListings(db)
  for (let n = 1; n <= count; n += 1) {
    addNumber(db, draw, n)
    if (n % PROGRESS_EVERY === 0) onProgress?.(n, count)
    if (n % LISTINGS_A_BIT === 0) yield
  }
  if (count > WRITTEN_IN_ONE_GO) yield* store.tidyingIndex(db)
}

/** Names are drawn until one is free; the kinds of names widen with each attempt, so one is found. */
function addNumber(db: Db, draw: DrawListing, n: number): void {
  for (let attempt = 0; ; attempt += 1) {
    const listing = draw(n, attempt)
    if (!listing || !store.insertListing(db, { ...listing, id: n })) continue
    store.indexListing(db, { ...listing, id: n })
    return
  }
}
