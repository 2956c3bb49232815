import type { WallClock } from '../../clock/wall-clock.ts'
import type { Run } from '../context/run.ts'
import type { RequirementRegistry } from '../format/requirements.ts'
import type { LoadedScenario } from '../format/scenario.ts'
import type { resolveName } from '../http/address.ts'
import type { SenderOptions } from '../http/send.ts'
import type {
  CheckResult,
  Observation,
  RedactedExchange,
  RunOpening,
  RunResult,
  ScenarioResult,
} from '../result/result.ts'
import type { Target } from '../target/target.ts'

export type Progress =
  | ({ kind: 'planned' } & RunOpening)
  | { kind: 'scenario-started'; id: string; title: string }
  | { kind: 'exchange'; scenario: string; exchange: RedactedExchange }
  | { kind: 'check'; scenario: string; check: CheckResult }
  /** Verdicts of refused writes may still change until the run is over; `provisional` says so. */
  | {
      kind: 'scenario-finished'
      result: ScenarioResult
      provisional: boolean
      observations: readonly Observation[]
      /** By the whole run so far. */
      created: Readonly<RunResult['created']>
    }
  /** Calls are signed by the target's clock, which is so far ahead of this machine's, or behind it where negative. */
  | { kind: 'clock-differs'; byMs: number }
  | { kind: 'waiting'; scenario: string; why: string; forMs: number }

export interface RunOptions {
  target: Target
  scenarios: readonly LoadedScenario[]
  registry: RequirementRegistry
  /** Which scenarios run. Each list that is given narrows; an empty list selects nothing. */
  only?: {
    /** Ids, or patterns with `*`; the id of a file with rows stands for all of them. */
    scenarios?: readonly string[]
    /** Ids, or patterns with `*`: what shows at least one of them. */
    requirements?: readonly string[]
    tags?: readonly string[]
    /** Ids of the rows of a profile: what shows at least one of them. */
    profile?: readonly string[]
    /** What takes an order is left out. */
    orders?: 'none' | undefined
  }
  /** The requirements that the run's verdict covers; every observable `must` row if absent. */
  profile?: RunResult['profile']
  /**
   * Which exchanges the result and the progress hold: those that checks name (the default), every one, or none. Taking the
   * secrets out of each costs time.
   */
  transcript?: 'none' | 'named' | 'all'
  wall: WallClock
  /** Waits before something is tried again; a test's takes no time. */
  pause?: (ms: number) => Promise<void>
  randomUuid?: () => string
  onProgress?: (progress: Progress) => void
  signal?: AbortSignal
  /** Asks a person to do what no operator does; true once it is done. Never called twice at once. */
  ask?: NonNullable<Run['ask']>
  /** Ends the run after this many failed scenarios. */
  bail?: number
  /** The longest real wait that a scenario may take for an operator's clock. */
  maxWaitMs?: number
  toolVersion: string
  /**
   * The credentials may be wrong: where every first call of main is refused for who calls, the run ends with a
   * TargetError. If absent they are known to be good, and such refusals count against the target.
   */
  doubtsCredentials?: boolean
  /**
   * The target is a sandbox of ours that was started for this run, so what would disturb other scenarios runs in copies of its
   * world, side by side with them.
   */
  ownsTarget?: boolean
  /** Scenarios at once; many on loopback and few elsewhere if absent. */
  concurrency?: number
  /** How the names of pages are resolved; the machine's way if absent. */
  resolve?: typeof resolveName
  /** How calls to the target are sent, if not in the usual way. */
  sender?: Pick<SenderOptions, 'insecure' | 'maxBodyBytes'>
}

/** The run ended before its first check, for what the target or its operator answered. */
export class TargetError extends Error {
  override name = 'TargetError'
  /**
   * `unreachable`: no answer at all, or a 5xx to every valid call (exit code 6). `address`: another service answers. `credential`: every valid call of main was refused for who makes it; nothing visible
   * from outside shows whose fault that is. `no-operator`: none answers at its address. `operator`: it refuses, or has no such world.
   */
  readonly kind: 'unreachable' | 'address' | 'credential' | 'no-operator' | 'operator'
  /** With what every call was refused. */
  readonly refusal: string
  /** The run all the same, with verdict `void`: a report has to say so. */
  result?: RunResult

  constructor(kind: TargetError['kind'], message: string, refusal = '') {
    super(message)
    this.kind = kind
    this.refusal = refusal
  }
}
