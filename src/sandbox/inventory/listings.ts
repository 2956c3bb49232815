import { formatInstant } from '../../clock/instant.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Grounds } from '../../contract/grounds.ts'
import { MOST_CENTS } from '../../contract/limits.ts'
import { UNDONE_STATES } from '../../contract/order-states.ts'
import { closestTo } from '../../contract/words.ts'
import type { Db } from '../../storage/db.ts'
import { LISTED_SUFFIX, readableLabel } from '../kernel/domain-name.ts'
import type { World } from '../kernel/world.ts'
import { drawMagicListing, LISTING_CURRENCY } from './draw-listing.ts'
import { indexTerms, topicSlug, wordsOfName } from './lexicon.ts'
import { actOnce, magicKind } from './magic.ts'
import type { DrawnListing, Listing, ListingsPage, Offer, Reservation, SaleOfName } from './types.ts'

/** What an operator may change about a listing. */
interface ListingUpdate {
  readonly priceCents?: number
  readonly floorPriceCents?: number
  readonly listed?: boolean
  readonly liveSite?: boolean
  readonly topics?: readonly string[]
}

/** What an operator says about a new listing; the floor is the price and the currency USD unless said otherwise. */
export interface ListingInput extends ListingUpdate {
  /** Normalized name under `.test`. */
  readonly domain: string
  readonly priceCents: number
  readonly currency?: string
}

/** Whether a name can be bought now, and if not, why. */
export interface Standing {
  readonly status: 'available' | 'reserved' | 'sold' | 'unlisted'
  /** The order that has it; null also for `sold-N.test`, which has no order. */
  readonly soldBy: string | null
  readonly reservation: Reservation | null
}

/** The registrar of what an operator added. */
const OPERATOR = 'Operator'
const MOST_TOPICS = 12

const SELECT_LISTING = `SELECT id, domain, price_cents AS priceCents, floor_price_cents AS floorPriceCents, currency, listed,
  live_site AS liveSite, topics, registrar, registered_at AS registeredAtMs FROM listings`

/** A row as it is selected: topics are words between spaces, and what is true is 1. */
type ListingRow = Omit<Listing, 'listed' | 'liveSite' | 'topics'> & { listed: number; liveSite: number; topics: string }

function listingFrom(row: ListingRow): Listing {
  return { ...row, listed: row.listed === 1, liveSite: row.liveSite === 1, topics: wordsIn(row.topics) }
}

/** The words of a column that has them between spaces. */
export function wordsIn(words: string): string[] {
  return words === '' ? [] : words.split(' ')
}

const INSERT = `
  INSERT INTO listings (id, domain, price_cents, floor_price_cents, currency, listed, live_site, topics, registrar, registered_at, words)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (domain) DO NOTHING`

/**
 * @param listing.id left out: the next free one.
 * @returns false where the name is taken.
 */
export function insertListing(db: Db, listing: DrawnListing & { id?: number }): boolean {
  const { changes } = db
    .statement(INSERT)
    .run(
      listing.id ?? null,
      listing.domain,
      listing.priceCents,
      listing.floorPriceCents,
      listing.currency,
      listing.listed ? 1 : 0,
      listing.liveSite ? 1 : 0,
      listing.topics.join(' '),
      listing.registrar,
      listing.registeredAtMs,
      listing.words,
    )
  return changes === 1
}

/** Lets search find it. */
export function indexListing(db: Db, listing: { id: number; words: string; topics: readonly string[] }): void {
  const terms = indexTerms(listing.words, listing.topics)
  db.statement('INSERT INTO listing_index (rowid, terms) VALUES (?, ?)').run(listing.id, terms)
}

/**
 * The listing of a name. A magic name gets its listing when it is first asked for, so call this where writing is
 * possible.
 *
 * @returns null where the name was never listed; look at `listed` too.
 */
export function findListing(world: World, domain: string): Listing | null {
  const named = world.db.statement<ListingRow>(`${SELECT_LISTING} WHERE domain = ?`)
  let row = named.get(domain)
  if (!row && magicKind(domain)) {
    insertListing(world.db, drawMagicListing(world.chance.seed, domain, world.clock.nowMs()))
    row = named.get(domain)
  }
  return row ? listingFrom(row) : null
}

/** Neighbors in the order of names are read on either side; a slip in the first letters leads elsewhere. */
const NEIGHBORS = 200

/** The listed name that was most likely meant; null if none is near. Names of the same words are looked at, and names that begin alike. */
export function nearestListing(world: World, domain: string): string | null {
  const stems = wordsOfName(readableLabel(domain))
    .split(' ')
    .filter((word) => word !== '')
  const candidates = namesNear(world.db, domain, stems, NEIGHBORS).filter((name) => name !== domain)
  return closestTo(domain, candidates)
}

/** Listed names around a name in the order of names, and some that share a word with it. */
function namesNear(db: Db, domain: string, words: readonly string[], count: number): string[] {
  const listed = 'SELECT domain FROM listings WHERE listed = 1'
  const names = (sql: string, ...given: unknown[]) =>
    db
      .statement<string>(sql)
      .pluck()
      .all(...given, count)
  const sharing = `${listed} AND id IN (SELECT rowid FROM listing_index WHERE listing_index MATCH ?) LIMIT ?`
  const matching = words.map((word) => `"${word}"`).join(' OR ')
  return [
    ...names(`${listed} AND domain >= ? ORDER BY domain LIMIT ?`, domain),
    ...names(`${listed} AND domain < ? ORDER BY domain DESC LIMIT ?`, domain),
    ...(matching === '' ? [] : names(sharing, matching)),
  ]
}

// Written so that SQLite sees the partial indexes orders_sell_once and quotes_reserve_once.
const UNDONE = UNDONE_STATES.map((state) => `'${state}'`).join(', ')
export const SALE_OF = (domain: string) =>
  `SELECT public_id AS publicId, partner_id AS partnerId, created_at AS atMs FROM orders WHERE domain = ${domain} AND status NOT IN (${UNDONE})`
export const QUOTE_OF = (domain: string) =>
  `SELECT seq AS quoteSeq, partner_id AS partnerId, expires_at AS expiresAtMs FROM quotes WHERE domain = ${domain} AND state = 'open'`
const [SALE, QUOTE] = [SALE_OF('?'), QUOTE_OF('?')]

/** The order that has the name, unless it was undone. A read of a table that belongs to sales, which may not be asked. */
function saleOf(db: Db, domain: string): SaleOfName | null {
  return db.statement<SaleOfName>(SALE).get(domain) ?? null
}

/** Whether a name was sold: an order that was not undone has it, or it is one of `sold-N.test` (INV-12). */
export function isSold(world: World, domain: string): boolean {
  return magicKind(domain) === 'sold' || saleOf(world.db, domain) !== null
}

/** By whom and when a name was sold, and the commands that lead on: what a refusal of it was decided by. */
export function saleGrounds(world: World, domain: string): Grounds {
  const sale = saleOf(world.db, domain)
  const others = { says: 'See what is for sale.', command: 'domain list' }
  const compared = [{ name: 'domain', sent: domain, expected: 'a listed domain that is not sold' }]
  if (sale === null)
    return { says: `${domain} counts as sold from the beginning, by its name`, compared, remedies: [others] }
  const { publicId, partnerId, atMs } = sale
  return {
    compared,
    says: `${domain} was sold at ${formatInstant(atMs)} of the world’s time by the order ${publicId} of partner ${partnerId}`,
    remedies: [
      { says: 'See the order that has it.', command: `order show ${publicId}` },
      { says: 'Refund that order; then the domain is for sale again.', command: `order refund ${publicId}` },
    ],
  }
}

/** Why a name cannot be bought that was never listed, or that an operator has taken off the list. */
export function unlistedGrounds(listing: Listing | Offer | null, domain: string): Grounds {
  const compared = [{ name: 'domain', sent: domain, expected: 'a listed domain' }]
  if (!listing) return { says: `nothing is listed under ${domain}`, compared, unlisted: domain }
  const command = `domain set ${domain} --listed`
  return { says: `${domain} is in the inventory, but not listed`, compared, remedies: [{ says: 'List it.', command }] }
}

/** When an operator added a listing, one by one or as CSV; null for one that was generated. */
export function addedAtMs(world: World, domain: string): number | null {
  const listing = findListing(world, domain)
  return listing?.registrar === OPERATOR ? listing.registeredAtMs : null
}

const OFFER = `SELECT domain, price_cents, currency, listed, EXISTS (${SALE_OF('listings.domain')}),
    (SELECT partner_id FROM quotes WHERE domain = listings.domain AND state = 'open')
  FROM listings WHERE domain = ?`

/** All of it in one statement: nothing is asked for as often as this. */
function selectOffer(db: Db, name: string): Offer | null {
  const values = db.statement<[string, number, string, number, number, string | null]>(OFFER).raw().get(name)
  if (!values) return null
  const [domain, priceCents, currency, listed, sold, reservedBy] = values
  return { domain, priceCents, currency, listed: listed === 1, isSold: sold === 1, reservedBy }
}

/** What a name is offered for, with all that may be in the way of its sale. For a magic name the same as of {@link findListing} holds. */
export function findOffer(world: World, domain: string): Offer | null {
  const found = selectOffer(world.db, domain)
  const offer = found ?? (findListing(world, domain) && selectOffer(world.db, domain))
  return offer && magicKind(domain) === 'sold' ? { ...offer, isSold: true } : offer
}

/**
 * Whether an offer can be taken now: listed, not sold, and not reserved by a live quote (INV-07, INV-12).
 *
 * @param but the partner whose own quote is not in the way; null if every quote is.
 */
export function isOpen({ listed, isSold, reservedBy }: Offer, but: string | null = null): boolean {
  return listed && !isSold && (reservedBy === null || reservedBy === but)
}

/** The same of a name. */
export function isAvailable(world: World, domain: string, but: string | null = null): boolean {
  const offer = findOffer(world, domain)
  return offer !== null && isOpen(offer, but)
}

/** Whether a listing can be bought now, and what is in the way. */
export function standingOf(world: World, { domain, listed }: Listing): Standing {
  const soldBy = saleOf(world.db, domain)?.publicId ?? null
  // The quote that holds the name. A read of a table that belongs to sales, which may not be asked.
  const reservation = world.db.statement<Reservation>(QUOTE).get(domain) ?? null
  if (isSold(world, domain)) return { status: 'sold', soldBy, reservation }
  if (!listed) return { status: 'unlisted', soldBy, reservation }
  return { status: reservation ? 'reserved' : 'available', soldBy, reservation }
}

/**
 * Changes what an operator may change. A price below the floor takes the floor down with it.
 *
 * @throws ApiError not_found where the name was never listed, validation_error where a value cannot be.
 */
export function setListing(world: World, domain: string, changes: ListingUpdate): Listing {
  const before = requireListing(world, domain)
  const priceCents = changes.priceCents ?? before.priceCents
  const after: Listing = {
    ...before,
    priceCents,
    floorPriceCents: changes.floorPriceCents ?? Math.min(before.floorPriceCents, priceCents),
    listed: changes.listed ?? before.listed,
    liveSite: changes.liveSite ?? before.liveSite,
    topics: changes.topics ? cleanTopics(changes.topics) : before.topics,
  }
  refuseBadPrices(after)
  const sql =
    'UPDATE listings SET price_cents = ?, floor_price_cents = ?, listed = ?, live_site = ?, topics = ? WHERE id = ?'
  const { floorPriceCents, listed, liveSite, topics, id } = after
  const values = [priceCents, floorPriceCents, listed ? 1 : 0, liveSite ? 1 : 0, topics.join(' '), id]
  world.db.statement(sql).run(...values)
  if (changes.topics && !magicKind(domain)) reindexListing(world.db, after)
  return after
}

/** After its topics changed. */
function reindexListing(db: Db, listing: Listing): void {
  const { words } = db.statement('SELECT words FROM listings WHERE id = ?').get(listing.id) as { words: string }
  db.statement('DELETE FROM listing_index WHERE rowid = ?').run(listing.id)
  indexListing(db, { ...listing, words })
}

/**
 * Adds a listing by hand.
 *
 * @throws ApiError conflict where the name is listed already, validation_error where a value cannot be.
 */
export function addListing(world: World, input: ListingInput): Listing {
  const { domain, priceCents } = input
  refuseForeignName(domain)
  if (findListing(world, domain)) throw new ApiError('conflict', `${domain} is listed already`)
  const listing: Listing = {
    id: nextHandMadeId(world.db),
    domain,
    priceCents,
    floorPriceCents: input.floorPriceCents ?? priceCents,
    currency: input.currency ?? LISTING_CURRENCY,
    listed: input.listed ?? true,
    liveSite: input.liveSite ?? false,
    topics: cleanTopics(input.topics ?? []),
    registrar: OPERATOR,
    registeredAtMs: world.clock.nowMs(),
  }
  refuseBadPrices(listing)
  const row = { ...listing, words: wordsOfName(readableLabel(domain)) }
  insertListing(world.db, row)
  indexListing(world.db, row)
  return listing
}

/** Counts down from -1: search reads its index in the order of ids, so what was added by hand comes first. */
function nextHandMadeId(db: Db): number {
  return db.statement<number>('SELECT min(coalesce(min(id), 0), 0) - 1 FROM listings').pluck().get() as number
}

/**
 * Takes a name out of the inventory. Orders and quotes for it stay as they are. The supply of magic names is endless,
 * so one that was removed is made again when it is next asked for.
 *
 * @throws ApiError not_found where the name was never listed.
 */
export function removeListing(world: World, domain: string): void {
  const { id } = requireListing(world, domain)
  world.db.statement('DELETE FROM listing_index WHERE rowid = ?').run(id)
  world.db.statement('DELETE FROM listings WHERE id = ?').run(id)
}

/**
 * One page of all listings, magic ones that were met included, in the order of the names.
 *
 * @param page.after the `next` of the page before.
 * @param page.limit how many at most.
 * @param page.q part of a name.
 */
export function listListings(
  { db }: World,
  { after, limit, q = '' }: { after?: string | null; limit: number; q?: string },
): ListingsPage {
  const sql = `${SELECT_LISTING} WHERE domain > ? AND instr(domain, ?) > 0 ORDER BY domain LIMIT ?`
  const rows = db.statement<ListingRow>(sql).all(after ?? '', q.toLowerCase(), limit + 1)
  const listings = rows.slice(0, limit).map(listingFrom)
  return { listings, next: rows.length > limit ? (listings.at(-1)?.domain ?? null) : null }
}

function requireListing(world: World, domain: string): Listing {
  const found = findListing(world, domain)
  if (!found) throw new ApiError('not_found', `no listing is called ${domain.slice(0, 64)}`)
  return found
}

function refuseForeignName(domain: string): void {
  if (!domain.endsWith(LISTED_SUFFIX)) {
    throw new ApiError(
      'validation_error',
      `domain must end with ${LISTED_SUFFIX}: this inventory is made of test names`,
    )
  }
}

function refuseBadPrices({ priceCents, floorPriceCents, currency }: Listing): void {
  const isPrice = (cents: number) => Number.isSafeInteger(cents) && cents > 0 && cents <= MOST_CENTS
  if (!isPrice(priceCents))
    throw new ApiError('validation_error', `price_cents must be a whole number from 1 to ${MOST_CENTS}`)
  if (!isPrice(floorPriceCents) || floorPriceCents > priceCents) {
    throw new ApiError('validation_error', 'floor_price_cents must be a whole number from 1 to price_cents')
  }
  // Statements, payouts and totals add up what was sold, and cents of two currencies have no sum.
  if (currency !== LISTING_CURRENCY) {
    throw new ApiError('validation_error', `currency must be ${LISTING_CURRENCY}: this sandbox sells in one currency`)
  }
}

function cleanTopics(topics: readonly string[]): string[] {
  const slugs = topics.map((topic) => topicSlug(topic))
  if (slugs.length > MOST_TOPICS || slugs.includes(null)) {
    throw new ApiError(
      'validation_error',
      `topics must be at most ${MOST_TOPICS} texts of letters, digits, spaces and hyphens`,
    )
  }
  return [...new Set(slugs as string[])]
}

/** Added to the price, in whole dollars and at least one. */
const RISE = 0.1

/**
 * After a quote or a pricing read has shown a price: `price-moves-N.test` gets dearer then, once, so that the price shown is no
 * longer that of the listing (QUOTE-05).
 */
export function afterPriceWasTold(world: World, listing: Pick<Listing, 'domain' | 'priceCents'>): void {
  if (!actOnce(world, listing.domain, 'price-moves')) return
  const riseCents = Math.max(1, Math.round((listing.priceCents * RISE) / 100)) * 100
  setListing(world, listing.domain, { priceCents: listing.priceCents + riseCents })
}
