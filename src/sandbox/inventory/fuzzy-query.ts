import { lexicon } from './lexicon.ts'
import { knownWordsIn } from './name-words.ts'
import { type QueryWord, topicsMeantBy } from './query.ts'
import { editDistance, stem } from './words.ts'

/** How much less a word counts that only resembles what was asked for. */
const RESEMBLANCE = { beginning: 0.8, part: 0.6, misspelling: 0.7, compound: 0.6 } as const
const MOST_ALTERNATIVES = 8
const SHORTEST_PART = 3

/**
 * What a word that nothing answers to may have been meant as: the beginning or a part of a known word, a known word
 * misspelled, or known words written together.
 *
 * @example loosened(word('sollar')).names // Map { 'sollar' => 1, 'solar' => 0.7 }
 */
export function loosened(word: QueryWord): QueryWord {
  const names = new Map(word.names)
  const topics = new Map(word.topics)
  for (const [known, factor] of alternativesTo(word.text)) {
    raise(names, stem(known), factor)
    for (const [topic, weight] of topicsMeantBy(known)) raise(topics, topic, weight * factor)
  }
  return { text: word.text, names, topics, isBeginning: word.text.length >= SHORTEST_PART }
}

function raise(factors: Map<string, number>, term: string, factor: number): void {
  factors.set(term, Math.max(factor, factors.get(term) ?? 0))
}

function alternativesTo(text: string): [string, number][] {
  const found = [...containing(text), ...spelledLike(text)]
  found.sort(([a, x], [b, y]) => y - x || a.length - b.length || (a < b ? -1 : 1))
  if (found.length > 0) return found.slice(0, MOST_ALTERNATIVES)
  return (knownWordsIn(text) ?? []).map((part) => [part, RESEMBLANCE.compound])
}

/** Known words by their first letter, and all of them in one text, in which looking for a part is quick. */
interface WordFinder {
  readonly byLetter: ReadonlyMap<string, readonly string[]>
  readonly all: string
}

let finderBuilt: WordFinder | undefined

function finder(): WordFinder {
  finderBuilt ??= buildFinder()
  return finderBuilt
}

function buildFinder(): WordFinder {
  const byLetter = new Map<string, string[]>()
  for (const word of lexicon().known) {
    const letter = word[0] as string
    const words = byLetter.get(letter)
    if (words) words.push(word)
    else byLetter.set(letter, [word])
  }
  return { byLetter, all: `\n${[...lexicon().known].join('\n')}\n` }
}

/** Longer known words that begin with a text or have it in them. */
function containing(text: string): [string, number][] {
  if (text.length < SHORTEST_PART) return []
  const { all } = finder()
  const found: [string, number][] = []
  for (let at = all.indexOf(text); at >= 0; at = all.indexOf(text, at + 1)) {
    const start = all.lastIndexOf('\n', at) + 1
    const end = all.indexOf('\n', at)
    if (end - start > text.length)
      found.push([all.slice(start, end), start === at ? RESEMBLANCE.beginning : RESEMBLANCE.part])
  }
  return found
}

function spelledLike(text: string): [string, number][] {
  const words = finder().byLetter.get(text[0] as string) ?? []
  return words.filter((known) => isMisspelt(text, known)).map((known) => [known, RESEMBLANCE.misspelling])
}

/** One slip in a word of four letters and more, two in one of eight and more; the first letter is right. */
export function isMisspelt(text: string, known: string): boolean {
  if (text.length < 4 || text[0] !== known[0]) return false
  const slips = text.length < 8 ? 1 : 2
  return Math.abs(text.length - known.length) <= slips && editDistance(text, known, slips) <= slips
}
