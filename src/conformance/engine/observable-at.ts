import type { RequirementRegistry } from '../format/requirements.ts'
import type { RunProfile } from '../result/result.ts'
import { isElsewhere } from '../target/target.ts'
import { profileOfAll } from './profile.ts'
import type { RunOptions } from './run-options.ts'

const WHY =
  'The target file has keys of one environment; what a key of another one is answered cannot be seen with them.'

/** What a run can see of the requirements, and what its verdict is about: keys of one environment show nothing of others. */
export function observableAt({ target, registry, profile }: RunOptions): {
  registry: RequirementRegistry
  profile: RunProfile
} {
  const sees = target.credentials.some((credential) => isElsewhere(target, credential))
  const unobservable = new Map([...registry.unobservable, ...(sees ? [] : [['CRED-02', WHY] as const])])
  const seen = { ...registry, unobservable }
  const { name, requirements } = profile ?? profileOfAll(seen)
  return { registry: seen, profile: { name, requirements: requirements.filter((id) => !unobservable.has(id)) } }
}
