import type { World } from '../kernel/world.ts'
import { setListing } from './listings.ts'
import { actOnce } from './magic-acts.ts'
import type { Listing } from './types.ts'

/** Added to the price, in whole dollars and at least one. */
const RISE = 0.1

/**
 * After a price was told by a quote or a pricing read: `price-moves-N.test` gets dearer then, once, so that the price
 * that was told no longer is the listing's (QUOTE-05).
 */
export function afterPriceWasTold(world: World, listing: Listing): void {
  if (!actOnce(world, listing.domain, 'price-moves')) return
  const riseCents = Math.max(1, Math.round((listing.priceCents * RISE) / 100)) * 100
  setListing(world, listing.domain, { priceCents: listing.priceCents + riseCents })
}
