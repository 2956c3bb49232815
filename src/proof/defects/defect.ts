import type { Rules } from '../../contract/rules.ts'
import type { DefectHooks } from '../../sandbox/app/defect-hooks.ts'
import type { World } from '../../sandbox/kernel/world.ts'

/**
 * A sandbox that is wrong in one named way, as a real server might be: it proves that the checks notice.
 * The mistake is another value of a rule if one expresses it, else a hook.
 */
export interface Defect {
  /** What the broken server does, in a few words. */
  readonly id: string
  /** Requirements of which a correct check must go red. */
  readonly breaks: readonly [string, ...string[]]
  /** One sentence. */
  readonly summary: string
  readonly rules?: (correct: Rules) => Rules
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
  return { rules: (correct) => changed(correct, group, change) }
}

export function changed<Group extends keyof Rules>(rules: Rules, group: Group, change: Partial<Rules[Group]>): Rules {
  return { ...rules, [group]: { ...(rules[group] as object), ...(change as object) } }
}

/** A server with two changes that make one mistake. */
export function both({ hooks: one }: Tampered, { hooks: other }: Tampered): Tampered {
  return { hooks: { ...one, ...other, routes: { ...one?.routes, ...other?.routes } } }
}

/** The first column of the first row that a question to the database of a world yields; undefined if it yields none. */
export function found({ db }: World, sql: string, ...values: readonly unknown[]): unknown {
  return db
    .prepare(sql)
    .pluck()
    .get(...values)
}

/** How many rows of the database of a world a statement has changed. */
export function change({ db }: World, sql: string, ...values: readonly unknown[]): number {
  return db.prepare(sql).run(...values).changes
}

/** Numbers that grow by one, for each world. */
export function counting(): (world: World) => number {
  const counts = perWorld(() => ({ last: 0 }))
  return (world) => ++counts(world).last
}

/**
 * What a broken server keeps of each world, made when it is first asked for: worlds are judged side by side.
 *
 * @example const sold = perWorld(() => new Set<string>()); sold(world).add('a.test')
 */
export function perWorld<Kept>(make: () => Kept): (world: World) => Kept {
  const kept = new WeakMap<World, Kept>()
  return (world) => {
    const known = kept.get(world) ?? make()
    kept.set(world, known)
    return known
  }
}
