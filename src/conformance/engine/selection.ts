import { fits } from '../../contract/words.ts'
import type { LoadedScenario } from '../format/scenario.ts'
import { declaredChecks } from '../format/step-names.ts'
import { byId } from '../result/by-id.ts'
import { chosenForShard, type Shard } from './shard.ts'

/** Which scenarios run. Each list that is given narrows; an empty list selects nothing. */
export interface RunFilter {
  /** Ids, or patterns with `*`. */
  scenarios?: readonly string[]
  /** Ids, or patterns with `*`: what shows at least one of them. */
  requirements?: readonly string[]
  tags?: readonly string[]
  /** Ids of the rows of a profile: what shows at least one of them. */
  profile?: readonly string[]
  /** The part of what is left that this run takes. */
  shard?: Shard | undefined
  /** Ids of scenarios that an earlier part of the run has done. */
  done?: ReadonlySet<string>
}

/**
 * Whether a scenario passes a filter, as far as that is a matter of this scenario alone: a shard is a matter of all.
 *
 * @example selects({ scenarios: ['auth/*'] }, loaded)
 */
export function selects(filter: RunFilter | undefined, { id, scenario }: LoadedScenario): boolean {
  if (!filter) return true
  const { scenarios, requirements, tags, profile, done } = filter
  const shown = new Set(declaredChecks(scenario).map(({ requirement }) => requirement))
  return (
    !done?.has(id) &&
    (scenarios === undefined || scenarios.some((pattern) => fits(pattern, id))) &&
    (requirements === undefined || requirements.some((pattern) => fitsAny(pattern, shown))) &&
    (profile === undefined || profile.some((requirement) => shown.has(requirement))) &&
    (tags === undefined || tags.some((tag) => scenario.tags?.includes(tag)))
  )
}

/**
 * The scenarios that a filter selects. Those of a shard are shared out before what is done is left out, so that a resumed
 * shard takes what it took before.
 */
export function selected(filter: RunFilter | undefined, scenarios: readonly LoadedScenario[]): LoadedScenario[] {
  const { shard, done, ...narrowing } = filter ?? {}
  const wanted = scenarios.filter((loaded) => selects(narrowing, loaded))
  return (shard ? chosenForShard(wanted, shard) : wanted).filter(({ id }) => !done?.has(id))
}

function fitsAny(pattern: string, texts: ReadonlySet<string>): boolean {
  return texts.has(pattern) || (pattern.includes('*') && [...texts].some((text) => fits(pattern, text)))
}

/** Scenarios that may run beside others, and those that must run alone, each in order of their ids. */
export function inOrder(scenarios: readonly LoadedScenario[]): { together: LoadedScenario[]; alone: LoadedScenario[] } {
  const sorted = [...scenarios].sort(byId)
  return { together: sorted.filter((loaded) => !runsAlone(loaded)), alone: sorted.filter(runsAlone) }
}

/** What moves the clock, closes a period or replaces the webhook registration would disturb the others. */
function runsAlone({ scenario: { effects = {} } }: LoadedScenario): boolean {
  return (
    effects.clock === true || effects.settlement === true || effects.exclusive === true || (effects.webhooks ?? 0) > 0
  )
}
