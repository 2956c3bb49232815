import { LISTED_SUFFIX } from '../kernel/domain-name.ts'
import type { World } from '../kernel/world.ts'
import { loosened } from './fuzzy-query.ts'
import { type Query, type QueryWord, readQuery } from './query.ts'
import { answers, type Found, ranked } from './rank.ts'
import { openShelf, type Shelf, type ShelfListing, type ShelfScope } from './store.ts'

/**
 * Search over the ordinary inventory: by the words of names, and by meaning, which here is a lexicon of topics that
 * the synthetic listings really have. There are no embeddings in it: a word the lexicon does not know is found in
 * names and in operators' own topics only.
 *
 * The work is bounded whatever the query and however large the inventory: a handful of index reads, each of which stops
 * after so many rows, and a ranking of those.
 */

/** Which halves take part; a sound sandbox uses both. */
type Halves = World['rules']['search']

/** How many rows the reads for one word each bring together, in either half. */
const ROWS_FOR_SINGLE_WORDS = 48
/** How many rows a read for several words at once brings. */
const ROWS_PER_COMBINATION = 40
/** Combinations of two words are read until there are so many candidates. */
const ENOUGH_CANDIDATES = 60
/** So many words are combined in every way; of more, only neighbours are. */
const WORDS_ALL_COMBINED = 3
const PREFIX_LETTERS = 4

/**
 * The domains that answer a query best, best first, the available ones unless chosen otherwise (INV-01, INV-03..05, INV-12).
 *
 * @param q any text at all.
 * @returns at most `rules.search.results`; none where nothing matches.
 * @example search(world, 'sunlight')[0]?.listing.domain // 'sunharvest.test'
 */
export function search(world: World, q: string): Found[] {
  const halves = world.rules.search
  const reader = createReader(openShelf(world.db, scopeOf(world)))
  const strict = restricted(readQuery(q), halves)
  gather(reader, strict)
  const unanswered = new Set(strict.words.filter((word) => !reader.found().some((listing) => answers(word, listing))))
  if (unanswered.size === 0) return ranked(strict, reader.found()).slice(0, halves.results)
  // What nothing answers to is read as the beginning or a part of a word, or as misspelled.
  const words = strict.words.map((word) => (unanswered.has(word) ? loosened(word) : word))
  const loose = restricted({ ...strict, words }, halves)
  gather(reader, loose)
  readNamesAlike(reader, loose)
  return ranked(loose, reader.found()).slice(0, halves.results)
}

/** Only what a partner could buy now, unless a world shows what is gone as well (INV-12). */
function scopeOf({ rules, gaps }: World): ShelfScope {
  if (gaps['sold-in-search'] !== 'left out') return 'listed'
  return rules.quotes.reserves ? 'unreserved' : 'unsold'
}

/** Reads the shelf, nothing twice, and keeps what it found. */
interface Reader {
  matching(expression: string, limit: number): void
  startingWith(prefix: string, limit: number): void
  count(): number
  found(): ShelfListing[]
}

function createReader(shelf: Shelf): Reader {
  const asked = new Set<string>()
  const byId = new Map<number, ShelfListing>()
  const ask = (question: string, read: () => number[]) => {
    if (asked.has(question)) return
    asked.add(question)
    for (const id of read()) if (!byId.has(id)) byId.set(id, shelf.listing(id))
  }
  return {
    matching: (expression, limit) => ask(expression, () => shelf.matching(expression, limit)),
    startingWith: (prefix, limit) => ask(`${prefix}*`, () => shelf.startingWith(prefix, limit)),
    count: () => byId.size,
    found: () => [...byId.values()],
  }
}

/** Takes away what a half that is switched off would find. */
function restricted(query: Query, { byWord, byMeaning }: Halves): Query {
  const none = new Map<string, number>()
  const words = query.words.map((word) => ({
    text: word.text,
    names: byWord ? word.names : none,
    topics: byMeaning ? word.topics : none,
    isBeginning: byWord && word.isBeginning,
  }))
  return { words, domains: byWord ? query.domains : [] }
}

/** Reads the index from the most demanding combination of words to each word alone. */
function gather(reader: Reader, query: Query): void {
  for (const domain of query.domains) reader.startingWith(domain, 1)
  if (query.words.length > 1) readCombinations(reader, query.words)
  const rowsEach = Math.ceil(ROWS_FOR_SINGLE_WORDS / query.words.length)
  for (const expression of single(query.words)) reader.matching(expression, rowsEach)
}

/**
 * Several words at once: all of them in the name, then two of them anyhow. Three topics at once are left to the
 * ranking: finding out that no listing has them would cost more than all the rest of a search.
 */
function readCombinations(reader: Reader, words: readonly QueryWord[]): void {
  const inName = words.map((word) => anyOf(nameTermsOf(word)))
  const either = words.map((word) => anyOf([...nameTermsOf(word), ...topicTermsOf(word)]))
  for (const expression of [allOf(inName), ...pairs(either).map(allOf)]) {
    if (reader.count() >= ENOUGH_CANDIDATES) return
    if (expression) reader.matching(expression, ROWS_PER_COMBINATION)
  }
}

function pairs<Value>(all: readonly Value[]): [Value, Value][] {
  const reach = all.length > WORDS_ALL_COMBINED ? 1 : all.length
  return all.flatMap((one, i) => all.slice(i + 1, i + 1 + reach).map((other): [Value, Value] => [one, other]))
}

function single(words: readonly QueryWord[]): string[] {
  const expressions = words.flatMap((word) => [anyOf(nameTermsOf(word)), anyOf(topicTermsOf(word))])
  return expressions.filter((expression) => expression !== null)
}

function nameTermsOf(word: QueryWord): string[] {
  const terms = [...word.names.keys()].map(inQuotes)
  return word.isBeginning ? [...terms, `${inQuotes(word.text)} *`] : terms
}

function topicTermsOf(word: QueryWord): string[] {
  return [...word.topics.keys()].map(inQuotes)
}

/** Terms are letters, digits and the topic mark, so there is nothing in them to escape (see wordsOf). */
function inQuotes(term: string): string {
  return `"${term}"`
}

function anyOf(terms: readonly string[]): string | null {
  return terms.length > 0 ? `(${terms.join(' OR ')})` : null
}

function allOf(groups: readonly (string | null)[]): string | null {
  return groups.includes(null) ? null : groups.join(' AND ')
}

/** Names that start like the query, for names that are one made-up word. */
function readNamesAlike(reader: Reader, query: Query): void {
  const [domain] = query.domains
  const [word] = query.words
  if (!domain || !word?.isBeginning || query.words.length > 1) return
  const label = domain.slice(0, -LISTED_SUFFIX.length)
  reader.startingWith(label.slice(0, PREFIX_LETTERS), ROWS_PER_COMBINATION)
}
