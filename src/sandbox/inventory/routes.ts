import { ApiError } from '../../contract/errors.ts'
import { ok } from '../http/answer.ts'
import { route } from '../http/route.ts'
import { object, text } from '../http/schema.ts'
import { quoted } from '../http/validation.ts'
import type { World } from '../world.ts'
import { normaliseDomain } from './domain-name.ts'
import { findListing, isAvailable, isSold, type Listing } from './listings.ts'
import { presentAvailability, presentDetail, presentFound, presentPricing } from './present.ts'
import { LONGEST_QUERY } from './query.ts'
import { search } from './search.ts'

/** Parameters it does not know are let through unread: none of them widens the answer (INV-01). */
const searchQuery = object({ q: text({ maxLength: LONGEST_QUERY, description: 'What to look for.' }) }, { open: true })
const domainQuery = object({ domain: text({ format: 'domain', description: 'A domain name in any spelling.' }) })

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
      return ok(presentDetail(listing, isAvailable(world, listing.domain)))
    },
  }),

  availability: route({
    query: domainQuery,
    handle({ world, query }) {
      const domain = readDomain(query.domain)
      return ok(presentAvailability(domain, listedOrNull(world, domain), isAvailable(world, domain)))
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

/** @throws ApiError validation_error where the text is no domain name. */
function readDomain(name: string): string {
  const domain = normaliseDomain(name)
  if (domain === null) throw new ApiError('validation_error', `${quoted(name)} is not a domain name`)
  return domain
}

function listedOrNull(world: World, domain: string): Listing | null {
  const listing = findListing(world, domain)
  return listing?.listed ? listing : null
}

function requireListed(world: World, name: string): Listing {
  const listing = listedOrNull(world, readDomain(name))
  if (!listing) throw new ApiError('not_found', `${quoted(name)} is not listed`)
  return listing
}
