import type { World } from '../world.ts'
import { LISTED_SUFFIX } from './domain-name.ts'
import { loosened } from './loosen.ts'
import { type Query, type QueryWord, readQuery } from './query.ts'
import { answers, type Found, ranked } from './rank.ts'
import { type ShelfListing, openShelf, type Shelf } from './store.ts'

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
/** With more words than this, only neighbours are combined. */
const WORDS_ALL_COMBINED = 4
const PREFIX_LETTERS = 4

/**
 * The available domains that answer a query best, best first (INV-01, INV-03..05, INV-12).
 *
 * @param q any text at all.
 * @returns at most `rules.search.results`; none where nothing matches.
 * @example search(world, 'sunlight')[0]?.listing.domain // 'sunharvest.test'
 */
export function search(world: World, q: string): Found[] {
  const halves = world.rules.search
  const shelf = openShelf(world.db, world.rules.quotes.reserves)
  const strict = restricted(readQuery(q), halves)
  const candidates = [...gather(shelf, strict)].map(shelf.listing)
  const isAnswered = (word: QueryWord) => candidates.some((listing) => answers(word, listing))
  if (strict.words.every(isAnswered)) return ranked(strict, candidates).slice(0, halves.results)
  const words = strict.words.map((word) => (isAnswered(word) ? word : loosened(word)))
  return searchLoosely(shelf, restricted({ ...strict, words }, halves), candidates).slice(0, halves.results)
}

/** Where nothing answers to a word, it is read as a beginning, a part or a misspelling of one. */
function searchLoosely(shelf: Shelf, loose: Query, candidates: readonly ShelfListing[]): Found[] {
  const ids = new Set([...candidates.map(({ id }) => id), ...gather(shelf, loose), ...startingAlike(shelf, loose)])
  return ranked(loose, [...ids].map(shelf.listing))
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

/** Reads the index from the most demanding combination of words to each word alone; row numbers come out. */
function gather(shelf: Shelf, query: Query): Set<number> {
  const ids = new Set<number>()
  const read = (expression: string, limit: number) => {
    for (const id of shelf.matching(expression, limit)) ids.add(id)
  }
  for (const domain of query.domains) for (const id of shelf.startingWith(domain, 1)) ids.add(id)
  for (const expression of demanding(query.words)) if (ids.size < ENOUGH_CANDIDATES) read(expression, ROWS_PER_COMBINATION)
  const rowsEach = Math.ceil(ROWS_FOR_SINGLE_WORDS / query.words.length)
  for (const expression of single(query.words)) read(expression, rowsEach)
  return ids
}

/** Expressions that ask for several words at once, the most demanding first. */
function demanding(words: readonly QueryWord[]): string[] {
  if (words.length < 2) return []
  const either = words.map((word) => anyOf([...nameTermsOf(word), ...topicTermsOf(word)]))
  const expressions = [allOf(words.map((word) => anyOf(nameTermsOf(word)))), allOf(either)]
  if (words.length > 2) expressions.push(...pairs(either).map(allOf))
  return expressions.filter((expression) => expression !== null)
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
function startingAlike(shelf: Shelf, query: Query): number[] {
  const [domain] = query.domains
  const [word] = query.words
  if (!domain || !word?.isBeginning || query.words.length > 1) return []
  const label = domain.slice(0, -LISTED_SUFFIX.length)
  return shelf.startingWith(label.slice(0, PREFIX_LETTERS), ROWS_PER_COMBINATION)
}
