import { createRequire } from 'node:module'
import { createDice, type Dice, seedKey } from '../kernel/chance.ts'
import { isAscii, LISTED_SUFFIX, normalizeDomain } from '../kernel/domain-name.ts'
import { type Topic, topics } from './lexicon.ts'
import { magicKind } from './magic.ts'
import type { DrawnListing } from './types.ts'
import { entriesOf, listedIn, type WordLists, wordLists } from './word-lists.ts'
import { wordsOf } from './words.ts'

/** The currency of all that is made from a seed. */
export const LISTING_CURRENCY = 'USD'

const DAY_MS = 86_400_000
/** Registrations lie before a day that the seed chooses in the year before this one, on any day of the run. */
const EPOCH_MS = Date.UTC(2025, 0, 1)
const YEARS_BACK = 24

/**
 * Draws a listing from its number alone.
 *
 * @param n the listing's number, from 1.
 * @param attempt counts up where the name of the attempt before was taken.
 * @returns null where the attempt came to no name that may be listed.
 */
export type DrawListing = (n: number, attempt: number) => DrawnListing | null

/** @param nowMs the world's time: nothing was registered after it. */
export function listingDrawer(seed: string, nowMs: number): DrawListing {
  const key = seedKey(seed, 'inventory')
  const epochMs = inventoryEpochMs(seed, nowMs)
  return (n, attempt) => {
    const dice = createDice(key, n, attempt)
    const name = drawName(dice, n, attempt)
    const domain = domainOf(name)
    if (domain === null || magicKind(domain) !== null) return null
    return { domain, ...terms(dice, name, epochMs), words: name.words.join(' ') }
  }
}

/**
 * The listing of a magic name: an ordinary one, but that search does not know it.
 *
 * @param domain a name that magicKind knows.
 */
export function drawMagicListing(seed: string, domain: string, nowMs: number): DrawnListing {
  const dice = createDice(seedKey(seed, `magic ${domain}`), 0, 0)
  const topic = dice.of(topics().all)
  const name: DrawnName = { label: domain, words: [], topics: [topic], worth: 1 }
  const epochMs = inventoryEpochMs(seed, nowMs)
  return { domain, ...terms(dice, name, epochMs), liveSite: magicKind(domain) === 'live-site', words: '' }
}

/** The day before which all listings of a seed were registered: all that the world's time changes about them. */
export function inventoryEpochMs(seed: string, nowMs: number): number {
  return Math.min(EPOCH_MS - (seedKey(seed, 'inventory').second % 365) * DAY_MS, nowMs)
}

function terms(dice: Dice, name: DrawnName, epochMs: number): Omit<DrawnListing, 'domain' | 'words'> {
  const dollars = drawPrice(dice, name)
  return {
    priceCents: dollars * 100,
    // Whole fives from 60 to 90 percent of the price.
    floorPriceCents: Math.floor((dollars * (60 + dice.below(31))) / 100 / 5) * 500,
    currency: LISTING_CURRENCY,
    listed: true,
    liveSite: false,
    topics: drawTopics(dice, name.topics),
    registrar: dice.of(parts().registrars),
    registeredAtMs: epochMs - DAY_MS - dice.below(YEARS_BACK * 365 * 24 * 3_600) * 1_000,
  }
}

/** Dollars from 50 up, most of them three or four digits, rounded the way sellers round. */
function drawPrice(dice: Dice, name: DrawnName): number {
  const spread = (dice.below(1_000) + dice.below(1_000) + dice.below(1_000)) / 1_000 - 1.5
  // By the letters that people see.
  const letters = isAscii(name.label) ? name.label.length : [...name.label.normalize('NFC')].length
  const brevity = Math.min(2, 11 / letters)
  const exact = 1_100 * Math.exp(1.5 * spread) * brevity * name.worth
  const step = exact < 500 ? 25 : exact < 2_000 ? 50 : exact < 10_000 ? 100 : 500
  return Math.max(50, Math.round(exact / step) * step)
}

/** Three to six: what the name is about, then what goes with it, then what goes with that. */
function drawTopics(dice: Dice, about: readonly Topic[]): string[] {
  const wanted = 3 + dice.below(4)
  const slugs = new Set<string>()
  for (const { slug } of about) slugs.add(slug)
  for (const { near } of about) for (const slug of near) slugs.add(slug)
  const first = [...slugs].slice(0, wanted)
  for (const slug of first.slice(about.length)) {
    const next = dice.of(topics().bySlug.get(slug)?.near ?? [slug])
    if (first.length < wanted && !first.includes(next)) first.push(next)
  }
  return first
}

/** A name as it was put together. */
interface DrawnName {
  /** As people read it, without ending. */
  readonly label: string
  /** Its words, apart. */
  readonly words: readonly string[]
  /** What it is about, most fitting first. */
  readonly topics: readonly Topic[]
  /** What its kind of name is worth beside a plain one of two words. */
  readonly worth: number
}

type NamePattern = (dice: Dice) => DrawnName

/** Up to here the word lists are enough; further on names also use the English words of a library, read only then. */
const WORD_LISTS_SUFFICE = 10_000

/**
 * The name of the n-th listing. Later attempts, made where a name is taken, draw from more and more names.
 *
 * @param n from 1.
 * @param attempt from 0.
 */
function drawName(dice: Dice, n: number, attempt: number): DrawnName {
  if (attempt > 5) return withLongNumber(dice)
  if (attempt > 1) return dice.of(SPACIOUS)(dice)
  return dice.of(n > WORD_LISTS_SUFFICE ? WORDY : COMMON)(dice)
}

/** The name with its ending, as it is stored; null where the words make no domain name. */
export function domainOf(name: DrawnName): string | null {
  const domain = name.label + LISTED_SUFFIX
  // The ASCII words are names already, as the test of the fixture checks.
  return isAscii(domain) ? domain : normalizeDomain(domain)
}

const topicOf: (dice: Dice) => Topic = (dice) => dice.of(topics().all)
const nearOf = (dice: Dice, topic: Topic) => topics().bySlug.get(dice.of(topic.near)) ?? topic

function joined(words: readonly string[], topics: readonly Topic[], worth = 1, between = ''): DrawnName {
  return { label: words.join(between), words, topics, worth }
}

/** Two different words of the same list; the list has more than one. */
function pair(dice: Dice, words: readonly string[]): [string, string] {
  const first = dice.below(words.length)
  const second = (first + 1 + dice.below(words.length - 1)) % words.length
  return [words[first] as string, words[second] as string]
}

/** Where a word of a name about a topic is drawn from. */
type WordSource = (topic: Topic) => readonly string[]

const name: WordSource = ({ names }) => names
const head: WordSource = () => parts().heads
const tail: WordSource = () => parts().tails
const number: WordSource = () => parts().numbers
const adjective: WordSource = () => englishWords().adjective
const noun: WordSource = () => englishWords().noun

function made(sources: readonly WordSource[], worth = 1): NamePattern {
  return (dice) => {
    const topic = topicOf(dice)
    const words = sources.map((source) => dice.of(source(topic)))
    return joined(words, [topic], worth)
  }
}

const withTail = made([name, tail])
const withHead = made([head, name])
const single = made([name], 6)
const withNumber = made([name, number], 0.6)
const threeParts = made([head, name, tail], 0.6)

const twoOfTopic: NamePattern = (dice) => {
  const topic = topicOf(dice)
  return joined(pair(dice, topic.names), [topic], 1.3)
}

const twoOfNeighbors: NamePattern = (dice) => {
  const topic = topicOf(dice)
  const near = nearOf(dice, topic)
  return joined([dice.of(topic.names), dice.of(near.names)], [topic, near], 1.2)
}

const madeUp: NamePattern = (dice) => {
  const { starts, middles, ends } = parts()
  const middle = dice.below(3) === 0 ? '' : dice.of(middles)
  return joined([dice.of(starts) + middle + dice.of(ends)], [topicOf(dice)], 1.6)
}

const hyphenated: NamePattern = (dice) => {
  const name = dice.of([withTail, withHead, twoOfTopic])(dice)
  return joined(name.words, name.topics, 0.5, '-')
}

const otherLetters: NamePattern = (dice) => {
  const [label, slug] = dice.of(parts().idn)
  const tail = dice.below(2) === 0 ? '' : dice.of(parts().tails)
  const words = [...wordsOf(label), ...(tail ? [tail] : [])]
  return { label: label + (tail && `-${tail}`), words, topics: [topics().bySlug.get(slug) as Topic], worth: 0.8 }
}

const twoOfTwoTopics: NamePattern = (dice) => {
  const [topic, other] = [topicOf(dice), topicOf(dice)]
  return joined([dice.of(topic.names), dice.of(other.names)], [topic, other])
}

const threeOfTwoTopics: NamePattern = (dice) => {
  const name = twoOfTwoTopics(dice)
  return joined([...name.words, dice.of(parts().tails)], name.topics, 0.5)
}

const withLongNumber: NamePattern = (dice) => {
  const name = twoOfTwoTopics(dice)
  return joined([...name.words, String(dice.below(1_000_000))], name.topics, 0.3)
}

const times = (count: number, pattern: NamePattern): NamePattern[] => Array.from({ length: count }, () => pattern)

/** What an inventory of ordinary size is made of, in hundredths. */
const COMMON: readonly NamePattern[] = [
  ...times(28, withTail),
  ...times(22, twoOfTopic),
  ...times(14, withHead),
  ...times(13, twoOfNeighbors),
  ...times(11, madeUp),
  ...times(4, hyphenated),
  ...times(4, withNumber),
  ...times(2, single),
  ...times(2, otherLetters),
]

/** Kinds of names of which there are millions. */
const SPACIOUS: readonly NamePattern[] = [...times(3, threeParts), ...times(2, twoOfTwoTopics), threeOfTwoTopics]

let partsRead: ReturnType<typeof readParts> | undefined

/** What is not about a topic, read once a process. */
export function parts(): ReturnType<typeof readParts> {
  partsRead ??= readParts(wordLists())
  return partsRead
}

function readParts(lists: WordLists) {
  const { heads, tails } = lists['parts'] as WordLists
  const { starts, middles, ends } = lists['syllables'] as WordLists
  return {
    heads: listedIn(heads),
    tails: listedIn(tails),
    starts: listedIn(starts),
    middles: listedIn(middles),
    ends: listedIn(ends),
    numbers: listedIn(lists['numbers']),
    idn: entriesOf(lists['idn']) as [word: string, topic: string][],
    registrars: listedIn(lists['registrars']),
  }
}

/** What the rest of a large inventory is made of, in hundredths: kinds of which there are more than it needs. */
const WORDY: readonly NamePattern[] = [
  ...times(24, made([adjective, name])),
  ...times(22, made([name, noun])),
  ...times(22, made([adjective, name, tail], 0.7)),
  ...times(12, threeParts),
  ...times(10, twoOfTwoTopics),
  ...times(6, madeUp),
  ...times(3, hyphenated),
  withNumber,
]

interface EnglishWords {
  adjective: string[]
  noun: string[]
}

let englishRead: EnglishWords | undefined

function englishWords(): EnglishWords {
  englishRead ??= readEnglish()
  return englishRead
}

/** Loaded here and not at the top of the file: it takes 30 ms, which an inventory of ordinary size need not spend. */
function readEnglish(): EnglishWords {
  const require = createRequire(import.meta.url)
  const { faker } = require('@faker-js/faker/locale/en') as { faker: { definitions: { word: EnglishWords } } }
  const { adjective, noun } = faker.definitions.word
  return { adjective: adjective.filter(isHandy), noun: noun.filter(isHandy) }
}

function isHandy(word: string): boolean {
  return /^[a-z]{3,8}$/.test(word)
}
