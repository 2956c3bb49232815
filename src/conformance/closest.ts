/**
 * The candidate a person most likely meant, or null where none is near.
 *
 * @example closestTo('expct', ['expect', 'observe']) // 'expect'
 */
export function closestTo(word: string, candidates: Iterable<string>): string | null {
  let best: string | null = null
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (distance >= bestDistance) continue
    best = candidate
    bestDistance = distance
  }
  return best
}

/** The tail of a message about an unknown word: `; did you mean "expect"?` or nothing. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const near = closestTo(word, candidates)
  return near === null ? '' : `; did you mean "${near}"?`
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    for (let j = 1; j <= b.length; j++) {
      const substituted = at(previous, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      current.push(Math.min(substituted, at(previous, j) + 1, at(current, j - 1) + 1))
    }
    previous = current
  }
  return at(previous, b.length)
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.MAX_SAFE_INTEGER
}
