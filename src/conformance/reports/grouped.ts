/** The items by what they have in common, in the order of the first of each. */
export function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group) group.push(item)
    else groups.set(keyOf(item), [item])
  }
  return groups
}

const LINE_CHARACTERS = 96

/** Words with commas between, in lines of about the same length. */
export function inLines(words: readonly string[]): string[] {
  const lines: string[] = []
  for (const word of words.map((one, at) => (at < words.length - 1 ? `${one},` : one))) {
    const last = lines.at(-1)
    if (last === undefined || last.length + word.length >= LINE_CHARACTERS) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}

/** @example firstFew(['a', 'b', 'c'], 2) // ['a', 'b', 'and 1 more'] */
export function firstFew(words: readonly string[], most: number): string[] {
  return words.length <= most ? [...words] : [...words.slice(0, most), `and ${words.length - most} more`]
}
