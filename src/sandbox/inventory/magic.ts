import { LISTED_SUFFIX } from '../kernel/domain-name.ts'

/**
 * The names that behave by their name (product.md 4). Each has an endless numbered supply. What each does is said in
 * fixtures/inventory.yaml; the features that do it ask {@link magicKind}.
 */
export const MAGIC_KINDS = [
  'held',
  'price-moves',
  'quote-expired',
  'taken',
  'sold',
  'stalls',
  'fails',
  'refund-race',
  'live-site',
  'in-a-case',
  'deal-closes',
  'slow',
  'rate-limited',
  'error',
  'lost-reply',
] as const

export type MagicKind = (typeof MAGIC_KINDS)[number]

const LARGEST_NUMBER = 1_000_000_000
const KINDS: ReadonlySet<string> = new Set(MAGIC_KINDS)
const NUMBERED = /^([a-z-]+)-([1-9][0-9]{0,9})$/

/**
 * What a name stands for: `kind-N.test` with N from 1 to 1,000,000,000 and no leading zero.
 *
 * @param domain a normalised name.
 * @returns null for an ordinary name.
 * @example magicKind('held-17.test') // 'held'
 */
export function magicKind(domain: string): MagicKind | null {
  if (!domain.includes('-') || !domain.endsWith(LISTED_SUFFIX)) return null
  const [, kind = '', number] = NUMBERED.exec(domain.slice(0, -LISTED_SUFFIX.length)) ?? []
  return KINDS.has(kind) && Number(number) <= LARGEST_NUMBER ? (kind as MagicKind) : null
}
