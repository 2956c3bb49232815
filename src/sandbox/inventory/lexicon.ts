import { entriesOf, type WordLists, wordLists, wordsIn } from './word-lists.ts'
import { stem, wordsOf } from './words.ts'

/** A topic of the lexicon. */
export interface Topic {
  readonly slug: string
  /** Words that names are built from. */
  readonly names: readonly string[]
  /** Topics that go with it. */
  readonly near: readonly string[]
}

/** How surely a word means a topic: 1 where it is a word for it, less where names about it merely use it. */
export interface Meaning {
  readonly topic: string
  readonly weight: number
}

/** What names and listings are drawn from. */
export interface Topics {
  readonly all: readonly Topic[]
  readonly bySlug: ReadonlyMap<string, Topic>
}

/** What the words of fixtures/inventory.yaml mean. */
export interface Lexicon {
  /** From the stems of a word or of two words, joined by a space, to what they mean; surest first. */
  readonly meanings: ReadonlyMap<string, readonly Meaning[]>
  /** Every single word there is, for cutting names into words. */
  readonly known: ReadonlySet<string>
}

const WEIGHTS = { word: 1, name: 0.7 } as const

let topicsRead: Topics | undefined
let lexiconBuilt: Lexicon | undefined

/** The topics, read once a process. */
export function topics(): Topics {
  topicsRead ??= readTopics(wordLists())
  return topicsRead
}

function readTopics(lists: WordLists): Topics {
  const all = entriesOf(lists['topics']).map(([slug, entry]) => {
    const { names, near } = entry as WordLists
    return { slug, names: wordsIn(names), near: wordsIn(near) }
  })
  return { all, bySlug: new Map(all.map((topic) => [topic.slug, topic])) }
}

/** The lexicon, built once a process, and not before a search needs it. */
export function lexicon(): Lexicon {
  lexiconBuilt ??= buildLexicon(wordLists())
  return lexiconBuilt
}

function buildLexicon(lists: WordLists): Lexicon {
  const meanings = new Map<string, Meaning[]>()
  const known = new Set<string>()
  for (const [slug, entry] of entriesOf(lists['topics'])) {
    const { names, words } = entry as WordLists
    learn(meanings, known, slug, [slug, ...wordsIn(words)], WEIGHTS.word)
    learn(meanings, known, slug, wordsIn(names), WEIGHTS.name)
  }
  for (const [, list] of entriesOf(lists['parts'])) for (const part of wordsIn(list)) known.add(part)
  for (const [word, topic] of entriesOf(lists['idn'])) learn(meanings, known, topic as string, [word], WEIGHTS.word)
  for (const found of meanings.values()) found.sort((a, b) => b.weight - a.weight)
  return { meanings, known }
}

function learn(
  meanings: Map<string, Meaning[]>,
  known: Set<string>,
  topic: string,
  phrases: string[],
  weight: number,
): void {
  for (const phrase of phrases) {
    const words = wordsOf(phrase)
    for (const word of words) known.add(word)
    const key = words.map(stem).join(' ')
    const found = meanings.get(key)
    if (!found) meanings.set(key, [{ topic, weight }])
    else if (!found.some((meaning) => meaning.topic === topic)) found.push({ topic, weight })
  }
}
