import { readableLabel } from '../kernel/domain-name.ts'
import { topicTerms } from './lexicon.ts'
import type { Query, QueryWord } from './query.ts'
import type { ShelfListing } from './types.ts'
import { stem } from './words.ts'

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
  return scored.sort((a, b) => b.score - a.score || lengthThenName(a.listing, b.listing))
}

function lengthThenName({ domain: a }: ShelfListing, { domain: b }: ShelfListing): number {
  return a.length - b.length || (a < b ? -1 : 1)
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
