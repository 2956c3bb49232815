import { entriesOf, listedIn, type WordLists, wordLists } from './word-lists.ts'
import { stem, wordsOf } from './words.ts'

export interface Topic {
  readonly slug: string
  /** Words that names are built from. */
  readonly names: readonly string[]
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

/** The index terms of a topic. One of the lexicon is one term; an operator's own is found as a whole and by each of its words. */
export function topicTerms(slug: string): readonly string[] {
  if (topics().bySlug.has(slug)) return [topicTerm(slug)]
  const words = slug.split('-').map((word) => topicTerm(stem(word)))
  return words.length === 1 ? words : [topicTerm(slug), ...words]
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

/** The longest word looked for inside a name. */
const LONGEST_WORD = 18
const SHORTEST_WORD = 3

/**
 * The words a name is made of, with spaces between them: cut at hyphens, dots and digits, and where the lexicon
 * knows words. What it does not know stays together, and is kept as a whole as well.
 *
 * @param label a name without its ending, as people read it.
 * @example wordsOfName('sun-harvestlab24') // 'sun harvest lab 24'
 */
export function wordsOfName(label: string): string {
  const words = wordsOf(label).flatMap((run) => run.match(/\p{N}+|\P{N}+/gu) ?? [])
  const parts = words.flatMap((run) => knownWordsIn(run) ?? [...cut(run).map(({ text }) => text), run])
  return [...new Set(parts)].join(' ')
}

/** The known words that a run of letters consists of, or null where something is left over. */
export function knownWordsIn(run: string): string[] | null {
  const pieces = cut(run)
  return pieces.every(({ known }) => known) ? pieces.map(({ text }) => text) : null
}

interface WordPiece {
  text: string
  known: boolean
}

/** Leaves as few letters over as can be, then makes as few pieces as can be. */
function cut(run: string): WordPiece[] {
  const { known } = lexicon()
  const cost = [0]
  const start = [0]
  for (let end = 1; end <= run.length; end += 1) {
    // A letter left over costs more than any number of words in what is before it.
    cost[end] = (cost[end - 1] as number) + 100
    start[end] = end - 1
    for (let from = Math.max(0, end - LONGEST_WORD); from <= end - SHORTEST_WORD; from += 1) {
      const price = (cost[from] as number) + 1
      if (price < (cost[end] as number) && known.has(run.slice(from, end))) {
        cost[end] = price
        start[end] = from
      }
    }
  }
  return piecesOf(run, start)
}

function piecesOf(run: string, start: readonly number[]): WordPiece[] {
  const pieces: WordPiece[] = []
  for (let end = run.length; end > 0; end = start[end] as number) {
    const from = start[end] as number
    const isWord = end - from >= SHORTEST_WORD
    const next = pieces[0]
    if (!isWord && next && !next.known) next.text = run.slice(from, end) + next.text
    else pieces.unshift({ text: run.slice(from, end), known: isWord })
  }
  return pieces
}
