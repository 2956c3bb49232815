import { formatInstant } from '../../clock/instant.ts'
import { ApiError } from '../../contract/errors.ts'
import { ok } from '../http/answer.ts'
import { type Route, route } from '../http/route.ts'
import { object, text } from '../http/schema.ts'
import type { World } from '../world.ts'
import { normaliseDomain } from './domain-name.ts'
import { findListing, isAvailable, isSold, type Listing } from './listings.ts'

// INVENTORY AUTHOR: this file is a draft by the lead so that the server starts; finish it (search, present.ts).
const oneDomain = object({ domain: text({ format: 'domain', maxLength: 255 }) }, { open: true })

function listed(world: World, name: string): Listing {
  const domain = normaliseDomain(name)
  const listing = domain === null ? null : findListing(world, domain)
  if (!listing?.listed) throw new ApiError('not_found', 'the domain is not listed for sale')
  return listing
}

const detail = route({
  handle({ world, params }) {
    const listing = listed(world, params['name'] ?? '')
    return ok({
      domain: listing.domain,
      price_cents: listing.priceCents,
      currency: listing.currency,
      available: isAvailable(world, listing.domain),
      metadata: {
        topics: listing.topics,
        registrar: listing.registrar,
        registered_at: formatInstant(listing.registeredAtMs),
        length: listing.domain.length,
        live_site: listing.liveSite,
      },
    })
  },
})

const availability = route({
  query: oneDomain,
  handle({ world, query }) {
    const domain = normaliseDomain(query.domain) as string
    const listing = findListing(world, domain)
    const shown = listing?.listed ? listing : null
    return ok({
      domain,
      available: isAvailable(world, domain),
      price_cents: shown?.priceCents ?? null,
      currency: shown?.currency ?? null,
    })
  },
})

const pricing = route({
  query: oneDomain,
  handle({ world, query }) {
    const listing = listed(world, query.domain)
    if (isSold(world, listing.domain)) throw new ApiError('not_found', 'the domain is sold')
    return ok({
      domain: listing.domain,
      buy_now_price_cents: listing.priceCents,
      floor_price_cents: listing.floorPriceCents,
      currency: listing.currency,
    })
  },
})

const search: Route = { ...detail, served: false }

export const inventoryRoutes = { 'domains.search': search, 'domains.detail': detail, availability, pricing }
