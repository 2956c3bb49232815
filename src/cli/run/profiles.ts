import { loadProfiles, type Profile, unionOf } from '../../conformance/profile.ts'
import type { RequirementRegistry } from '../../conformance/requirements.ts'
import type { RunProfile } from '../../conformance/result.ts'
import { didYouMean } from '../../contract/words.ts'
import { CliError } from '../operator/session.ts'
import { problemLines } from '../output/problem-lines.ts'
import { PROFILES_FILE } from '../package-files.ts'

/** The profiles of this package. A problem in them is a fault of ours, not of whoever calls. */
export function readProfiles(registry: RequirementRegistry): Profile[] {
  const { profiles, problems } = loadProfiles(PROFILES_FILE, registry)
  if (problems.length > 0) throw new Error(problemLines(problems).trim())
  return profiles
}

/**
 * What the verdict is about: the rows of every profile that was named, taken together.
 *
 * @throws CliError for a name that is none.
 */
export function wantedProfile(names: readonly string[] | undefined, registry: RequirementRegistry): RunProfile | null {
  if (names === undefined) return null
  const profiles = readProfiles(registry)
  const all = profiles.map(({ name }) => name)
  const unknown = names.find((name) => !all.includes(name))
  if (unknown !== undefined)
    throw new CliError(
      `--profile: there is no profile "${unknown}"${didYouMean(unknown, all) || `; there are ${all.join(', ')}`}`,
    )
  return unionOf(
    profiles.filter(({ name }) => names.includes(name)),
    registry,
  )
}
