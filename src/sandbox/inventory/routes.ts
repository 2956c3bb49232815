import { ApiError } from '../../contract/errors.ts'
import { normaliseDomain } from '../domain-name.ts'
import { ok } from '../http/answer.ts'
import { route } from '../http/route.ts'
import { object, text } from '../http/schema.ts'
import { quoted } from '../http/validation.ts'
import type { World } from '../world.ts'
import { canBeSold, findListing, isSold, type Listing } from './listings.ts'
import { presentAvailability, presentDetail, presentFound, presentPricing } from './present.ts'
import { LONGEST_QUERY } from './query.ts'
import { search } from './search.ts'

/** Inventory reads let parameters they do not know through, unread: none of them can widen an answer (INV-01). */
const searchQuery = object({ q: text({ maxLength: LONGEST_QUERY, description: 'What to look for.' }) }, { open: true })
const domainQuery = object(
  { domain: text({ format: 'domain', description: 'A domain name in any spelling.' }) },
  { open: true },
)

export const inventoryRoutes = {
  'domains.search': route({
    query: searchQuery,
    handle({ world, query: { q } }) {
      if (q.trim() === '') throw new ApiError('validation_error', 'q must not be blank')
      return ok({ query: q, domains: search(world, q).map(presentFound) })
    },
  }),

  'domains.detail': route({
    handle({ world, params }) {
      const listing = requireListed(world, params['name'] ?? '')
      return ok(presentDetail(listing, canBeSold(world, listing)))
    },
  }),

  availability: route({
    query: domainQuery,
    handle({ world, query }) {
      // The schema let names through only.
      const domain = normaliseDomain(query.domain) as string
      const listing = listedOrNull(world, domain)
      return ok(presentAvailability(domain, listing, listing !== null && canBeSold(world, listing)))
    },
  }),

  pricing: route({
    query: domainQuery,
    handle({ world, query }) {
      const listing = requireListed(world, query.domain)
      // A sold name has no price any more (INV-12).
      if (isSold(world, listing.domain)) throw new ApiError('not_found', `${quoted(listing.domain)} is sold`)
      return ok(presentPricing(listing))
    },
  }),
}

function listedOrNull(world: World, domain: string): Listing | null {
  const listing = findListing(world, domain)
  return listing?.listed ? listing : null
}

/** @throws ApiError not_found where no listing is called so; what is no name at all is called nothing either. */
function requireListed(world: World, name: string): Listing {
  const domain = normaliseDomain(name)
  const listing = domain === null ? null : listedOrNull(world, domain)
  if (!listing) throw new ApiError('not_found', `${quoted(name)} is not listed`)
  return listing
}
