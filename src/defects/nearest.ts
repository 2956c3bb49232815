const SHOWN = 3
/** Below this share of common letter pairs a name only happens to look alike. */
const LEAST_LIKENESS = 0.25

/**
 * The names that share most letter pairs with what was typed, best first; none where all are far from it.
 *
 * @example nearest('nonce-race-x', ['key-race', 'nonce-race']) // ['nonce-race', 'key-race']
 */
export function nearest(typed: string, names: readonly string[]): string[] {
  const wanted = pairsOf(typed.toLowerCase())
  const scored = names.map((name) => ({ name, score: likeness(wanted, pairsOf(name)) }))
  return scored
    .filter(({ score }) => score >= LEAST_LIKENESS)
    .sort((a, b) => b.score - a.score)
    .slice(0, SHOWN)
    .map(({ name }) => name)
}

function pairsOf(text: string): Set<string> {
  return new Set(Array.from({ length: Math.max(0, text.length - 1) }, (_, i) => text.slice(i, i + 2)))
}

/** Shared pairs against all pairs of both. */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((pair) => b.has(pair)).length
  return shared / Math.max(1, a.size + b.size - shared)
}
