import { wordsIn } from '../../contract/words.ts'
import { createWordQueue, namePartsOf, wordPairs } from './name-parts.ts'

/** Words that domain names are made of; what is found supplies more. */
export const FIRST_WORDS = wordsIn(`
  solar cloud shop green home data travel food app pay tech health sport music garden city bike coffee studio
  market
`)

/** Asked for where the names that were found lead no further. */
const MORE_WORDS = wordsIn(`
  blue silver golden bright quick smart fresh happy north river stone ocean forest summit harbor island valley
  bridge light wild pure prime royal simple modern urban rapid lucky quiet gentle noble clever eager fancy calm
  tiger eagle falcon horse fish bird bear wolf apple lemon berry orchard bread wine kitchen dental clinic
  medical pharmacy beauty fashion jewel wedding baby school learn coach book photo video film game puzzle toy
  rocket space energy power water timber metal build house villa hotel beach sail ship boat car auto drive
  truck cargo parcel mail post bank fund credit invest ledger tax law legal insurance rent job work team social
  media news blog chat code cyber robot digital web net host secure lock key gift craft paint canvas design
  print mirror lamp lantern pillow sleep yoga fitness run golf ski camp hike farm plant flower wood anchor
  barrel velvet amber cedar ivory opal
`)

/** After this many searches that found nothing new, the rest of the words, or of their pairs, is left. */
const MAX_VAIN_QUERIES = 300

/** So it is after this many of them in a row. */
const MAX_VAIN_IN_A_ROW = 40

/**
 * What to search for next, to find as many domains as can be: words, then pairs of words in the names that were found, then the
 * words in names that only pairs have found, and so on while there is anything new.
 */
interface SearchPlan {
  /** Null if there is nothing left that was not asked for. */
  next(): string | null
  /** Learns from what a search for the word found. @returns the domains that no search before has found. */
  newAmong(word: string, domains: readonly string[]): string[]
  /** Plans the words again that found most: behind those of the others there is nothing more. @returns whether there are any. */
  startAgain(): boolean
}

/** @param runId two runs in a row begin with other words: what one has reserved, the next cannot see. */
export function createSearchPlan(runId: string): SearchPlan {
  const words = createWordQueue(rotated(FIRST_WORDS, runId), rotated(MORE_WORDS, runId))
  const seen = new Set<string>()
  const asked = new Set<string>()
  /** How many domains each word found. */
  const sizes = new Map<string, number>()
  let pairs: string[] | null = null
  let again: string[] = []
  let [seenBefore, vain, vainInARow] = [0, 0, 0]
  return {
    next() {
      const isInVain = vain >= MAX_VAIN_QUERIES || vainInARow >= MAX_VAIN_IN_A_ROW
      const word = isInVain ? null : ((pairs ? pairs.shift() : words.take()) ?? null)
      if (word !== null) return word
      if (seen.size === seenBefore) return again.shift() ?? null
      pairs = pairs ? null : wordPairs([...seen].map(labelOf)).filter((pair) => !asked.has(pair))
      seenBefore = seen.size
      vain = 0
      vainInARow = 0
      return this.next()
    },
    newAmong(word, domains) {
      if (!pairs || sizes.has(word)) sizes.set(word, domains.length)
      asked.add(word)
      const found = [...new Set(domains)].filter((domain) => !seen.has(domain))
      vainInARow = found.length > 0 ? 0 : vainInARow + 1
      if (found.length === 0) vain += 1
      for (const domain of found) {
        const parts = namePartsOf(labelOf(domain), [...seen].map(labelOf))
        seen.add(domain)
        words.add((parts.length > 0 ? parts : labelOf(domain).split(/[-\d]+/)).filter((part) => part.length > 2))
      }
      return found
    },
    startAgain() {
      const most = Math.max(1, ...sizes.values())
      again = vain >= MAX_VAIN_QUERIES ? [] : [...sizes].flatMap(([word, size]) => (size === most ? [word] : []))
      return again.length > 0
    },
  }
}

function rotated(words: readonly string[], runId: string): string[] {
  const from = Number.parseInt(runId.slice(0, 6), 16) % words.length
  return [...words.slice(from), ...words.slice(0, from)]
}

/** @example labelOf('a.test') // 'a' */
export function labelOf(domain: string): string {
  return domain.split('.')[0] ?? domain
}
