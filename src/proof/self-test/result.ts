import type { RunResult } from '../../conformance/result/result.ts'

/** A check by its place, and what it judges. */
export interface CheckPlace {
  scenario: string
  step: string
  requirement: string
}

/** The result of the suite against the correct sandbox. */
export interface CorrectRun {
  verdict: RunResult['verdict']
  passed: CheckPlace[]
  /** Checks that are not green, with their words. */
  notGreen: (CheckPlace & { verdict: string; actual: string })[]
  shown: string[]
  tookMs: number
}

/** The result of the suite against a sandbox with one defect. */
export interface DefectRun {
  id: string
  breaks: readonly string[]
  /** Scenarios that prove a requirement it breaks. */
  scenarios: number
  /** Red checks of the requirements it breaks: the kill. */
  killedBy: CheckPlace[]
  /** Red checks of other requirements. */
  alsoRed: CheckPlace[]
  /** Why a verdict is missing. */
  failure: string | null
  tookMs: number
}

/** The result of the suite against a sandbox that fills a gap differently. */
export interface GapVariationRun {
  /** `mix 1 of 4`, `vary SEED` or `gap=value`. */
  choice: string
  /** The fewest `gap=value` that cause red checks; none if nothing is red. */
  because: string[]
  verdict: RunResult['verdict'] | null
  red: (CheckPlace & { actual: string })[]
  /** Checks that had nothing to judge although the correct sandbox gave them something. */
  unproved: number
  failure: string | null
  tookMs: number
}

/** The result of the suite against a server that is not a partner API at all. */
export interface BadServerRun {
  name: string
  saysYes: boolean
  /** It breaks no sentence of the document and may come out green. */
  isOdd: boolean
  /** `unreachable` if the runner gave up before its first check. */
  verdict: RunResult['verdict'] | 'unreachable' | null
  /** `must` requirements that it is said to show. */
  shown: string[]
  harnessErrors: number
  /** Requests that came to the server it redirects to. */
  strayed: number
  /** What it smuggled into reports: `a control character in pretty`. */
  smuggled: string[]
  failure: string | null
  tookMs: number
}

/** How the runner did in its self-test. */
export interface SelftestResult {
  passed: boolean
  /** One sentence each; none if it passed. */
  problems: string[]
  /** Checks that no defect turns red: not wrong, but not proved to notice anything either. */
  neverRed: CheckPlace[]
  /** A row for each requirement, if every defect was tried. */
  requirements: RequirementRow[]
  /** The seed that has chosen what was tried; null if nothing was left out. */
  quick: string | null
  sound: CorrectRun | null
  defects: DefectRun[]
  freedoms: GapVariationRun[]
  degenerates: BadServerRun[]
  tookMs: number
}

export interface RequirementRow {
  id: string
  /** Checks of it that the correct sandbox passes. */
  checks: number
  /** Defects that a check of it has killed. */
  killed: string[]
  /** Defects that break it and that its checks have not noticed. */
  unnoticed: string[]
}
