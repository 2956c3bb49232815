import { onTestFinished } from 'vitest'
import { wallClock } from '../../src/clock/wall-clock.ts'
import { loadRequirements } from '../../src/conformance/format/requirements.ts'
import { judgeReceiver } from '../../src/conformance/receiver/judge-receiver.ts'
import type { CheckResult, RunResult } from '../../src/conformance/result/result.ts'
import { RECEIVER_REQUIREMENTS_FILE } from '../../src/package-files.ts'
import { type Handle, SECRET, serve } from './receivers.ts'

export const REGISTRY = loadRequirements(RECEIVER_REQUIREMENTS_FILE)

/** `only` are ids of scenarios. */
type Narrowed = Partial<Omit<Parameters<typeof judgeReceiver>[0], 'registry' | 'wall' | 'toolVersion' | 'only'>> & {
  only?: readonly string[]
}

/** The outcome of a run against whatever listens there. */
export function judgeAt(url: string, { only, ...options }: Narrowed = {}): Promise<RunResult> {
  const known = { url, secret: SECRET, registry: REGISTRY, wall: wallClock, toolVersion: 'test' }
  return judgeReceiver({ ...known, ...(only && { only: { scenarios: only } }), ...options })
}

/** The same against a function, served over real HTTP. */
export async function judge(handle: Handle, options: Narrowed & { countsEffects?: boolean } = {}): Promise<RunResult> {
  const { url, origin, close } = await serve(handle)
  onTestFinished(close)
  const { countsEffects, ...rest } = options
  return judgeAt(url, {
    ...(countsEffects ? { effectsUrl: `${origin}/effects#/done/events`, patienceMs: 600 } : {}),
    ...rest,
  })
}

export function failures({ scenarios }: RunResult): CheckResult[] {
  return scenarios.flatMap(({ checks }) => checks).filter(({ verdict }) => verdict === 'fail')
}

/** Requirements that were found violated, each once. */
export function violated(result: RunResult): string[] {
  return [...new Set(failures(result).map(({ requirement }) => requirement))]
}

/** Every check that is neither green nor an observation, in a line each, for a test that wants none. */
export function notGreen({ scenarios }: RunResult): string[] {
  return scenarios.flatMap(({ id, checks }) =>
    checks
      .filter(({ verdict }) => verdict !== 'pass' && verdict !== 'observed')
      .map(
        (check) => `${id} ${check.step} ${check.requirement} ${check.verdict}: ${check.actual} (${check.note ?? ''})`,
      ),
  )
}
