import { readableLabel } from '../kernel/domain-name.ts'
import { isMisspelt } from './fuzzy-query.ts'
import type { Query, QueryWord } from './query.ts'
import type { ShelfListing } from './store.ts'
import { topicTerms } from './topics.ts'
import { fold, stem } from './words.ts'

/** A listing that answers a query, and how well. */
export interface Found {
  readonly listing: ShelfListing
  /** Above 0, at most 1; 1 is the very name. */
  readonly score: number
}

/** How well a listing answers, in the two halves of the search and together. */
interface Fit {
  listing: ShelfListing
  label: string
  /** From 0 to 1: words of the query in the name, and how much of the name they are. */
  byName: number
  /** From 0 to 1: words of the query among what the topics mean. */
  byMeaning: number
  /** From 0 to 1: how much of the query is answered one way or the other. */
  covered: number
  isExact: boolean
}

/** The constant of reciprocal rank fusion: how slowly a place further down loses weight. */
const FUSION = 60
const WEIGHT = { covered: 0.45, fused: 0.35, brevity: 0.12, price: 0.08 } as const
/** A word of the name says more than a topic. */
const NAME_SHARE = 0.625

/**
 * Puts candidates in order, best first: the two halves, each ranked on its own, are fused by reciprocal rank; then
 * the very name stands first, and answering all of the query, brevity and an ordinary price count.
 */
export function ranked(query: Query, candidates: readonly ShelfListing[]): Found[] {
  const fits = candidates
    .map((listing) => fitOf(query, listing))
    .filter(({ covered, isExact }) => covered > 0 || isExact)
  const nameRank = ranks(fits, (fit) => fit.byName)
  const meaningRank = ranks(fits, (fit) => fit.byMeaning)
  const scored = fits.map((fit) => ({ fit, score: scoreOf(fit, nameRank.get(fit), meaningRank.get(fit)) }))
  scored.sort(
    (a, b) => b.score - a.score || a.fit.label.length - b.fit.label.length || (a.fit.label < b.fit.label ? -1 : 1),
  )
  return scored.map(({ fit, score }) => ({ listing: fit.listing, score: Math.round(score * 10_000) / 10_000 }))
}

/**
 * Whether a listing answers a word at all.
 *
 * @example candidates.some((listing) => answers(word, listing))
 */
export function answers(word: QueryWord, { words, topics }: ShelfListing): boolean {
  return (
    words.some((own) => factorOf(word, own) > 0) ||
    topics.some((slug) => topicTerms(slug).some((term) => word.topics.has(term)))
  )
}

/** Places from 1; equals share one, and what does not fit at all has none. */
function ranks(fits: readonly Fit[], value: (fit: Fit) => number): Map<Fit, number> {
  const sorted = fits.filter((fit) => value(fit) > 0).sort((a, b) => value(b) - value(a))
  const places = new Map<Fit, number>()
  for (const [i, fit] of sorted.entries()) {
    const before = sorted[i - 1]
    places.set(fit, before && value(before) === value(fit) ? (places.get(before) as number) : i + 1)
  }
  return places
}

function scoreOf(fit: Fit, nameRank: number | undefined, meaningRank: number | undefined): number {
  if (fit.isExact) return 1
  const share = (rank: number | undefined) => (rank === undefined ? 0 : (FUSION + 1) / (FUSION + rank))
  const fused = NAME_SHARE * share(nameRank) + (1 - NAME_SHARE) * share(meaningRank)
  const brevity = 1 - Math.min(fit.label.length, 30) / 30
  return (
    WEIGHT.covered * fit.covered +
    WEIGHT.fused * fused +
    WEIGHT.brevity * brevity +
    WEIGHT.price * ordinariness(fit.listing.priceCents)
  )
}

/** 1 around 1,200, falling to 0 at a thousandth and at a thousand times that. */
function ordinariness(priceCents: number): number {
  return Math.max(0, 1 - Math.abs(Math.log10(priceCents / 120_000)) / 3)
}

function fitOf(query: Query, listing: ShelfListing): Fit {
  const label = fold(readableLabel(listing.domain))
  const topics = listing.topics.map(topicTerms)
  const fit: Fit = {
    listing,
    label,
    byName: 0,
    byMeaning: 0,
    covered: 0,
    isExact: query.domains.includes(listing.domain),
  }
  let letters = 0
  for (const word of query.words) {
    const inName = bestInName(word, listing.words, label)
    const inTopics = bestInTopics(word, topics)
    letters += inName.letters
    fit.byName += inName.factor / query.words.length
    fit.byMeaning += inTopics / query.words.length
    fit.covered += Math.max(inName.factor, 0.9 * inTopics) / query.words.length
  }
  fit.byName *= 0.8 + 0.2 * Math.min(1, letters / label.length)
  return fit
}

interface InName {
  factor: number
  /** How many letters of the name it is. */
  letters: number
}

function bestInName(word: QueryWord, words: readonly string[], label: string): InName {
  let best: InName = { factor: 0, letters: 0 }
  for (const own of words) {
    const factor = factorOf(word, own)
    if (factor > best.factor) best = { factor, letters: own.length }
  }
  if (best.factor > 0 || !word.isBeginning) return best
  if (label.startsWith(word.text)) return { factor: begunFactor(word.text, label), letters: word.text.length }
  if (isMisspelt(word.text, label)) return { factor: 0.6, letters: label.length }
  return best
}

function factorOf(word: QueryWord, own: string): number {
  const listed = word.names.get(stem(own)) ?? word.names.get(own) ?? 0
  return word.isBeginning && own.startsWith(word.text) ? Math.max(listed, begunFactor(word.text, own)) : listed
}

/** The more of a word is there, the more it counts. */
function begunFactor(text: string, whole: string): number {
  return 0.6 + (0.3 * text.length) / whole.length
}

/** The first topics of a listing say more about it than the last. */
function bestInTopics(word: QueryWord, topics: readonly (readonly string[])[]): number {
  let best = 0
  for (const [position, terms] of topics.entries()) {
    for (const term of terms) best = Math.max(best, (word.topics.get(term) ?? 0) * (1 - 0.08 * Math.min(position, 6)))
  }
  return best
}
