import { LISTED_SUFFIX, normaliseDomain } from '../kernel/domain-name.ts'
import { lexicon } from './lexicon.ts'
import { topicTerm } from './topics.ts'
import { stem, wordsOf } from './words.ts'

/** One word of a query and what in the index it may stand for. */
export interface QueryWord {
  readonly text: string
  /** Index terms of names, each with how well it fits: 1 for the word itself. */
  readonly names: ReadonlyMap<string, number>
  /** Index terms of topics, each with how surely they are meant. */
  readonly topics: ReadonlyMap<string, number>
  /** Whether words that begin like it fit as well. */
  readonly isBeginning: boolean
}

/** A query, read. */
export interface Query {
  readonly words: readonly QueryWord[]
  /** Names that the query may be, written out. */
  readonly domains: readonly string[]
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

/**
 * Reads what a person typed. Nothing in it can be a syntax error: it is words, or nothing.
 *
 * @example readQuery('Machine learning!').words[0].topics // Map { '§artificialintelligence' => 0.85, … }
 */
export function readQuery(q: string): Query {
  const text = withoutSuffix(q.slice(0, LONGEST_QUERY).trim().toLowerCase())
  const all = [...new Set(wordsOf(text))].filter((word) => word.length <= LONGEST_WORD)
  const meaningful = all.filter((word) => !STOP_WORDS.has(word))
  const words = (meaningful.length > 0 ? meaningful : all).slice(0, MOST_WORDS)
  return { words: words.map((word, i) => queryWord(word, words[i - 1], words[i + 1])), domains: domainsIn(text) }
}

function withoutSuffix(text: string): string {
  const undotted = text.endsWith('.') ? text.slice(0, -1) : text
  return undotted.endsWith(LISTED_SUFFIX) ? undotted.slice(0, -LISTED_SUFFIX.length) : undotted
}

/** The query as one name, with its spaces closed up or turned into hyphens. */
function domainsIn(text: string): string[] {
  const labels = new Set([text.replace(/\s+/g, ''), text.replace(/\s+/g, '-')])
  return [...labels].map((label) => normaliseDomain(label + LISTED_SUFFIX)).filter((domain) => domain !== null)
}

function queryWord(word: string, before: string | undefined, after: string | undefined): QueryWord {
  return { text: word, names: new Map([[stem(word), 1]]), topics: meaningOf(word, before, after), isBeginning: false }
}

/** Two words that mean something together mean that, and not what each of them means alone. */
function meaningOf(word: string, before?: string, after?: string): Map<string, number> {
  const { meanings } = lexicon()
  const found =
    (after && meanings.get(`${stem(word)} ${stem(after)}`)) ||
    (before && meanings.get(`${stem(before)} ${stem(word)}`)) ||
    meanings.get(stem(word)) ||
    []
  const topics = new Map(found.map(({ topic, weight }) => [topicTerm(topic), weight * RELATED]))
  // The very word says it best, also where it is an operator's own topic that no lexicon has.
  return topics.set(topicTerm(stem(word)), 1)
}

/**
 * The topics a word means on its own.
 *
 * @example topicsMeantBy('sunlight') // Map { '§solar' => 0.85, '§sunlight' => 1 }
 */
export function topicsMeantBy(word: string): Map<string, number> {
  return meaningOf(word)
}
