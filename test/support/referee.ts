import { onTestFinished } from 'vitest'
import { wallClock } from '../../src/clock/wall-clock.ts'
import { runConformance } from '../../src/conformance/engine/run.ts'
import type { RunOptions } from '../../src/conformance/engine/run-options.ts'
import { loadScenarios } from '../../src/conformance/format/load-scenarios.ts'
import { loadRequirements } from '../../src/conformance/format/requirements.ts'
import type { LoadedScenario, Scenario } from '../../src/conformance/format/scenario.ts'
import { namedScenario } from '../../src/conformance/format/step-facts.ts'
import type { CheckResult, RunResult } from '../../src/conformance/result/result.ts'
import { parseTarget } from '../../src/conformance/target/load-target.ts'
import type { Target } from '../../src/conformance/target/target.ts'
import { type Fake, type FakeOptions, startFake } from './fake-target.ts'

export const registry = loadRequirements()

/** The scenarios this folder's tests judge with; the others are other tests' business. */
export const MODELS = [
  'auth/nonce-reuse',
  'auth/wrong-secret',
  'events/paging',
  'idempotency/burst-one-key',
  'orders/price-mismatch',
  'quotes/expired',
]

export const models: LoadedScenario[] = loadScenarios(
  MODELS.map((id) => `scenarios/${id}.yaml`),
  registry,
).scenarios

/** A scenario written in a test. */
export function scenario(parts: Partial<Scenario> & Pick<Scenario, 'steps'>): LoadedScenario {
  return {
    id: 'test/one',
    file: 'test',
    scenario: namedScenario({ title: 'A scenario of a test', proves: [], ...parts }),
  }
}

/** What a target file would say of a fake, with further keys of its own. */
export function targetOf(fake: Pick<Fake, 'url' | 'keyId' | 'secret'>, more: Record<string, unknown> = {}): Target {
  const main = { name: 'main', key_id: fake.keyId, secret: fake.secret, scopes: ['search', 'buy', 'webhook'] }
  const actions = { advance_clock: { request: `POST ${fake.url}/ops/clock`, json: { advance_seconds: '${seconds}' } } }
  const patience = { events: '1s', deliveries: '2s', reports: '1s', refunds: '1s' }
  const file = { url: fake.url, mode: 'operator', credentials: [main], operator: { actions }, patience, ...more }
  const { target, problems } = parseTarget(JSON.stringify(file), 'target.yaml', {})
  if (!target) throw new Error(JSON.stringify(problems))
  return target
}

export async function fakeTarget(options: FakeOptions = {}): Promise<Fake> {
  const fake = await startFake(options)
  onTestFinished(() => fake.close())
  return fake
}

/** A clock that jumps over the pauses before something is tried again; all else takes the time it takes. */
export function withoutPauses(): Required<Pick<RunOptions, 'wall' | 'pause'>> {
  let skippedMs = 0
  return {
    wall: { nowMs: wallClock.nowMs, monotonicMs: () => wallClock.monotonicMs() + skippedMs },
    pause: async (ms) => {
      skippedMs += ms
    },
  }
}

export function judge(
  target: Target,
  scenarios: readonly LoadedScenario[] = models,
  more: Partial<RunOptions> = {},
): Promise<RunResult> {
  return runConformance({ target, scenarios, registry, ...withoutPauses(), toolVersion: '0.0.0', ...more })
}

/** Starts a fake in some way and judges it by the model scenarios. */
export async function judgeFake(options: FakeOptions, more: Record<string, unknown> = {}): Promise<RunResult> {
  return judge(targetOf(await fakeTarget(options), more))
}

/** `scenario/step requirement` of every check with this verdict. */
export function checksThat(result: RunResult, verdict: CheckResult['verdict']): string[] {
  return result.scenarios.flatMap(({ id, checks }) =>
    checks.filter((check) => check.verdict === verdict).map(({ step, requirement }) => `${id} ${step} ${requirement}`),
  )
}
