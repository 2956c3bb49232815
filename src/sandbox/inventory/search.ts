import { type Db, statement } from '../../storage/db.ts'
import type { World } from '../kernel/world.ts'
import { QUOTE_OF, SALE_OF, wordsIn } from './listings.ts'
import { type Query, type QueryWord, readQuery } from './query.ts'
import { type Found, ranked } from './rank.ts'
import type { ShelfListing } from './types.ts'

/**
 * Search over the ordinary inventory: by the words of names, and by meaning, which here is a lexicon of topics that
 * the synthetic listings really have. It has no embeddings: a word the lexicon does not know is found in
 * names and in operators' own topics only.
 *
 * The work is bounded for any query and any size of the inventory: a handful of index reads, each of which stops
 * after so many rows, and a ranking of those.
 */

/** How many rows the reads for one word each bring together, in either half. */
const ROWS_FOR_SINGLE_WORDS = 48
/** How many rows a read for several words at once brings. */
const ROWS_PER_COMBINATION = 40
/** Combinations of two words are read until there are so many candidates. */
const ENOUGH_CANDIDATES = 60
/** So many words are combined in every way; of more, only neighbors are. */
const WORDS_ALL_COMBINED = 3

/**
 * The domains that answer a query best, best first, the available ones unless chosen otherwise (INV-01, INV-03..05, INV-12).
 *
 * @param q any text at all.
 * @returns at most `rules.search.results`; none where nothing matches.
 */
export function search(world: World, q: string): Found[] {
  const query = readQuery(q)
  return ranked(query, candidatesFor(query, world)).slice(0, world.rules.search.results)
}

/** Only what a partner could buy now, unless a world shows what is gone as well (INV-12). */
function scopeOf({ gaps }: World): ShelfScope {
  return gaps['sold-in-search'] === 'left out' ? 'unreserved' : 'listed'
}

/** Reads the names that are written out, then the index from the most demanding combination of words to each word alone. */
function candidatesFor({ words, domains, topic }: Query, world: World): ShelfListing[] {
  const { db } = world
  const scope = scopeOf(world)
  const ids = new Set<number>()
  const read = (found: readonly number[]) => {
    for (const id of found) ids.add(id)
  }
  for (const domain of domains) read(idsNamed(db, scope, domain))
  if (topic !== null) read(idsMatching(db, scope, `"${topic}"`, ROWS_PER_COMBINATION))
  for (const expression of combinations(words)) {
    if (ids.size < ENOUGH_CANDIDATES) read(idsMatching(db, scope, expression, ROWS_PER_COMBINATION))
  }
  const rowsEach = Math.ceil(ROWS_FOR_SINGLE_WORDS / words.length)
  for (const expression of words.flatMap((word) => [anyOf(nameTerms(word)), anyOf(topicTerms(word))])) {
    if (expression !== null) read(idsMatching(db, scope, expression, rowsEach))
  }
  return shelfListings(db, ids)
}

/**
 * Several words at once: all of them in the name, then two of them anyhow. Three topics at once are left to the ranking:
 * finding out that no listing has them would cost more than all the rest of a search.
 */
function combinations(words: readonly QueryWord[]): string[] {
  if (words.length < 2) return []
  const inName = words.map((word) => anyOf(nameTerms(word)))
  const either = words.map((word) => anyOf([...nameTerms(word), ...topicTerms(word)]))
  return [allOf(inName), ...pairs(either).map(allOf)].filter((expression) => expression !== null)
}

function pairs<Value>(all: readonly Value[]): [Value, Value][] {
  const reach = all.length > WORDS_ALL_COMBINED ? 1 : all.length
  return all.flatMap((one, i) => all.slice(i + 1, i + 1 + reach).map((other): [Value, Value] => [one, other]))
}

/** Terms are letters, digits and the topic mark, so there is nothing in them to escape (see wordsOf). */
function nameTerms({ stem }: QueryWord): string[] {
  return [`"${stem}"`]
}

function topicTerms({ topics }: QueryWord): string[] {
  return [...topics.keys()].map((term) => `"${term}"`)
}

function anyOf(terms: readonly string[]): string | null {
  return terms.length > 0 ? `(${terms.join(' OR ')})` : null
}

function allOf(groups: readonly (string | null)[]): string | null {
  return groups.includes(null) ? null : groups.join(' AND ')
}

/** Which listings a search may show: all that are listed, those that are not sold, or those that are not reserved either. */
type ShelfScope = 'listed' | 'unsold' | 'unreserved'

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
function idsMatching(db: Db, scope: ShelfScope, query: string, limit: number): number[] {
  return statement<number>(db, MATCHING(scope)).pluck().all(query, limit)
}

/** The listing with a name, if it may be shown. */
function idsNamed(db: Db, scope: ShelfScope, domain: string): number[] {
  return statement<number>(db, NAMED(scope)).pluck().all(domain)
}

const SHELF = `SELECT id, domain, price_cents, currency, topics, words FROM listings
  WHERE id IN (SELECT value FROM json_each(?))`

type ShelfRow = [id: number, domain: string, priceCents: number, currency: string, topics: string, words: string]

/** In any order. Apart from the matches, which find most of them several times. */
function shelfListings(db: Db, ids: Iterable<number>): ShelfListing[] {
  const rows = statement<ShelfRow>(db, SHELF)
    .raw()
    .all(JSON.stringify([...ids]))
  return rows.map(([id, domain, priceCents, currency, topics, words]) => {
    return { id, domain, priceCents, currency, topics: wordsIn(topics), words: wordsIn(words) }
  })
}
