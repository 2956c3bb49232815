import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { fits } from '../../contract/words.ts'
import { PROFILES_FILE } from '../../package-files.ts'
import type { RequirementRegistry } from '../format/requirements.ts'
import { WHOLE_PROFILE } from '../judge/verdict.ts'
import type { RunResult } from '../result/result.ts'
import { isElsewhere } from '../target/target.ts'
import type { RunOptions } from './run-options.ts'

/** What a run's verdict is about, and what it does not do for it. */
export type Profile = RunResult['profile'] & {
  /** Scenarios that take an order are left out. */
  orders?: 'none'
}

/** Every `must` row that a caller can observe: what a run's verdict is about if no profile narrows it. */
export function profileOfAll(registry: RequirementRegistry): RunResult['profile'] {
  const rows = [...registry.requirements.values()]
  const counted = rows.filter(({ id, level }) => level === 'must' && !registry.unobservable.has(id))
  return { name: WHOLE_PROFILE, requirements: counted.map(({ id }) => id) }
}

const WHY =
  'The target file has keys of one environment only, so the run cannot see how a key of another one is answered.'

/** What a run can see of the requirements, and what its verdict is about: keys of one environment show nothing of others. */
export function observableAt({ target, registry, profile }: RunOptions): {
  registry: RequirementRegistry
  profile: RunResult['profile']
} {
  const sees = target.credentials.some((credential) => isElsewhere(target, credential))
  const unobservable = new Map([...registry.unobservable, ...(sees ? [] : [['CRED-02', WHY] as const])])
  const seen = { ...registry, unobservable }
  const { name, requirements } = profile ?? profileOfAll(seen)
  return { registry: seen, profile: { name, requirements: requirements.filter((id) => !unobservable.has(id)) } }
}

/** One profile that is about the rows of all of these, in the order of the registry. */
export function unionOf(profiles: readonly Profile[], registry: RequirementRegistry): Profile {
  if (profiles.some(({ name }) => name === WHOLE_PROFILE)) return profileOfAll(registry)
  const wanted = new Set(profiles.flatMap(({ requirements }) => requirements))
  return {
    name: [...new Set(profiles.map(({ name }) => name))].join('+'),
    requirements: profileOfAll(registry).requirements.filter((id) => wanted.has(id)),
    ...(profiles.every(({ orders }) => orders === 'none') && { orders: 'none' as const }),
  }
}

/** A row of fixtures/profiles.yaml; of its patterns each stands for a requirement, which a test shows. */
type ProfileRow = Pick<Profile, 'requirements' | 'orders'>

/**
 * The profiles of this package, `all` first.
 *
 * @example profilesOf(registry).map(({ name }) => name)
 */
export function profilesOf(registry: RequirementRegistry): Profile[] {
  const all = profileOfAll(registry)
  const rows: Record<string, ProfileRow> = parse(readFileSync(PROFILES_FILE, 'utf8'))
  const named = Object.entries(rows).map(([name, { requirements: patterns, orders }]) => ({
    name,
    requirements: all.requirements.filter((id) => patterns.some((pattern) => fits(pattern, id))),
    ...(orders && { orders }),
  }))
  return [all, ...named]
}
