import { type Profile, profilesOf, unionOf } from '../../conformance/engine/profile.ts'
import type { RunOptions } from '../../conformance/engine/run-options.ts'
import { selected } from '../../conformance/engine/schedule.ts'
import type { RequirementRegistry } from '../../conformance/format/requirements.ts'
import type { LoadedScenario } from '../../conformance/format/scenario.ts'
import { tagsOf } from '../../conformance/format/step-facts.ts'
import { WHOLE_PROFILE } from '../../conformance/judge/verdict.ts'
import { baseOf } from '../../conformance/result/result.ts'
import { didYouMean, fits, unknownName } from '../../contract/words.ts'
import { flagOf } from '../option-parsers.ts'
import { readScenarios } from '../read-scenarios.ts'
import { CliError } from '../session.ts'

/** Which scenarios a person wants. */
export interface Selection {
  scenarios?: string[]
  /** Ids, or patterns with `*`. */
  only?: string[]
  /** Ids, or patterns with `*`. */
  requirement?: string[]
  tag?: string[]
  profile?: string[]
}

/**
 * All scenarios, and the selection as the runner takes it, once it is sure that this leaves at least one; the run itself narrows
 * them, so that it can name what was left out. A run without checks must not look like a run without failures.
 */
export function loadSelected(
  selection: Selection,
  registry: RequirementRegistry,
  profile: Profile | null = null,
): Pick<RunOptions, 'only'> & { scenarios: LoadedScenario[] } {
  const scenarios = readScenarios(selection.scenarios, registry, '--scenarios')
  refuseUnmatched(
    selection.requirement,
    [...registry.requirements.keys()],
    (id) => `--requirement: no such requirement: "${id}"`,
  )
  refuseUnmatched(
    selection.only,
    scenarios.flatMap(({ id }) => [id, baseOf(id)]),
    (id) => `--only: no scenario is called "${id}"`,
    '; "npx partner-sandbox scenario list" shows them all',
    [...new Set(scenarios.map(({ id }) => `${id.split('/')[0]}/*`)), ...scenarios.map(({ id }) => baseOf(id))],
  )
  if (selection.tag !== undefined) {
    const tags = [...new Set(scenarios.flatMap(tagsOf))].sort()
    const otherwise = `; there are ${tags.join(', ') || 'none'}`
    refuseUnmatched(selection.tag, tags, (tag) => `--tag: no scenario has the tag "${tag}"`, otherwise)
  }
  const filter = filterOf(selection, profile)
  if (selected(filter.only ?? {}, scenarios).length > 0) return { scenarios, ...filter }
  const given = (['profile', 'tag', 'only', 'requirement'] as const).filter((name) => selection[name] !== undefined)
  const narrowed = given.map(flagOf).join(' and ') || 'these files'
  throw new CliError(`no scenario matches ${narrowed}, so no check would run`)
}

/** The selection as the runner takes it. */
export function filterOf(
  { only, requirement, tag }: Selection,
  profile: Profile | null = null,
): Pick<RunOptions, 'only'> {
  const filter: NonNullable<RunOptions['only']> = {
    ...(only && { scenarios: only }),
    ...(requirement && { requirements: requirement }),
    ...(tag && { tags: tag }),
    ...(profile && profile.name !== WHOLE_PROFILE && { profile: profile.requirements, orders: profile.orders }),
  }
  return Object.keys(filter).length === 0 ? {} : { only: filter }
}

/**
 * A word or pattern of a flag without a match is a mistake.
 *
 * @param sentence begins the message about such a word.
 * @param otherwise ends it if no word comes near.
 * @param near what may have been meant; the known words if absent.
 */
export function refuseUnmatched(
  patterns: readonly string[] | undefined,
  known: readonly string[],
  sentence: (pattern: string) => string,
  otherwise = '',
  near = known,
): void {
  const lost = patterns?.find((pattern) => !known.some((word) => fits(pattern, word)))
  if (lost !== undefined) throw new CliError(`${sentence(lost)}${didYouMean(lost, near) || otherwise}`)
}

/** What the verdict is about: the rows of every profile that was named, taken together. */
export function wantedProfile(names: readonly string[], registry: RequirementRegistry): Profile {
  const profiles = profilesOf(registry)
  const all = profiles.map(({ name }) => name)
  const unknown = names.find((name) => !all.includes(name))
  if (unknown !== undefined) throw new CliError(`--profile: ${unknownName('profile', unknown, all)}`)
  const named = profiles.filter(({ name }) => names.includes(name))
  return unionOf(named, registry)
}
