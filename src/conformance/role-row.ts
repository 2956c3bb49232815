/**
 * Roles are what scenarios speak of instead of places in an answer, because the document shows few places. Each role
 * lists the key names a sensible service might use, best first; a target file can name the place itself.
 */
export interface RoleRow {
  readonly kind: 'text' | 'money' | 'number' | 'flag' | 'list' | 'object' | 'time' | 'any'
  /** Key names, compared without regard to case, `_` and `-`. */
  readonly names: readonly string[]
  /** Nouns that an answer may wrap it in, beside `data`, `result` and the like. */
  readonly of: readonly string[]
  /** The document names this key: its absence from an accepted answer is the target's fault, not a gap. */
  readonly documented?: true
  /** Lists: what an item must have, where that tells the list from others. */
  readonly itemHas?: string
}

/** Writes a row down. */
export function role(
  kind: RoleRow['kind'],
  of: readonly string[],
  names: readonly string[],
  documented?: true,
): RoleRow {
  return { kind, of, names, ...(documented ? { documented } : {}) }
}
