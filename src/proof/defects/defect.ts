import type { Rules } from '../../contract/rules.ts'
import type { DefectHooks } from '../../sandbox/app/defect-hooks.ts'

/**
 * A sandbox that is wrong in one named way, as a real server might be: it proves that the checks notice.
 * The mistake is another value of a rule if one expresses it, else a hook.
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

/** The changes of a defect: rules and hooks. */
export type Ruled = Pick<Defect, 'rules'>
export type Tampered = Pick<Defect, 'hooks'>

export function defect(id: string, breaks: Defect['breaks'], mistake: Omit<Defect, 'id' | 'breaks'>): Defect {
  return { id, breaks, ...mistake }
}

/** A server with another rule or two in a group. */
export function changing<Group extends keyof Rules>(group: Group, change: Partial<Rules[Group]>): Ruled {
  return { rules: (sound) => changed(sound, group, change) }
}

export function changed<Group extends keyof Rules>(rules: Rules, group: Group, change: Partial<Rules[Group]>): Rules {
  return { ...rules, [group]: { ...(rules[group] as object), ...(change as object) } }
}
