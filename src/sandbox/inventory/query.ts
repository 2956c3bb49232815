import { LISTED_SUFFIX, normalizeDomain } from '../kernel/domain-name.ts'
import { lexicon, topicTerm } from './lexicon.ts'
import { knownWordsIn } from './name-words.ts'
import { stem, wordsOf } from './words.ts'

/** One word of a query and what in the index it may stand for. */
export interface QueryWord {
  /** Its stem, by which it is found in names. */
  readonly stem: string
  /** Index terms of topics, each with how surely they are meant. */
  readonly topics: ReadonlyMap<string, number>
}

/** A query, read. */
export interface Query {
  readonly words: readonly QueryWord[]
  /** Names that the query writes out. */
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
export function readQuery(q: string): Query {
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
