import { formatInstant } from '../../clock/instant.ts'
import { readableLabel } from '../kernel/domain-name.ts'
import type { Found } from './rank.ts'
import type { Listing } from './types.ts'

/** A row of a search answer. */
export function presentFound({ listing, score }: Found, available: boolean) {
  const { domain, priceCents, currency, topics } = listing
  return { domain, price_cents: priceCents, currency, available, topics, score }
}

export function presentDetail(listing: Listing, available: boolean) {
  return {
    domain: listing.domain,
    price_cents: listing.priceCents,
    currency: listing.currency,
    available,
    metadata: {
      topics: listing.topics,
      registrar: listing.registrar,
      registered_at: formatInstant(listing.registeredAtMs),
      length: [...readableLabel(listing.domain)].length,
      live_site: listing.liveSite,
    },
  }
}

/** @param listing null where the name is not listed: then there is no price (INV-07). */
export function presentAvailability(domain: string, listing: Listing | null, available: boolean) {
  return { domain, available, price_cents: listing?.priceCents ?? null, currency: listing?.currency ?? null }
}

export function presentPricing({ domain, priceCents, floorPriceCents, currency }: Listing) {
  return { domain, buy_now_price_cents: priceCents, floor_price_cents: floorPriceCents, currency }
}
