import { lexicon } from './lexicon.ts'
import { wordsOf } from './words.ts'

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
  return [...new Set(words.flatMap(splitRun))].join(' ')
}

function splitRun(run: string): string[] {
  return knownWordsIn(run) ?? [...cut(run).map(({ text }) => text), run]
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
