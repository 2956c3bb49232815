import { fits } from '../../contract/words.ts'
import { effectsOf, tagsOf } from '../format/derived.ts'
import type { LoadedScenario } from '../format/scenario.ts'
import { outlineOf } from '../format/step-facts.ts'
import { byId, type Outline } from '../result/result.ts'

/** Which scenarios run. Each list that is given narrows; an empty list selects nothing. */
export interface RunFilter {
  /** Ids, or patterns with `*`. */
  scenarios?: readonly string[]
  /** Ids, or patterns with `*`: what shows at least one of them. */
  requirements?: readonly string[]
  tags?: readonly string[]
  /** Ids of the rows of a profile: what shows at least one of them. */
  profile?: readonly string[]
}

/**
 * Whether a scenario passes a filter.
 *
 * @example selects({ scenarios: ['auth/*'] }, loaded)
 */
export function selects(filter: RunFilter | undefined, loaded: LoadedScenario): boolean {
  return passes(filter, outlineOf(loaded), tagsOf(loaded))
}

/** The same for a scenario without a file. */
export function passes(
  filter: RunFilter | undefined,
  { id, checks }: Pick<Outline, 'id' | 'checks'>,
  ownTags: readonly string[] = [],
): boolean {
  if (!filter) return true
  const { scenarios, requirements, tags, profile } = filter
  const shown = new Set(checks.map(({ requirement }) => requirement))
  return (
    (scenarios === undefined || scenarios.some((pattern) => fits(pattern, id))) &&
    (requirements === undefined || requirements.some((pattern) => fitsAny(pattern, shown))) &&
    (profile === undefined || profile.some((requirement) => shown.has(requirement))) &&
    (tags === undefined || tags.some((tag) => ownTags.includes(tag)))
  )
}

export function selected(filter: RunFilter | undefined, scenarios: readonly LoadedScenario[]): LoadedScenario[] {
  return scenarios.filter((loaded) => selects(filter, loaded))
}

function fitsAny(pattern: string, texts: ReadonlySet<string>): boolean {
  return texts.has(pattern) || (pattern.includes('*') && [...texts].some((text) => fits(pattern, text)))
}

/** What a run does, and in which order; its plan, its rehearsal and the run itself go by the same. */
export interface Schedule {
  chosen: readonly LoadedScenario[]
  /** What the filter has left out. */
  left: readonly LoadedScenario[]
  /** Those that may run beside others, in order of their ids. */
  together: readonly LoadedScenario[]
  /** Those that must run alone, after them. */
  alone: readonly LoadedScenario[]
}

export function scheduleOf(filter: RunFilter | undefined, scenarios: readonly LoadedScenario[]): Schedule {
  const chosen = selected(filter, scenarios)
  const sorted = [...chosen].sort(byId)
  return {
    chosen,
    left: scenarios.filter((loaded) => !chosen.includes(loaded)),
    together: sorted.filter((loaded) => !runsAlone(loaded)),
    alone: sorted.filter(runsAlone),
  }
}

/** What moves the clock, closes a period or replaces the webhook registration would disturb the others. */
function runsAlone({ scenario }: LoadedScenario): boolean {
  const effects = effectsOf(scenario)
  return (
    effects.clock === true || effects.settlement === true || effects.exclusive === true || (effects.webhooks ?? 0) > 0
  )
}
