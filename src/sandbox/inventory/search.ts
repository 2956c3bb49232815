import type { Db } from '../../storage/db.ts'
import { LISTED_SUFFIX, normalizeDomain, readableLabel } from '../kernel/domain-name.ts'
import type { World } from '../kernel/world.ts'
import { knownWordsIn, lexicon, topicTerm, topicTerms } from './lexicon.ts'
import { QUOTE_OF, SALE_OF, wordsIn } from './listings.ts'
import type { ShelfListing } from './types.ts'
import { stem, wordsOf } from './words.ts'

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

/** Reads the names that are written out, then the index from the most demanding combination of words to each word alone. */
function candidatesFor({ words, domains, topic }: Query, world: World): ShelfListing[] {
  const { db, gaps } = world
  // Only what a partner could buy now, unless a world shows what is gone as well (INV-12).
  const scope = gaps['sold-in-search'] === 'left out' ? 'unreserved' : 'listed'
  const ids = new Set<number>()
  const read = (found: readonly number[]) => {
    for (const id of found) ids.add(id)
  }
  for (const domain of domains) read(db.statement<number>(NAMED(scope)).pluck().all(domain))
  if (topic !== null) read(idsMatching(db, scope, `"${topic}"`, ROWS_PER_COMBINATION))
  for (const expression of combinations(words)) {
    if (ids.size < ENOUGH_CANDIDATES) read(idsMatching(db, scope, expression, ROWS_PER_COMBINATION))
  }
  const rowsEach = Math.ceil(ROWS_FOR_SINGLE_WORDS / words.length)
  for (const expression of words.flatMap((word) => [nameTerm(word), anyOf(meaningTerms(word))])) {
    read(idsMatching(db, scope, expression, rowsEach))
  }
  return shelfListings(db, ids)
}

/**
 * Several words at once: all of them in the name, then two of them anyhow. Three topics at once are left to the ranking:
 * finding out that no listing has them would cost more than all the rest of a search.
 */
function combinations(words: readonly QueryWord[]): string[] {
  if (words.length < 2) return []
  const inName = words.map(nameTerm)
  const either = words.map((word) => anyOf([nameTerm(word), ...meaningTerms(word)]))
  return [inName, ...pairs(either)].map((groups) => groups.join(' AND '))
}

function pairs<Value>(all: readonly Value[]): [Value, Value][] {
  const reach = all.length > WORDS_ALL_COMBINED ? 1 : all.length
  return all.flatMap((one, i) => all.slice(i + 1, i + 1 + reach).map((other): [Value, Value] => [one, other]))
}

/** Terms are letters, digits and the topic mark, so there is nothing in them to escape (see wordsOf). */
function nameTerm({ stem }: QueryWord): string {
  return `"${stem}"`
}

function meaningTerms({ topics }: QueryWord): string[] {
  return [...topics.keys()].map((term) => `"${term}"`)
}

function anyOf(terms: readonly string[]): string {
  return `(${terms.join(' OR ')})`
}

/** Which listings a search may show: all that are listed, or those of them that are neither sold nor reserved. */
type ShelfScope = 'listed' | 'unreserved'

const SHOWN = (scope: ShelfScope) => `
  listings.listed = 1 AND listings.words <> ''
  ${scope === 'listed' ? '' : `AND NOT EXISTS (${SALE_OF('listings.domain')}) AND NOT EXISTS (${QUOTE_OF('listings.domain')})`}`

// CROSS JOIN keeps the index outside, so that reading ends with the limit instead of sorting all that matches.
const MATCHING = (scope: ShelfScope) => `
  SELECT listings.id FROM listing_index CROSS JOIN listings ON listings.id = listing_index.rowid
  WHERE listing_index MATCH ? AND ${SHOWN(scope)} LIMIT ?`

const NAMED = (scope: ShelfScope) => `SELECT listings.id FROM listings WHERE domain = ? AND ${SHOWN(scope)}`

/** The first listings, in the order of ids, that a query of the index's language matches. */
function idsMatching(db: Db, scope: ShelfScope, query: string, limit: number): number[] {
  return db.statement<number>(MATCHING(scope)).pluck().all(query, limit)
}

const SHELF = `SELECT id, domain, price_cents, currency, topics, words FROM listings
  WHERE id IN (SELECT value FROM json_each(?))`

type ShelfRow = [id: number, domain: string, priceCents: number, currency: string, topics: string, words: string]

/** In any order. Apart from the matches, which find most of them several times. */
function shelfListings(db: Db, ids: Iterable<number>): ShelfListing[] {
  const rows = db
    .statement<ShelfRow>(SHELF)
    .raw()
    .all(JSON.stringify([...ids]))
  return rows.map(([id, domain, priceCents, currency, topics, words]) => {
    return { id, domain, priceCents, currency, topics: wordsIn(topics), words: wordsIn(words) }
  })
}

/** A listing that answers a query, and how well. */
export interface Found {
  readonly listing: ShelfListing
  /** Above 0, at most 1; 1 is the very name. */
  readonly score: number
}

/** How much each part of a score counts: a word of the name says more than a topic. */
const WEIGHT = { covered: 0.45, byName: 0.22, byMeaning: 0.13, brevity: 0.12, price: 0.08 } as const

/** How far the topic that a query writes out in several words lifts a score towards the best: above what the words are alone. */
const WRITTEN_TOPIC = 0.9

/**
 * Puts candidates in order, best first: the exact name first; then the topic that the query writes out; then words of the query in the name and among the topics,
 * answering all of the query, brevity and an ordinary price count. What answers nothing is left out.
 */
export function ranked(query: Query, candidates: readonly ShelfListing[]): Found[] {
  const scored = candidates
    .map((listing) => ({ listing, score: scoreOf(query, listing) }))
    .filter(({ score }) => score > 0)
  return scored.sort((a, b) => {
    const [one, other] = [a.listing.domain, b.listing.domain]
    return b.score - a.score || one.length - other.length || (one < other ? -1 : 1)
  })
}

function scoreOf(query: Query, listing: ShelfListing): number {
  if (query.domains.includes(listing.domain)) return 1
  const stems = listing.words.map(stem)
  const topics = listing.topics.map(topicTerms)
  const label = readableLabel(listing.domain)
  let [byName, byMeaning, covered, letters] = [0, 0, 0, 0]
  for (const word of query.words) {
    const inName = lettersInName(word, listing, stems)
    const meaning = bestInTopics(word, topics)
    letters += inName
    byName += inName > 0 ? 1 : 0
    byMeaning += meaning
    covered += inName > 0 ? 1 : 0.9 * meaning
  }
  if (covered === 0) return 0
  const share = 1 / query.words.length
  const score =
    WEIGHT.covered * covered * share +
    WEIGHT.byName * byName * share * (0.8 + 0.2 * Math.min(1, letters / label.length)) +
    WEIGHT.byMeaning * byMeaning * share +
    WEIGHT.brevity * (1 - Math.min(label.length, 30) / 30) +
    WEIGHT.price * ordinariness(listing.priceCents)
  const lifted = topics.some((terms) => query.topic !== null && terms.includes(query.topic))
    ? score + WRITTEN_TOPIC * (1 - score)
    : score
  return Math.round(lifted * 10_000) / 10_000
}

/** How many letters of the name a word is; 0 where it is not in it. */
function lettersInName(word: QueryWord, { words }: ShelfListing, stems: readonly string[]): number {
  const at = stems.indexOf(word.stem)
  return words[at]?.length ?? 0
}

/** The first topics of a listing say more about it than the last. */
function bestInTopics(word: QueryWord, topics: readonly (readonly string[])[]): number {
  let best = 0
  for (const [position, terms] of topics.entries()) {
    for (const term of terms) best = Math.max(best, (word.topics.get(term) ?? 0) * (1 - 0.08 * Math.min(position, 6)))
  }
  return best
}

/** 1 around 1,200, falling to 0 at a thousandth and at a thousand times that. */
function ordinariness(priceCents: number): number {
  return Math.max(0, 1 - Math.abs(Math.log10(priceCents / 120_000)) / 3)
}

/** One word of a query and what in the index it may stand for. */
interface QueryWord {
  /** Its stem, by which it is found in names. */
  readonly stem: string
  /** Index terms of topics, each with how surely they are meant. */
  readonly topics: ReadonlyMap<string, number>
}

export interface Query {
  readonly words: readonly QueryWord[]
  readonly domains: readonly string[]
  /** Index term of the topic that the query writes out in several words; null for a single word, whose own term says it. */
  readonly topic: string | null
}

/** What is beyond it is not looked at; the route refuses longer queries anyway. */
export const LONGEST_QUERY = 256
const MOST_WORDS = 6
const LONGEST_WORD = 63
/** How surely a topic is meant by a word that is only related to it, beside a topic that is called so. */
const RELATED = 0.85

const STOP_WORDS = new Set(
  'a an and are as at be but by do for from has have how i in is it its me my of on or our some something that the their this to we what where which who with you your'.split(
    ' ',
  ),
)

/** Reads what a person typed. Nothing in it can be a syntax error: it is words, or nothing. */
function readQuery(q: string): Query {
  const text = withoutSuffix(q.slice(0, LONGEST_QUERY).trim().toLowerCase())
  const typed = wordsOf(text).filter((word) => word.length <= LONGEST_WORD)
  const wholes = new Map(typed.flatMap((word) => partsOf(word).map((part) => [part, word])))
  const all = [...wholes.keys()]
  const meaningful = all.filter((word) => !STOP_WORDS.has(word))
  const words = (meaningful.length > 0 ? meaningful : all).slice(0, MOST_WORDS)
  return {
    words: words.map((word, i) => ({
      stem: stem(word),
      topics: meaningOf(word, wholes.get(word) as string, words[i - 1], words[i + 1]),
    })),
    domains: domainsIn(text),
    topic: words.length > 1 ? writtenTopic(typed) : null,
  }
}

/** Words written together, as names are, are cut where a name would be. */
function partsOf(typed: string): string[] {
  return knownWordsIn(typed) ?? [typed]
}

/** The index term of a topic that consists of these words. */
function writtenTopic(typed: readonly string[]): string {
  const [first, ...others] = typed
  return topicTerm(first !== undefined && others.length === 0 ? stem(first) : typed.join('-'))
}

function withoutSuffix(text: string): string {
  const undotted = text.endsWith('.') ? text.slice(0, -1) : text
  return undotted.endsWith(LISTED_SUFFIX) ? undotted.slice(0, -LISTED_SUFFIX.length) : undotted
}

/** The query as one name, with its spaces closed up or turned into hyphens. */
function domainsIn(text: string): string[] {
  const labels = new Set([text.replace(/\s+/g, ''), text.replace(/\s+/g, '-')])
  return [...labels].map((label) => normalizeDomain(label + LISTED_SUFFIX)).filter((domain) => domain !== null)
}

/**
 * Two words that mean something together mean that, and not what each of them means alone.
 *
 * @param whole the typed word of which this one is a part, or the word itself.
 */
function meaningOf(word: string, whole: string, before?: string, after?: string): Map<string, number> {
  const { meanings } = lexicon()
  const found =
    (after && meanings.get(`${stem(word)} ${stem(after)}`)) ||
    (before && meanings.get(`${stem(before)} ${stem(word)}`)) ||
    meanings.get(stem(word)) ||
    []
  const topics = new Map(found.map(({ topic, weight }) => [topicTerm(topic), weight * RELATED]))
  // The very word says it best, also where it is an operator's own topic that no lexicon has.
  return topics.set(topicTerm(stem(word)), 1).set(topicTerm(stem(whole)), 1)
}
