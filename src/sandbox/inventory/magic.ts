import { LISTED_SUFFIX } from '../kernel/domain-name.ts'
import type { World } from '../kernel/world.ts'
import { entriesOf, type WordLists, wordLists } from './word-lists.ts'

/**
 * The names that behave by their name. Each has an endless numbered supply. What each does is said in
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
 * @returns null for an ordinary name.
 */
export function magicKind(domain: string): MagicKind | null {
  if (!domain.includes('-') || !domain.endsWith(LISTED_SUFFIX)) return null
  const [, kind = '', number] = NUMBERED.exec(domain.slice(0, -LISTED_SUFFIX.length)) ?? []
  return KINDS.has(kind) && Number(number) <= LARGEST_NUMBER ? (kind as MagicKind) : null
}

/** Whether a name is of a kind whose act is still to come: most magic names act once. */
export function willAct(world: World, domain: string, kind: MagicKind): boolean {
  return magicKind(domain) === kind && actedAtMs(world, domain, kind) === null
}

/** Remembers that a name has acted, in the transaction of the act. */
export function noteAct(world: World, domain: string, kind: MagicKind): void {
  const sql = 'INSERT INTO magic_acts (domain, act, at) VALUES (?, ?, ?)'
  world.db.statement(sql).run(domain, kind, world.clock.nowMs())
}

/** When a name has acted, by the world's clock; null if it has not. */
export function actedAtMs(world: World, domain: string, kind: MagicKind): number | null {
  const sql = 'SELECT at FROM magic_acts WHERE domain = ? AND act = ?'
  return world.db.statement<number>(sql).pluck().get(domain, kind) ?? null
}

/** Whether a name acts now; from then on it does not any more. */
export function actOnce(world: World, domain: string, kind: MagicKind): boolean {
  if (!willAct(world, domain, kind)) return false
  noteAct(world, domain, kind)
  return true
}

/** Something that behaves by its name, as it is shown to people. */
interface MagicEntry {
  /** Where N stands for a number: `held-N.test`. */
  readonly pattern: string
  readonly example: string
  /** One sentence. */
  readonly does: string
  readonly acts: 'once' | 'always'
  /** What has to happen to it. */
  readonly on: string
}

/** The magic domains, in the order of fixtures/inventory.yaml. */
export function magicDomains(): MagicEntry[] {
  return entriesNamed('magic', (kind) => ({
    pattern: `${kind}-N${LISTED_SUFFIX}`,
    example: `${kind}-1${LISTED_SUFFIX}`,
  }))
}

/** The tags in an e-mail address by which a buyer on the hosted page behaves. */
export function magicBuyers(): MagicEntry[] {
  return entriesNamed('buyers', (tag) => ({ pattern: `+${tag}`, example: `buyer+${tag}@example${LISTED_SUFFIX}` }))
}

function entriesNamed(list: string, formsOf: (name: string) => Pick<MagicEntry, 'pattern' | 'example'>): MagicEntry[] {
  return entriesOf(wordLists()[list]).map(([name, facts]) => {
    const { does, acts, on } = facts as Pick<MagicEntry, 'does' | 'acts' | 'on'> & WordLists
    return { ...formsOf(name), does, acts, on }
  })
}
