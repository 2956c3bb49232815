import { UNDONE_STATES } from '../../contract/order-states.ts'
import { type Db, statement, writesIn } from '../../storage/db.ts'
import { indexTerms } from './topics.ts'
import type { DrawnListing, Listing, ListingsPage, Offer, Reservation, SaleOfName } from './types.ts'

/** What search needs of a listing. */
export interface ShelfListing extends Pick<Listing, 'id' | 'domain' | 'priceCents' | 'currency' | 'topics'> {
  /** The words of its name, folded. */
  readonly words: readonly string[]
}

const SELECT_LISTING = `SELECT id, domain, price_cents AS priceCents, floor_price_cents AS floorPriceCents, currency, listed,
  live_site AS liveSite, topics, registrar, registered_at AS registeredAtMs FROM listings`

/** A row as it is selected: topics are words between spaces, and what is true is 1. */
type ListingRow = Omit<Listing, 'listed' | 'liveSite' | 'topics'> & { listed: number; liveSite: number; topics: string }

function listingFrom(row: ListingRow): Listing {
  return { ...row, listed: row.listed === 1, liveSite: row.liveSite === 1, topics: split(row.topics) }
}

function split(words: string): string[] {
  return words === '' ? [] : words.split(' ')
}

export function selectListing(db: Db, domain: string): Listing | null {
  const row = statement<ListingRow>(db, `${SELECT_LISTING} WHERE domain = ?`).get(domain)
  return row ? listingFrom(row) : null
}

const INSERT = `
  INSERT INTO listings (id, domain, price_cents, floor_price_cents, currency, listed, live_site, topics, registrar, registered_at, words)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (domain) DO NOTHING`

/**
 * @param listing.id left out: the next free one.
 * @returns false where the name is taken.
 */
export function insertListing(db: Db, listing: DrawnListing & { id?: number }): boolean {
  const { changes } = statement(db, INSERT).run(
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

export function updateListing(db: Db, listing: Listing): void {
  const { priceCents, floorPriceCents, listed, liveSite, topics, id } = listing
  const sql =
    'UPDATE listings SET price_cents = ?, floor_price_cents = ?, listed = ?, live_site = ?, topics = ? WHERE id = ?'
  statement(db, sql).run(priceCents, floorPriceCents, listed ? 1 : 0, liveSite ? 1 : 0, topics.join(' '), id)
}

export function deleteListing(db: Db, id: number): void {
  statement(db, 'DELETE FROM listing_index WHERE rowid = ?').run(id)
  statement(db, 'DELETE FROM listings WHERE id = ?').run(id)
}

export function deleteAllListings(db: Db): void {
  statement(db, "INSERT INTO listing_index (listing_index) VALUES ('delete-all')").run()
  statement(db, 'DELETE FROM listings').run()
}

/** Counts down from -1: search reads its index in the order of ids, so what was added by hand comes first. */
export function nextHandMadeId(db: Db): number {
  return (statement(db, 'SELECT min(coalesce(min(id), 0), 0) - 1 AS id FROM listings').get() as { id: number }).id
}

/** Those that were drawn count up from 1. */
export function lastDrawnId(db: Db): number {
  return (statement(db, 'SELECT max(coalesce(max(id), 0), 0) AS id FROM listings').get() as { id: number }).id
}

export function indexListing(db: Db, listing: { id: number; words: string; topics: readonly string[] }): void {
  const terms = indexTerms(listing.words, listing.topics)
  statement(db, 'INSERT INTO listing_index (rowid, terms) VALUES (?, ?)').run(listing.id, terms)
}

/** After its topics changed. */
export function reindexListing(db: Db, listing: Listing): void {
  const { words } = statement(db, 'SELECT words FROM listings WHERE id = ?').get(listing.id) as { words: string }
  statement(db, 'DELETE FROM listing_index WHERE rowid = ?').run(listing.id)
  indexListing(db, { ...listing, words })
}

/** So much of an index is merged at a time, in pages. */
const PAGES_A_BATCH = 500

/**
 * Merges some of the index, which becomes one piece, so that a search reads one place.
 *
 * @param hasBegun false for the first time: then all pieces are to become one.
 * @returns whether there is more to merge.
 */
export function mergeIndex(db: Db, hasBegun: boolean): boolean {
  const before = writesIn(db)
  const merge = statement(db, "INSERT INTO listing_index (listing_index, rank) VALUES ('merge', ?)")
  merge.run(hasBegun ? PAGES_A_BATCH : -PAGES_A_BATCH)
  // In the end nothing but the command itself changes.
  return writesIn(db) - before >= 2
}

// Written so that SQLite sees the partial indexes orders_sell_once and quotes_reserve_once.
const UNDONE = UNDONE_STATES.map((state) => `'${state}'`).join(', ')
const SALE_OF = (domain: string) =>
  `SELECT public_id AS publicId, partner_id AS partnerId, created_at AS atMs FROM orders WHERE domain = ${domain} AND status NOT IN (${UNDONE})`
const QUOTE_OF = (domain: string) =>
  `SELECT seq AS quoteSeq, partner_id AS partnerId, expires_at AS expiresAtMs FROM quotes WHERE domain = ${domain} AND state = 'open'`

/** The order that has the name, unless it was undone. A read of a table that belongs to sales, which may not be asked. */
export function saleOf(db: Db, domain: string): SaleOfName | null {
  return statement<SaleOfName>(db, SALE_OF('?')).get(domain) ?? null
}

/** The quote that holds the name. A read of a table that belongs to sales, which may not be asked. */
export function liveQuoteOf(db: Db, domain: string): Reservation | null {
  return statement<Reservation>(db, QUOTE_OF('?')).get(domain) ?? null
}

const OFFER = `SELECT domain, price_cents, currency, listed, EXISTS (${SALE_OF('listings.domain')}),
    (SELECT partner_id FROM quotes WHERE domain = listings.domain AND state = 'open')
  FROM listings WHERE domain = ?`

/** All of it in one statement: nothing is asked for as often as this. */
export function selectOffer(db: Db, name: string): Offer | null {
  const values = statement<[string, number, string, number, number, string | null]>(db, OFFER).raw().get(name)
  if (!values) return null
  const [domain, priceCents, currency, listed, sold, reservedBy] = values
  return { domain, priceCents, currency, listed: listed === 1, isSold: sold === 1, reservedBy }
}

export function hasActed(db: Db, domain: string, act: string): boolean {
  return statement(db, 'SELECT 1 FROM magic_acts WHERE domain = ? AND act = ?').get(domain, act) !== undefined
}

export function timeOfAct(db: Db, domain: string, act: string): number | null {
  return (
    statement<number>(db, 'SELECT at FROM magic_acts WHERE domain = ? AND act = ?').pluck().get(domain, act) ?? null
  )
}

export function insertAct(db: Db, { domain, act, atMs }: { domain: string; act: string; atMs: number }): void {
  statement(db, 'INSERT INTO magic_acts (domain, act, at) VALUES (?, ?, ?)').run(domain, act, atMs)
}

const ROWS_PER_PAGE_SCAN = 20_000

/** Looks at so many rows at most, so that a rare text does not read the whole of a large inventory at once. */
export function selectPage(db: Db, after: string, limit: number, part: string): ListingsPage {
  const last = statement<string>(db, 'SELECT domain FROM listings WHERE domain > ? ORDER BY domain LIMIT 1 OFFSET ?')
    .pluck()
    .get(after, ROWS_PER_PAGE_SCAN - 1)
  const rows = statement<ListingRow>(
    db,
    `${SELECT_LISTING} WHERE domain > ? AND (? IS NULL OR domain <= ?) AND instr(domain, ?) > 0 ORDER BY domain LIMIT ?`,
  ).all(after, last ?? null, last ?? null, part, limit + 1)
  const listings = rows.slice(0, limit).map(listingFrom)
  const next = rows.length > limit ? (listings.at(-1)?.domain ?? null) : (last ?? null)
  return { listings, next }
}

/** Listed names around a name in the order of names, and some that share a word with it. */
export function namesNear(db: Db, domain: string, words: readonly string[], count: number): string[] {
  const listed = 'SELECT domain FROM listings WHERE listed = 1'
  const names = (sql: string, ...given: unknown[]) =>
    statement<string>(db, sql)
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

/** Which listings a search may show: all that are listed, those that are not sold, or those that are not reserved either. */
export type ShelfScope = 'listed' | 'unsold' | 'unreserved'

const SHOWN = (scope: ShelfScope) => `
  listings.listed = 1 AND listings.words <> ''
  ${scope === 'listed' ? '' : `AND NOT EXISTS (${SALE_OF('listings.domain')})`}
  ${scope === 'unreserved' ? `AND NOT EXISTS (${QUOTE_OF('listings.domain')})` : ''}`

// CROSS JOIN keeps the index outside, so that reading ends with the limit instead of sorting all that matches.
const MATCHING = (scope: ShelfScope) => `
  SELECT listings.id FROM listing_index CROSS JOIN listings ON listings.id = listing_index.rowid
  WHERE listing_index MATCH ? AND ${SHOWN(scope)} LIMIT ?`

const NAMED = (scope: ShelfScope) => `SELECT listings.id FROM listings WHERE domain = ? AND ${SHOWN(scope)}`

/** The first listings, in the order of ids, that a query of the index's language matches. */
export function idsMatching(db: Db, scope: ShelfScope, query: string, limit: number): number[] {
  return statement<number>(db, MATCHING(scope)).pluck().all(query, limit)
}

/** The listing with a name, if it may be shown. */
export function idsNamed(db: Db, scope: ShelfScope, domain: string): number[] {
  return statement<number>(db, NAMED(scope)).pluck().all(domain)
}

const SHELF = `SELECT id, domain, price_cents, currency, topics, words FROM listings
  WHERE id IN (SELECT value FROM json_each(?))`

type ShelfRow = [id: number, domain: string, priceCents: number, currency: string, topics: string, words: string]

/** In any order. Apart from the matches, which find most of them several times. */
export function shelfListings(db: Db, ids: Iterable<number>): ShelfListing[] {
  const rows = statement<ShelfRow>(db, SHELF)
    .raw()
    .all(JSON.stringify([...ids]))
  return rows.map(([id, domain, priceCents, currency, topics, words]) => {
    return { id, domain, priceCents, currency, topics: split(topics), words: split(words) }
  })
}
