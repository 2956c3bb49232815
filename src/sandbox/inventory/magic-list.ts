import { LISTED_SUFFIX } from '../kernel/domain-name.ts'
import { entriesOf, type WordLists, wordLists } from './word-lists.ts'

/** Something that behaves by its name, as people are told of it. */
export interface MagicEntry {
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
  return entriesOf(wordLists()['magic']).map(([kind, facts]) => ({
    pattern: `${kind}-N${LISTED_SUFFIX}`,
    example: `${kind}-1${LISTED_SUFFIX}`,
    ...toldOf(facts),
  }))
}

/** The tags in an e-mail address by which a buyer on the hosted page behaves. */
export function magicBuyers(): MagicEntry[] {
  return entriesOf(wordLists()['buyers']).map(([tag, facts]) => ({
    pattern: `+${tag}`,
    example: `buyer+${tag}@example${LISTED_SUFFIX}`,
    ...toldOf(facts),
  }))
}

function toldOf(facts: string | WordLists): Pick<MagicEntry, 'does' | 'acts' | 'on'> {
  const { does, acts, on } = facts as { does: string; acts: 'once' | 'always'; on: string }
  return { does, acts, on }
}
