import type { WallClock } from '../../clock/wall-clock.ts'
import type { RequirementRegistry } from '../format/requirements.ts'
import type { Exchange } from '../http/exchange.ts'
import type { RunPlan, ScenarioResult } from '../result/result.ts'
import type { Workshop } from './bench.ts'
import type { OwnEvent } from './own-events.ts'
import type { ReceiverScenario } from './scenario.ts'

export interface ReceiverOptions {
  /** Where deliveries go: http or https, path and query included. */
  url: string
  /** The one that the receiver knows. */
  secret: string
  registry: RequirementRegistry
  wall: WallClock
  toolVersion: string
  /** Ids of scenarios, or patterns with `*`. */
  only?: readonly string[]
  requirements?: readonly string[]
  ownEvents?: readonly OwnEvent[]
  /** Headers for a gateway before the receiver; `isSecret` ones are left out of reports. */
  headers?: readonly { name: string; value: string; isSecret: boolean }[]
  /** Where the partner says how many events were dealt with; the fragment is a JSON pointer into the answer. */
  effectsUrl?: string
  insecure?: boolean
  /** How long to wait for an answer. Default 10 s. */
  timeoutMs?: number
  /** Answers after that are too late. The document's 5 s unless a test is in a hurry. */
  deadlineMs?: number
  signal?: AbortSignal
  transcript?: 'named' | 'all'
  onProgress?: (progress: ReceiverProgress) => void
}

export type ReceiverProgress =
  | { kind: 'planned'; plan: RunPlan; unobservable: readonly string[] }
  | { kind: 'scenario-started'; id: string }
  | { kind: 'scenario-finished'; result: ScenarioResult }

/** What was known when the first delivery went out. */
export interface ReceiverRun {
  options: ReceiverOptions
  runId: string
  registry: RequirementRegistry
  scenarios: readonly ReceiverScenario[]
  plan: RunPlan
  startedAtMs: number
  startedMs: number
  shop: Workshop
  exchanges: Exchange[]
}

/** A query may hold a token. */
export function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname
}
