import { topicTerms } from './topics.ts'
import { stem } from './words.ts'

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
