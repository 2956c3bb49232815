import { formatInstant } from '../../clock/instant.ts'
import { ApiError } from '../../contract/errors.ts'
import { flag, integer, list as listOf, object, optional, text } from '../../contract/schema.ts'
import {
  addListing,
  findListing,
  type ListingChanges,
  listListings,
  type NewListing,
  removeListing,
  setListing,
  standingOf,
} from '../../sandbox/inventory/listings.ts'
import type { Listing, Reservation } from '../../sandbox/inventory/types.ts'
import { normaliseDomain } from '../../sandbox/kernel/domain-name.ts'
import type { Environment } from '../../sandbox/worlds/environment.ts'
import { Problem } from '../problem.ts'
import { atLine, CSV_LIMITS, readListingsCsv } from '../read-listings-csv.ts'
import { created, DONE, ok, worldRoute } from '../route.ts'

const PAGE = { minimum: 1, maximum: 1_000 }
const USUAL_PAGE = 50

const cents = integer({ minimum: 1 })
const changes = {
  floor_price_cents: optional(cents),
  listed: optional(flag()),
  live_site: optional(flag()),
  topics: optional(listOf(text({ format: 'plain', minLength: 1, maxLength: 64 }), { maxItems: 100 })),
}

const newListing = object({
  domain: text({ format: 'domain', maxLength: 255 }),
  price_cents: cents,
  currency: optional(text({ format: 'currency' })),
  ...changes,
})

type WrittenListing = NonNullable<(typeof newListing)['type']>

const list = worldRoute('GET', '/domains', {
  summary:
    'The inventory in the order of names: `domains`, each with its `status` (available, reserved, sold, unlisted) and by which order or quote; `next_cursor`.',
  query: object({
    q: optional(text({ maxLength: 253 })),
    cursor: optional(text({ maxLength: 253 })),
    limit: optional(integer(PAGE)),
  }),
  handle({ world, query }) {
    const { q, cursor: after, limit = USUAL_PAGE } = query
    const page = listListings(world, { limit, ...(q !== undefined && { q }), ...(after !== undefined && { after }) })
    return ok({ domains: page.listings.map((listing) => presentListing(world, listing)), next_cursor: page.next })
  },
})

const show = worldRoute('GET', '/domains/{name}', {
  summary: 'One listing.',
  handle({ world, params }) {
    const name = nameOf(params)
    const found = world.commits.commitNow(() => findListing(world, name))
    if (!found) throw unknownName()
    return ok(presentListing(world, found))
  },
})

const add = worldRoute('POST', '/domains', {
  summary:
    'Adds a listing: 201 with it. As `text/csv` with the same names in its first line it adds many, or none: 201 with how many were `added`.',
  body: newListing,
  takes: { type: 'text/csv', limitBytes: CSV_LIMITS.bytes },
  handle({ world, body, bytes }) {
    if (bytes) return created({ added: addAll(world, readListingsCsv(bytes, newListing)) })
    return created(world.commits.commitNow(() => presentListing(world, addListing(world, listingFrom(body)))))
  },
})

/** All of them, or none: one that cannot be added is told with its line. */
function addAll(world: Environment, rows: readonly { line: number; listing: WrittenListing }[]): number {
  return world.commits.commitNow(() => {
    for (const { line, listing } of rows) {
      try {
        addListing(world, listingFrom(listing))
      } catch (error) {
        throw new Problem(error instanceof ApiError && error.code === 'conflict' ? 409 : 400, atLine(line, error))
      }
    }
    return rows.length
  })
}

function listingFrom(written: WrittenListing): NewListing {
  return {
    ...wantedChanges(written),
    domain: normaliseDomain(written.domain) as string,
    priceCents: written.price_cents,
    ...(written.currency !== undefined && { currency: written.currency }),
  }
}

const change = worldRoute('PATCH', '/domains/{name}', {
  summary: 'Changes what is given. The listing as it is then.',
  body: object({ price_cents: optional(cents), ...changes }),
  handle({ world, params, body }) {
    const name = nameOf(params)
    return ok(world.commits.commitNow(() => presentListing(world, setListing(world, name, wantedChanges(body)))))
  },
})

const remove = worldRoute('DELETE', '/domains/{name}', {
  summary: 'Removes a listing: 204.',
  handle({ world, params }) {
    const name = nameOf(params)
    world.commits.commitNow(() => removeListing(world, name))
    return DONE
  },
})

interface ChangesOnTheWire {
  price_cents?: number
  floor_price_cents?: number
  listed?: boolean
  live_site?: boolean
  topics?: string[]
}

/** Only what was said: a member that is not there changes nothing. */
function wantedChanges(body: ChangesOnTheWire): ListingChanges {
  return {
    ...(body.price_cents !== undefined && { priceCents: body.price_cents }),
    ...(body.floor_price_cents !== undefined && { floorPriceCents: body.floor_price_cents }),
    ...(body.listed !== undefined && { listed: body.listed }),
    ...(body.live_site !== undefined && { liveSite: body.live_site }),
    ...(body.topics !== undefined && { topics: body.topics }),
  }
}

/** The name in the path, as it is stored; what is no name at all is listed nowhere. */
function nameOf(params: Readonly<Record<string, string>>): string {
  const name = normaliseDomain(params['name'] ?? '')
  if (name === null) throw unknownName()
  return name
}

function unknownName(): Problem {
  return new Problem(404, 'no listing has that name')
}

/** A listing as shapes.md has it, and whether it can be bought now. */
function presentListing(world: Environment, listing: Listing) {
  const { status, soldBy, reservation } = standingOf(world, listing)
  return {
    domain: listing.domain,
    price_cents: listing.priceCents,
    floor_price_cents: listing.floorPriceCents,
    currency: listing.currency,
    listed: listing.listed,
    live_site: listing.liveSite,
    topics: listing.topics,
    status,
    sold_by: soldBy,
    reserved_by: reservation && presentReservation(reservation),
  }
}

function presentReservation({ quoteId, partnerId, expiresAtMs }: Reservation) {
  return { quote_id: quoteId, partner_id: partnerId, until: formatInstant(expiresAtMs) }
}

export const domainRoutes = [list, show, add, change, remove]
