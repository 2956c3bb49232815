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

/**
 * Pairs of a first and a second word of names, for one search each. Pairs that are not a known name come first. A word alone finds only
 * the best few of the names that have it. A name is split where most other names begin and end alike.
 *
 * @example wordPairs(['sun-watt', 'sun-boat', 'moon-watt', 'moon-boat', 'star-watt', 'star-dial', 'sun-dial'])[0] // 'moon dial'
 */
export function wordPairs(labels: readonly string[]): string[] {
  const names = new Set(labels.map((label) => label.replaceAll('-', '')))
  const [starts, ends] = [new Map<string, number>(), new Map<string, number>()]
  const splits = [...names].map((name) =>
    Array.from({ length: Math.max(0, name.length - 2 * SHORTEST_PART + 1) }, (_, n) => {
      const at = n + SHORTEST_PART
      return { start: name.slice(0, at), end: name.slice(at) }
    }),
  )
  for (const { start, end } of splits.flat()) {
    starts.set(start, (starts.get(start) ?? 0) + 1)
    ends.set(end, (ends.get(end) ?? 0) + 1)
  }
  const [first, second] = [new Set<string>(), new Set<string>()]
  for (const ofName of splits) {
    const alike = ofName.map(({ start, end }) => (starts.get(start) ?? 0) * (ends.get(end) ?? 0))
    const most = Math.max(...alike)
    const best = ofName[alike.indexOf(most)]
    if (!best || most < 4) continue
    first.add(best.start)
    second.add(best.end)
  }
  const pairs = [...first].flatMap((start) =>
    [...second].map((end) => ({ start, end, isName: names.has(start + end) })),
  )
  return pairs.sort((a, b) => Number(a.isName) - Number(b.isName)).map(({ start, end }) => `${start} ${end}`)
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
