import type {
  CheckResult,
  RedactedExchange,
  RequirementResult,
  RunResult,
  ScenarioResult,
} from '../../result/result.ts'
import type { RenderOptions } from '../reporter.ts'
import { keptExchanges } from './kept-exchanges.ts'
import { html, type Markup } from './markup.ts'

/** A check where it stands. */
export interface PlacedCheck {
  scenario: ScenarioResult
  check: CheckResult
}

/** A run with what every part of the page looks up in it. */
export interface PageFacts {
  readonly run: RunResult
  readonly options: RenderOptions
  readonly checksByRequirement: ReadonlyMap<string, readonly PlacedCheck[]>
  readonly requirementsById: ReadonlyMap<string, RequirementResult>
  readonly exchangesById: ReadonlyMap<string, RedactedExchange>
  /** The exchanges that the page shows, by scenario (see kept-exchanges.ts). */
  readonly keptByScenario: ReadonlyMap<string, readonly RedactedExchange[]>
  /** Anchors are numbers of ours, whatever the run calls things. */
  readonly anchors: ReadonlyMap<string, string>
}

export function factsOf(run: RunResult, options: RenderOptions): PageFacts {
  const kept = keptExchanges(run)
  return {
    run,
    options,
    checksByRequirement: grouped(placedChecks(run), ({ check }) => check.requirement),
    requirementsById: new Map(run.requirements.map((requirement) => [requirement.id, requirement])),
    exchangesById: new Map(run.exchanges.map((exchange) => [exchange.id, exchange])),
    keptByScenario: grouped(kept, ({ scenario }) => scenario),
    anchors: new Map([
      ...run.requirements.map(({ id }, at) => [`requirement ${id}`, `r${at}`] as const),
      ...run.scenarios.map(({ id }, at) => [`scenario ${id}`, `s${at}`] as const),
      ...kept.map(({ id }, at) => [`exchange ${id}`, `x${at}`] as const),
    ]),
  }
}

function placedChecks(run: RunResult): PlacedCheck[] {
  return run.scenarios.flatMap((scenario) => scenario.checks.map((check) => ({ scenario, check })))
}

/** The items by what they have in common, in the order of the first of each. */
export function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group) group.push(item)
    else groups.set(keyOf(item), [item])
  }
  return groups
}

type Kind = 'requirement' | 'scenario' | 'exchange'

/** A link within the page, or the plain text where the page does not show the thing. */
export function linkTo(facts: PageFacts, kind: Kind, id: string, text: Markup | string = id): Markup {
  const anchor = facts.anchors.get(`${kind} ${id}`)
  return anchor === undefined ? html`${text}` : html`<a href="#${anchor}">${text}</a>`
}

/** The `id` of the element that `linkTo` leads to. */
export function anchorOf(facts: PageFacts, kind: Kind, id: string): string {
  return facts.anchors.get(`${kind} ${id}`) ?? ''
}
