import { formatInstant } from '../../clock/instant.ts'
import { ApiError } from '../../contract/errors.ts'
import { fromWire } from '../../operator-api/camel-case.ts'
import type { BodyOf, ParamsOf } from '../../operator-api/operations.ts'
import { newListing } from '../../operator-api/rows/domains.ts'
import type { Environment } from '../../sandbox/app/environment.ts'
import {
  addListing,
  findListing,
  type ListingInput,
  listListings,
  removeListing,
  setListing,
  standingOf,
} from '../../sandbox/inventory/listings.ts'
import type { Listing, Reservation } from '../../sandbox/inventory/types.ts'
import { normalizeDomain } from '../../sandbox/kernel/domain-name.ts'
import { canonical } from '../../sandbox/wire/fields.ts'
import { problem, required } from '../problems.ts'
import { atLine, readListingsCsv } from '../read-listings-csv.ts'
import { created, DONE, type HandlersOf, ok } from '../route.ts'

const USUAL_PAGE = 50

export const domainHandlers: HandlersOf<'domains'> = {
  'domains.list'({ world, query }) {
    const { q, cursor: after, limit = USUAL_PAGE } = query
    const page = listListings(world, { limit, ...(q !== undefined && { q }), ...(after !== undefined && { after }) })
    return ok({ domains: page.listings.map((listing) => presentListing(world, listing)), next_cursor: page.next })
  },
  'domains.show': ({ world, params }) =>
    ok(presentListing(world, required(findListing(world, nameOf(params)), 'no-listing'))),
  'domains.create'({ world, body, bytes }) {
    if (bytes) return created({ added: addAll(world, readListingsCsv(bytes, newListing)) })
    return created(world.commits.commitNow(() => presentListing(world, addListing(world, listingFrom(body)))))
  },
  'domains.set'({ world, params, body }) {
    const name = nameOf(params)
    return ok(world.commits.commitNow(() => presentListing(world, setListing(world, name, fromWire(body)))))
  },
  'domains.delete'({ world, params }) {
    const name = nameOf(params)
    world.commits.commitNow(() => removeListing(world, name))
    return DONE
  },
}

/** All of them, or none: the first that cannot be added is named with its line. */
function addAll(world: Environment, rows: readonly { line: number; listing: BodyOf<'domains.create'> }[]): number {
  return world.commits.commitNow(() => {
    for (const { line, listing } of rows) {
      try {
        addListing(world, listingFrom(listing))
      } catch (error) {
        const isConflict = error instanceof ApiError && error.code === 'conflict'
        throw problem(isConflict ? 'csv-conflict' : 'csv-mistakes', { message: atLine(line, error) })
      }
    }
    return rows.length
  })
}

function listingFrom(written: BodyOf<'domains.create'>): ListingInput {
  return { ...fromWire(written), domain: canonical(written.domain) }
}

/** The name in the path, as it is stored; what is not a name is not listed. */
function nameOf(params: ParamsOf<'domains.show'>): string {
  return required(normalizeDomain(params.name), 'no-listing')
}

/** A listing, and whether it can be bought now. */
function presentListing(world: Environment, listing: Listing) {
  const { status, soldBy, reservation } = standingOf(world, listing)
  return {
    domain: listing.domain,
    price_cents: listing.priceCents,
    floor_price_cents: listing.floorPriceCents,
    currency: listing.currency,
    listed: listing.listed,
    live_site: listing.liveSite,
    topics: [...listing.topics],
    status,
    sold_by: soldBy,
    reserved_by: reservation && presentReservation(world, reservation),
  }
}

function presentReservation({ chance }: Environment, { quoteSeq, partnerId, expiresAtMs }: Reservation) {
  return { quote_id: chance.id('quote', quoteSeq), partner_id: partnerId, until: formatInstant(expiresAtMs) }
}
