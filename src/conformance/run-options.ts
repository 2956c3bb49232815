import type { WallClock } from '../clock/wall-clock.ts'
import type { RequirementRegistry } from './requirements.ts'
import type { CheckResult, RedactedExchange, RunIdentity, RunPlan, RunProfile, ScenarioResult } from './result.ts'
import type { LoadedScenario } from './scenario.ts'
import type { RunFilter } from './selection.ts'
import type { Target } from './target.ts'

export type Progress =
  | { kind: 'planned'; plan: RunPlan; identity: RunIdentity }
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
  /** What the run's verdict is about; every observable `must` row if absent. */
  profile?: RunProfile
  /**
   * Which exchanges the result and the progress hold: those that checks name (the default), or every one. Taking the secrets
   * out of each costs time.
   */
  transcript?: 'named' | 'all'
  wall: WallClock
  randomUuid?: () => string
  onProgress?: (progress: Progress) => void
  signal?: AbortSignal
  /** Asks a person to do something; true once it is done. */
  ask?: (request: string) => Promise<boolean>
  /** The longest real wait that a scenario may take for an operator's clock. */
  maxWaitMs?: number
  toolVersion: string
  /**
   * The credentials may be wrong: where every first call of main is refused for who calls, the run ends with a
   * CredentialRefusedError. Where absent they are known to be good, and such refusals count against the target.
   */
  doubtsCredentials?: boolean
  /** Scenarios at once; many on loopback and few elsewhere if absent. */
  concurrency?: number
}

/** The target answered nothing at all before the first check (exit code 6). */
export class TargetUnreachableError extends Error {
  override name = 'TargetUnreachableError'
}
