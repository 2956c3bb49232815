import { topics } from './lexicon.ts'
import { stem, wordsOf } from './words.ts'

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
