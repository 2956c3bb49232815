import type { Rules } from '../../contract/rules.ts'
import type { DefectHooks } from '../../sandbox/app/defect-hooks.ts'

/**
 * A sandbox that is wrong in one named way, as a real server might be: proof that the checks which should notice do.
 * A change of the rules where they can express it, hooks where they cannot.
 */
export interface Defect {
  /** What the broken server does, in a few words. */
  readonly id: string
  /** Requirements of which a sound check must go red. */
  readonly breaks: readonly [string, ...string[]]
  /** One sentence. */
  readonly summary: string
  readonly rules?: (sound: Rules) => Rules
  readonly hooks?: DefectHooks
}

/** A group of the rules with some members changed. */
export function changing<Group extends keyof Rules>(
  group: Group,
  change: Partial<Rules[Group]>,
): Pick<Defect, 'rules'> {
  return { rules: (sound) => ({ ...sound, [group]: { ...(sound[group] as object), ...(change as object) } }) }
}
