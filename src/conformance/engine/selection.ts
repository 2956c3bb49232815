import { fits } from '../../contract/words.ts'
import type { LoadedScenario } from '../format/scenario.ts'
import { effectsOf, outlineOf, tagsOf } from '../format/step-facts.ts'
import { baseOf, byId, type Outline, rowOf } from '../result/result.ts'
import type { RunOptions } from './run-options.ts'

/**
 * Whether a scenario passes a filter.
 *
 * @example selects({ scenarios: ['auth/*'] }, loaded)
 */
export function selects(filter: RunOptions['only'], loaded: LoadedScenario): boolean {
  if (filter?.orders === 'none' && (effectsOf(loaded.scenario).orders ?? 0) > 0) return false
  return passes(filter, outlineOf(loaded), tagsOf(loaded))
}

/** The same for a scenario without a file. */
export function passes(
  filter: RunOptions['only'],
  { id, checks }: Pick<Outline, 'id' | 'checks'>,
  ownTags: readonly string[] = [],
): boolean {
  if (!filter) return true
  const { scenarios, requirements, tags, profile } = filter
  const shown = new Set(checks.map(({ requirement }) => requirement))
  return (
    (scenarios === undefined || scenarios.some((pattern) => fits(pattern, id) || pattern === baseOf(id))) &&
    (requirements === undefined || requirements.some((pattern) => fitsAny(pattern, shown))) &&
    (profile === undefined || profile.some((requirement) => shown.has(requirement))) &&
    (tags === undefined || tags.some((tag) => ownTags.includes(tag)))
  )
}

export function selected(filter: RunOptions['only'], scenarios: readonly LoadedScenario[]): LoadedScenario[] {
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
  /** Those that may run beside others, in order of their ids; further rows of a file come after all else, so that a budget is not spent on one rule. */
  together: readonly LoadedScenario[]
  /** Those that must run alone, after them. */
  alone: readonly LoadedScenario[]
  /** Those about all that the others have made. */
  last: readonly LoadedScenario[]
  /** Rows of files that the budget leaves no room for, and which rows run instead. */
  beyondBudget: readonly { loaded: LoadedScenario; note: string }[]
}

/** What of the scenarios runs, where the target allows so many requests. */
export function scheduleOf(
  filter: RunOptions['only'],
  scenarios: readonly LoadedScenario[],
  requests: number,
): Schedule {
  const chosen = selected(filter, scenarios)
  const inOrder = [...chosen].sort(byId)
  const isFirst = ({ id }: LoadedScenario, index: number): boolean =>
    rowOf(id) === null || baseOf(inOrder[index - 1]?.id ?? '') !== baseOf(id)
  const sorted = [...inOrder.filter(isFirst), ...inOrder.filter((loaded, index) => !isFirst(loaded, index))]
  const beyondBudget = beyond(requests, chosen)
  const stays = (loaded: LoadedScenario): boolean => beyondBudget.every((row) => row.loaded !== loaded)
  return {
    chosen,
    left: scenarios.filter((loaded) => !chosen.includes(loaded)),
    together: sorted.filter((loaded) => stays(loaded) && !runsAlone(loaded) && !runsLast(loaded)),
    alone: sorted.filter((loaded) => stays(loaded) && runsAlone(loaded) && !runsLast(loaded)),
    last: sorted.filter((loaded) => stays(loaded) && runsLast(loaded)),
    beyondBudget,
  }
}

/** What moves the clock, closes a period or replaces the webhook registration would disturb the others. */
function runsAlone({ scenario }: LoadedScenario): boolean {
  const effects = effectsOf(scenario)
  return (
    effects.clock === true || effects.settlement === true || effects.exclusive === true || (effects.webhooks ?? 0) > 0
  )
}

function runsLast({ scenario }: LoadedScenario): boolean {
  return scenario.effects?.last === true
}

/** A call and, for most refusals, a share of its twin. */
const REQUESTS_A_STEP = 1.2

/**
 * What does not fit into a budget of requests. Rows of the same file say the same of different things, so that of each file as
 * many are left out as it takes, evenly; its first row stays.
 */
function beyond(requests: number, chosen: readonly LoadedScenario[]): Schedule['beyondBudget'] {
  const rows = chosen.filter(({ id }) => rowOf(id) !== null)
  const forRows = requests - costOf(chosen.filter(({ id }) => rowOf(id) === null))
  if (costOf(rows) <= forRows) return []
  const share = Math.max(0, forRows / costOf(rows))
  const files = new Set(rows.map(({ id }) => baseOf(id)))
  return [...files].flatMap((file) =>
    rest(
      rows.filter(({ id }) => baseOf(id) === file),
      share,
    ),
  )
}

function costOf(scenarios: readonly LoadedScenario[]): number {
  return scenarios.reduce((total, { scenario }) => total + scenario.steps.length * REQUESTS_A_STEP, 0)
}

/** The rows of a file that are left out, where this share of them runs. */
function rest(ofFile: readonly LoadedScenario[], share: number): Schedule['beyondBudget'] {
  const count = Math.max(1, Math.floor(ofFile.length * share))
  const kept = new Set(Array.from({ length: count }, (_, index) => ofFile[Math.floor((index * ofFile.length) / count)]))
  const names = [...kept].map((loaded) => rowOf(loaded?.id ?? '')).join(', ')
  const note = `the budget of requests has no room for every row of this file; these run: ${names}`
  return ofFile.filter((loaded) => !kept.has(loaded)).map((loaded) => ({ loaded, note }))
}
