import { setMaxListeners } from 'node:events'
import type { WallClock } from '../../clock/wall-clock.ts'
import { runConformance } from '../../conformance/engine/run.ts'
import type { RunOptions } from '../../conformance/engine/run-options.ts'
import type { RequirementRegistry } from '../../conformance/format/requirements.ts'
import type { LoadedScenario } from '../../conformance/format/scenario.ts'
import type { CheckResult, RunResult } from '../../conformance/result/result.ts'
import type { Target } from '../../conformance/target/target.ts'
import { type RunningServer, type ServerOptions, startServer } from '../../server.ts'
import { OWN_PATIENCE, ownTarget, withMoreKeys } from './own-target.ts'
import type { CheckPlace } from './result.ts'

/** The suite, and what it needs to run. */
export interface Suite {
  readonly scenarios: readonly LoadedScenario[]
  readonly registry: RequirementRegistry
  readonly wall: WallClock
  readonly toolVersion: string
  readonly signal: AbortSignal | undefined
  /** Gap variations meet a third of the scenarios each, and tampering servers a quarter. */
  readonly isQuick?: boolean | undefined
}

/** Runs scenarios against a fresh sandbox of our own, in memory, on free ports. */
export async function runAgainstOwn(
  suite: Suite,
  scenarios: readonly LoadedScenario[],
  options: Partial<ServerOptions>,
): Promise<RunResult> {
  // As `conform --self` has it: a whole suite on an idle machine makes more calls in ten seconds than the document lets through.
  const fast = { port: 0, operatorPort: 0, rateLimit: null, wall: suite.wall }
  const server: RunningServer = await startServer({ ...fast, ...options })
  try {
    const target = await withMoreKeys(ownTarget(server))
    const patient = options.defect ? { ...target, patience: OWN_PATIENCE } : target
    return await runAgainst(suite, scenarios, patient, { ownsTarget: true, transcript: 'none' })
  } finally {
    await server.close()
  }
}

/** Runs scenarios against a target; the verdict is about the requirements that are asked for now. */
export function runAgainst(
  suite: Suite,
  scenarios: readonly LoadedScenario[],
  target: Target,
  more: Pick<RunOptions, 'ownsTarget' | 'transcript'> = {},
): Promise<RunResult> {
  const { registry, wall, toolVersion, signal } = suite
  // Every call under way listens to it, and there are more of them than Node takes for sane.
  if (signal) setMaxListeners(0, signal)
  return runConformance({ target, scenarios, registry, wall, toolVersion, ...more, ...(signal && { signal }) })
}

/** Every check of a run that `wanted` picks, with its place. */
export function checksOf(
  result: RunResult,
  wanted: (check: CheckResult) => boolean,
): (CheckPlace & { verdict: string; actual: string })[] {
  return result.scenarios.flatMap(({ id, checks }) =>
    checks
      .filter(wanted)
      .map(({ step, requirement, verdict, actual }) => ({ scenario: id, step, requirement, verdict, actual })),
  )
}

export function nameOf({ scenario, step, requirement }: CheckPlace): CheckPlace {
  return { scenario, step, requirement }
}

/** Any error, in one line. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message.split('\n')[0]}` : String(error)
}
