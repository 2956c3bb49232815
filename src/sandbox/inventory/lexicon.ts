import { entriesOf, listedIn, type WordLists, wordLists } from './word-lists.ts'
import { stem, wordsOf } from './words.ts'

/** A topic of the lexicon. */
export interface Topic {
  readonly slug: string
  /** Words that names are built from. */
  readonly names: readonly string[]
  /** Topics that go with it. */
  readonly near: readonly string[]
}

interface Meaning {
  readonly topic: string
  readonly weight: number
}

/** How surely a word means a topic: 1 where it is a word for it, less where names about it merely use it. */
const WEIGHTS = { word: 1, name: 0.7 } as const

let topicsRead: ReturnType<typeof readTopics> | undefined
let lexiconBuilt: ReturnType<typeof buildLexicon> | undefined

/** The topics that names and listings are drawn from, read once a process. */
export function topics(): ReturnType<typeof readTopics> {
  topicsRead ??= readTopics(wordLists())
  return topicsRead
}

function readTopics(lists: WordLists) {
  const all: Topic[] = entriesOf(lists['topics']).map(([slug, entry]) => {
    const { names, near } = entry as WordLists
    return { slug, names: listedIn(names), near: listedIn(near) }
  })
  return { all, bySlug: new Map(all.map((topic) => [topic.slug, topic])) }
}

/** What the words of fixtures/inventory.yaml mean: built once a process, and not before a search needs it. */
export function lexicon(): ReturnType<typeof buildLexicon> {
  lexiconBuilt ??= buildLexicon(wordLists())
  return lexiconBuilt
}

function buildLexicon(lists: WordLists) {
  // From the stems of a word or of two words, joined by a space, to what they mean; surest first.
  const meanings = new Map<string, Meaning[]>()
  // Every single word there is, for cutting names into words.
  const known = new Set<string>()
  const learn = (topic: string, phrases: readonly string[], weight: number) => {
    for (const phrase of phrases) {
      const words = wordsOf(phrase)
      for (const word of words) known.add(word)
      addMeaning(meanings, words.map(stem).join(' '), { topic, weight })
    }
  }
  for (const [slug, entry] of entriesOf(lists['topics'])) {
    const { names, words } = entry as WordLists
    learn(slug, [slug, ...listedIn(words)], WEIGHTS.word)
    learn(slug, listedIn(names), WEIGHTS.name)
  }
  for (const [, list] of entriesOf(lists['parts'])) for (const part of listedIn(list)) known.add(part)
  for (const [word, topic] of entriesOf(lists['idn'])) learn(topic as string, [word], WEIGHTS.word)
  for (const found of meanings.values()) found.sort((a, b) => b.weight - a.weight)
  return { meanings, known }
}

function addMeaning(meanings: Map<string, Meaning[]>, key: string, meaning: Meaning): void {
  const found = meanings.get(key)
  if (!found) meanings.set(key, [meaning])
  else if (!found.some(({ topic }) => topic === meaning.topic)) found.push(meaning)
}

const LONGEST_SLUG = 40

/** Stands before every topic in the index, so that a topic and a word of a name are never taken for each other. */
const TOPIC_MARK = '§'

/**
 * The form in which a topic is kept: folded words with hyphens between them.
 *
 * @returns null where the text has no words or too many.
 */
export function topicSlug(text: string): string | null {
  if (text.length > 2 * LONGEST_SLUG || /[^\p{L}\p{M}\p{N}\s-]/u.test(text)) return null
  const slug = wordsOf(text).join('-')
  return slug !== '' && slug.length <= LONGEST_SLUG ? slug : null
}

const termsOfTopics = new Map<string, readonly string[]>()

/** The index terms of a topic. One of the lexicon is one term; an operator's own is found as a whole and by each of its words. */
export function topicTerms(slug: string): readonly string[] {
  const known = termsOfTopics.get(slug)
  if (known) return known
  if (!topics().bySlug.has(slug)) {
    const words = slug.split('-').map((word) => topicTerm(stem(word)))
    return words.length === 1 ? words : [topicTerm(slug), ...words]
  }
  const terms = [topicTerm(slug)]
  termsOfTopics.set(slug, terms)
  return terms
}

/** The index term of a topic of the lexicon, or of the stem of a word. */
export function topicTerm(slug: string): string {
  return TOPIC_MARK + slug.replaceAll('-', '')
}

/**
 * What the index holds for a listing: each word of its name and its stem, and its topics.
 *
 * @param words space-separated, folded.
 * @example indexTerms('sun harvest', ['solar']) // 'sun harvest §solar'
 */
export function indexTerms(words: string, topics: readonly string[]): string {
  let terms = words
  for (const word of words.split(' ')) if (stem(word) !== word) terms += ` ${stem(word)}`
  for (const topic of topics) for (const term of topicTerms(topic)) terms += ` ${term}`
  return terms
}
