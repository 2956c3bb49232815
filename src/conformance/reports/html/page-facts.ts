import type { RedactedExchange, RequirementResult, RunResult } from '../../result/result.ts'
import { allChecks, type CheckInContext, grouped } from '../digest.ts'
import type { RenderOptions } from '../reporter.ts'
import { keptExchanges } from './kept-exchanges.ts'
import { html, type Markup } from './markup.ts'

/** A run with what every part of the page looks up in it. */
export interface PageFacts {
  readonly run: RunResult
  readonly options: RenderOptions
  readonly checksByRequirement: ReadonlyMap<string, readonly CheckInContext[]>
  readonly checksByScenario: ReadonlyMap<string, readonly CheckInContext[]>
  readonly requirementsById: ReadonlyMap<string, RequirementResult>
  /** The exchanges that the page shows, by scenario (see kept-exchanges.ts). */
  readonly keptByScenario: ReadonlyMap<string, readonly RedactedExchange[]>
  /** Anchors are our own numbers and do not depend on the names in the run. */
  readonly anchors: ReadonlyMap<string, string>
}

export function factsOf(run: RunResult, options: RenderOptions): PageFacts {
  const kept = keptExchanges(run)
  const checks = allChecks(run)
  return {
    run,
    options,
    checksByRequirement: grouped(checks, ({ check }) => check.requirement),
    checksByScenario: grouped(checks, ({ scenario }) => scenario.id),
    requirementsById: new Map(run.requirements.map((requirement) => [requirement.id, requirement])),
    keptByScenario: grouped(kept, ({ scenario }) => scenario),
    anchors: new Map([
      ...run.requirements.map(({ id }, at) => [`requirement ${id}`, `r${at}`] as const),
      ...run.scenarios.map(({ id }, at) => [`scenario ${id}`, `s${at}`] as const),
      ...kept.map(({ id }, at) => [`exchange ${id}`, `x${at}`] as const),
    ]),
  }
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
