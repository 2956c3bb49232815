import type { WallClock } from '../clock/wall-clock.ts'
import type { RequirementRegistry } from './requirements.ts'
import type { CheckResult, RedactedExchange, RunResult, ScenarioResult } from './result.ts'
import type { LoadedScenario } from './scenario.ts'
import type { Target } from './target.ts'

/** Which scenarios run. A list narrows; several lists narrow together. */
export interface RunFilter {
  /** Ids, or patterns with `*`. */
  scenarios?: readonly string[]
  requirements?: readonly string[]
  tags?: readonly string[]
}

/** The most a run can do to a target, told before anything is sent. */
export interface RunPlan {
  scenarios: number
  requestsAtMost: number
  ordersAtMost: number
  quotesAtMost: number
  webhooksAtMost: number
  longestWaitMs: number
}

export type Progress =
  | { kind: 'planned'; plan: RunPlan }
  | { kind: 'scenario-started'; id: string; title: string }
  | { kind: 'exchange'; scenario: string; exchange: RedactedExchange }
  | { kind: 'check'; scenario: string; check: CheckResult }
  /** Verdicts of refused writes may still change until the run is over; `provisional` says so. */
  | { kind: 'scenario-finished'; result: ScenarioResult; provisional: boolean }
  | { kind: 'waiting'; scenario: string; why: string; forMs: number }

export interface RunOptions {
  target: Target
  scenarios: readonly LoadedScenario[]
  registry: RequirementRegistry
  only?: RunFilter
  /** Requirement ids that the run's verdict is about; every observable `must` row if absent. */
  profile?: readonly string[]
  wall: WallClock
  randomUuid?: () => string
  onProgress?: (progress: Progress) => void
  signal?: AbortSignal
  /** Asks a person to do something; true once it is done. */
  ask?: (request: string) => Promise<boolean>
  /** The longest real wait that a scenario may take for an operator's clock. */
  maxWaitMs?: number
  toolVersion: string
  concurrency?: number
}

/** The target answered nothing at all before the first check (exit code 6). */
export class TargetUnreachableError extends Error {
  override name = 'TargetUnreachableError'
}

/** Replays the scenarios against the target and judges what it does. */
export async function runConformance(_options: RunOptions): Promise<RunResult> {
  throw new Error('the engine is being written')
}
