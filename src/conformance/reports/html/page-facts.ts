import type { RedactedExchange, RequirementResult, RunResult } from '../../result/result.ts'
import { allChecks, type CheckInContext, grouped } from '../digest.ts'
import type { RenderOptions } from '../reporter.ts'
import { keptExchanges } from './kept-exchanges.ts'
import { type Mark, markOfRequirement } from './words.tsx'

/** A run with what every part of the page looks up in it. */
export interface PageFacts {
  readonly run: RunResult
  readonly options: RenderOptions
  readonly rows: readonly RequirementRow[]
  readonly checksByRequirement: ReadonlyMap<string, readonly CheckInContext[]>
  readonly checksByScenario: ReadonlyMap<string, readonly CheckInContext[]>
  /** The exchanges that the page shows, by scenario (see kept-exchanges.ts). */
  readonly keptByScenario: ReadonlyMap<string, readonly RedactedExchange[]>
  /** Anchors are our own numbers and do not depend on the names in the run. */
  readonly anchors: ReadonlyMap<string, string>
}

export interface RequirementRow {
  readonly requirement: RequirementResult
  readonly mark: Mark
  /** Part of the verdict: it is in the profile, or violated. */
  readonly counts: boolean
}

export function factsOf(run: RunResult, options: RenderOptions): PageFacts {
  const kept = keptExchanges(run)
  const checks = allChecks(run)
  const checksByRequirement = grouped(checks, ({ check }) => check.requirement)
  return {
    run,
    options,
    rows: run.requirements.map((one) => rowOf(run, one, checksByRequirement.get(one.id) ?? [])),
    checksByRequirement,
    checksByScenario: grouped(checks, ({ scenario }) => scenario.id),
    keptByScenario: grouped(kept, ({ scenario }) => scenario),
    anchors: new Map([
      ...run.requirements.map(({ id }, at) => [`requirement ${id}`, `r${at}`] as const),
      ...areasOf(run).map((section, at) => [`area ${section}`, `a${at}`] as const),
      ...run.scenarios.map(({ id }, at) => [`scenario ${id}`, `s${at}`] as const),
      ...kept.map(({ id }, at) => [`exchange ${id}`, `x${at}`] as const),
    ]),
  }
}

function rowOf(run: RunResult, requirement: RequirementResult, checks: readonly CheckInContext[]): RequirementRow {
  const failures = checks.filter(({ check }) => check.verdict === 'fail')
  const isKnown = failures.length > 0 && failures.every(({ check }) => check.known !== undefined)
  const counts = run.profile.requirements.includes(requirement.id) || requirement.status === 'violated'
  return { requirement, mark: markOfRequirement(requirement, isKnown), counts }
}

/** The headings of the document under which the requirements stand. */
function areasOf({ requirements }: RunResult): string[] {
  return [...new Set(requirements.map(({ section }) => section))]
}

export type AnchorKind = 'requirement' | 'area' | 'scenario' | 'exchange'

/** The `id` of the element for a thing; undefined where the page does not show it. */
export function anchorOf({ anchors }: PageFacts, kind: AnchorKind, id: string): string | undefined {
  return anchors.get(`${kind} ${id}`)
}
