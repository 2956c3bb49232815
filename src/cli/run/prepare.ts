import { profileOfAll } from '../../conformance/profile.ts'
import { readRegistry } from '../read-registry.ts'
import { readBaseline } from './baseline.ts'
import type { Prepared } from './judge.ts'
import type { ConformOptions } from './options.ts'
import { readEarlierPart } from './resume.ts'
import { filterOf, loadSelected, wantedProfile } from './selection.ts'

/** Everything that is read is read before the first request, so that a mistake costs none. */
export function prepare(options: ConformOptions): Prepared {
  const registry = readRegistry()
  const profile = wantedProfile(options.profile, registry)
  const scenarios = loadSelected(options, registry, profile)
  return {
    ...{ registry, scenarios, ...filterOf(options, profile) },
    profile: profile ?? profileOfAll(registry),
    baseline: readBaseline(options.baseline, scenarios),
    earlier: readEarlierPart(options.resume),
  }
}
