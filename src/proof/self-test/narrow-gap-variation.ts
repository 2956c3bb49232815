import type { GapChoices } from '../../contract/gaps.ts'

type Choices = Partial<GapChoices>

/**
 * The fewest choices that still cause the effect: one if one is enough. Of several causes it finds one.
 *
 * @param happens asked for parts of the choices; true for the whole.
 * @example await narrowed({ a: 1, b: 2, c: 3 }, async (part) => 'b' in part) // { b: 2 }
 */
export async function narrowed(choices: Choices, happens: (part: Choices) => Promise<boolean>): Promise<Choices> {
  let left: Entry[] = Object.entries(choices)
  for (let parts = 2; left.length > 1; ) {
    const smaller = await firstThatHappens(candidates(left, parts), happens)
    if (smaller) {
      left = smaller
      parts = 2
    } else if (parts >= left.length) break
    else parts = Math.min(left.length, parts * 2)
  }
  return Object.fromEntries(left)
}

type Entry = [id: string, value: unknown]

/** Each part alone, and then all but each part. */
function candidates(entries: readonly Entry[], parts: number): Entry[][] {
  const size = Math.ceil(entries.length / parts)
  const starts = Array.from({ length: Math.ceil(entries.length / size) }, (_, n) => n * size)
  const alone = starts.map((start) => entries.slice(start, start + size))
  const without = starts.map((start) => [...entries.slice(0, start), ...entries.slice(start + size)])
  return [...alone, ...(parts > 2 ? without : [])]
}

async function firstThatHappens(
  found: readonly Entry[][],
  happens: (part: Choices) => Promise<boolean>,
): Promise<Entry[] | null> {
  for (const entries of found) if (await happens(Object.fromEntries(entries))) return entries
  return null
}
