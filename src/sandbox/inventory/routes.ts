import { formatInstant } from '../../clock/instant.ts'
import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import { flag, integer, list, nullable, number, object, text } from '../../contract/schema.ts'
import { normalizeDomain, readableLabel } from '../kernel/domain-name.ts'
import type { Credential, World } from '../kernel/world.ts'
import { canonical, cents, currency } from '../wire/fields.ts'
import { ok, route } from '../wire/route.ts'
import { quoted } from '../wire/validation.ts'
import {
  afterPriceWasTold,
  findListing,
  findOffer,
  isAvailable,
  isOpen,
  isSold,
  saleGrounds,
  unlistedGrounds,
} from './listings.ts'
import { type Found, LONGEST_QUERY, search } from './search.ts'
import type { Listing } from './types.ts'

/** Inventory reads let parameters they do not know through, unread: none of them can widen an answer (INV-01). */
const searchQuery = object({ q: text({ maxLength: LONGEST_QUERY, description: 'What to look for.' }) }, { open: true })
const domainQuery = object(
  { domain: text({ format: 'domain', description: 'A domain name in any spelling.' }) },
  { open: true },
)

const domain = text({ format: 'domain', description: 'In lower case; an internationalized name as A-labels.' })
const topics = list(text())

export const inventoryRoutes = {
  'domains.search': route({
    query: searchQuery,
    answer: object({
      query: text(),
      domains: list(
        object({
          domain,
          price_cents: cents,
          currency,
          available: flag(),
          topics,
          score: number({ description: 'How well the name fits; the first fits best.' }),
        }),
        { maxItems: LIMITS.searchResults },
      ),
    }),
    handle({ world, query: { q } }) {
      if (q.trim() === '') throw new ApiError('validation_error', 'q must not be blank')
      const soldAreLeftOut = world.gaps['sold-in-search'] === 'left out'
      const shown = search(world, q).map((found) =>
        presentFound(found, soldAreLeftOut || isAvailable(world, found.listing.domain)),
      )
      return ok({ query: q, domains: shown })
    },
  }),

  'domains.detail': route({
    query: object({}, { open: true }),
    answer: object({
      domain,
      price_cents: cents,
      currency,
      available: flag('False while it is reserved, and after it is sold.'),
      metadata: object({
        topics,
        registrar: text(),
        registered_at: text({ format: 'instant' }),
        length: integer({ minimum: 1, description: 'Characters before the ending, as people read them.' }),
        live_site: flag('Whether an active site runs under the name; such a name cannot be brokered.'),
      }),
    }),
    handle({ world, caller, params }) {
      const name = params['name'] ?? ''
      const listing = requireListed(world, name)
      if (world.gaps['sold-detail'] === '404 not_found' && isSold(world, listing.domain))
        throw new ApiError('not_found', notListedMessage(name), { grounds: saleGrounds(world, listing.domain) })
      return ok(presentDetail(listing, isAvailable(world, listing.domain, holderOf(world, caller))))
    },
  }),

  availability: route({
    query: domainQuery,
    answer: object({
      domain,
      available: flag(),
      price_cents: nullable(cents),
      currency: nullable(currency),
    }),
    handle({ world, caller, query }) {
      // The schema let names through only.
      const domain = canonical(query.domain)
      const offer = findOffer(world, domain)
      const available = offer !== null && isOpen(offer, holderOf(world, caller))
      const isPriced = offer?.listed && !(offer.isSold && world.gaps['sold-availability-price'] === 'null')
      // A name that is not listed has no price (INV-07).
      const { priceCents, currency } = isPriced ? offer : { priceCents: null, currency: null }
      return ok({ domain, available, price_cents: priceCents, currency })
    },
  }),

  pricing: route({
    query: domainQuery,
    answer: object({ domain, buy_now_price_cents: cents, floor_price_cents: cents, currency }),
    handle({ world, query }) {
      const listing = requireListed(world, query.domain)
      // A sold name has no price any more, unless chosen otherwise (INV-12).
      if (world.gaps['sold-pricing'] === '404 not_found' && isSold(world, listing.domain))
        throw new ApiError('not_found', `${quoted(listing.domain)} is sold`, {
          grounds: saleGrounds(world, listing.domain),
        })
      afterPriceWasTold(world, listing)
      const { domain, priceCents, floorPriceCents, currency } = listing
      return ok({ domain, buy_now_price_cents: priceCents, floor_price_cents: floorPriceCents, currency })
    },
  }),
}

/** @throws ApiError not_found where no listing has this name, or if it is not a domain name. */
function requireListed(world: World, name: string): Listing {
  const domain = normalizeDomain(name)
  // In a path a malformed name is one that nothing is called by (INV-10).
  const isMalformed = domain === null || (domain !== name && world.gaps['name-forms'] === 'are malformed')
  const listing = isMalformed ? null : findListing(world, domain)
  if (listing?.listed) return listing
  const compared = [{ name: 'domain', sent: quoted(name), expected: domain ?? 'a domain name' }]
  const grounds = isMalformed ? { compared } : unlistedGrounds(listing, domain)
  throw new ApiError('not_found', notListedMessage(name), { grounds })
}

function notListedMessage(name: string): string {
  return `${quoted(name)} is not listed`
}

/** The partner whose own quote leaves a domain available to it; null where it is reserved to everybody (INV-12). */
function holderOf(world: World, { partnerId }: Credential): string | null {
  return world.gaps['reserved-to-holder'] === 'available' ? partnerId : null
}

/** A row of a search answer. */
function presentFound({ listing, score }: Found, available: boolean) {
  const { domain, priceCents, currency, topics } = listing
  return { domain, price_cents: priceCents, currency, available, topics, score }
}

function presentDetail(listing: Listing, available: boolean) {
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
