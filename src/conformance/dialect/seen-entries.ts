import type { RoleName } from '../format/roles.ts'

/**
 * Entries of lists that have shown nothing new since anything was learned of their operation: looking at one of them again would
 * show nothing either. A run reads the same rows again and again.
 */
export interface SeenEntries {
  has(roles: readonly RoleName[], entry: unknown): boolean
  add(roles: readonly RoleName[], entry: unknown): void
  /** Something was learned, in whose light each may be read otherwise. */
  clear(): void
}

/** A hostile target may list any number of them, of any length. */
const MOST_ENTRIES = 2_000
const LONGEST_ENTRY = 2_000

export function createSeenEntries(): SeenEntries {
  const texts = new Map<readonly RoleName[], Set<string>>()
  return {
    has: (roles, entry) => (texts.get(roles)?.size ?? 0) > 0 && texts.get(roles)?.has(JSON.stringify(entry)) === true,
    add(roles, entry) {
      const known = texts.get(roles) ?? new Set()
      texts.set(roles, known)
      const text = JSON.stringify(entry)
      if (known.size < MOST_ENTRIES && text.length <= LONGEST_ENTRY) known.add(text)
    },
    clear: () => texts.clear(),
  }
}
