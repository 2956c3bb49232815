import { sharedEnd, sharedStart } from '../../contract/words.ts'

/** Shorter parts are seldom words. */
const SHORTEST_PART = 3

/**
 * Words in names that are written together: what two of them begin or end with, and what is left of each then.
 *
 * @example namePartsOf('sunwatt', ['sundial']) // ['sun', 'watt', 'dial']
 */
export function namePartsOf(label: string, others: Iterable<string>): string[] {
  const parts = new Set<string>()
  for (const other of others) {
    const [start, end] = [sharedStart(label, other), sharedEnd(label, other)]
    if (start >= SHORTEST_PART) addAll(parts, label.slice(0, start), label.slice(start), other.slice(start))
    else if (end >= SHORTEST_PART) addAll(parts, label.slice(-end), label.slice(0, -end), other.slice(0, -end))
  }
  return [...parts]
}

function addAll(parts: Set<string>, ...words: readonly string[]): void {
  for (const word of words) if (word.length >= SHORTEST_PART) parts.add(word)
}

/**
 * A queue of words, of which those that hold, or are held by, a word that was taken come last: they find much the same.
 *
 * @example const words = createWordQueue(['green']); words.add(['bakery']); words.take() // 'green'
 */
interface WordQueue {
  add(words: readonly string[]): void
  /** The next word, each one once; null if there is none left. */
  take(): string | null
}

/** @param last what is taken once nothing else is left. */
export function createWordQueue(first: readonly string[], last: readonly string[] = []): WordQueue {
  const waiting = new Set(first)
  const reserve = new Set(last)
  const taken = new Set<string>()
  return {
    add(words) {
      for (const word of words) if (!taken.has(word)) waiting.add(word)
    },
    take() {
      const isNews = (word: string) => ![...taken].some((one) => one.includes(word) || word.includes(one))
      const next = [...waiting].find(isNews) ?? [...waiting][0] ?? [...reserve].find(isNews) ?? null
      if (next !== null) {
        waiting.delete(next)
        reserve.delete(next)
        taken.add(next)
      }
      return next
    },
  }
}
