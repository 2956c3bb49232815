import { TargetUnreachableError } from '../conformance/run-options.ts'
import type { LoadedScenario } from '../conformance/scenario.ts'
import { type Target, targetFromFlags } from '../conformance/target.ts'
import { SCOPES } from '../contract/scopes.ts'
import { DEGENERATE_TIMEOUT_MS, type DegenerateTarget, startDegenerate } from './degenerate-targets.ts'
import type { DegenerateRun } from './result.ts'
import { checksOf, reasonOf, runAgainst, type Suite } from './suite.ts'

const KEY = { keyId: 'pk_sandbox_selftest', secret: 'sk_sandbox_selftest' }
const OTHER_KEY = { keyId: 'pk_sandbox_other', secret: 'sk_sandbox_other' }

/** The suite against a server that is no partner API: it must never come out green, and the runner must live. */
export async function runDegenerate(suite: Suite, target: DegenerateTarget): Promise<DegenerateRun> {
  const saysYes = target.saysYes ?? false
  const run: DegenerateRun = {
    name: target.name,
    saysYes,
    verdict: null,
    shown: [],
    harnessErrors: 0,
    failure: null,
    tookMs: 0,
  }
  const server = await startDegenerate(target)
  try {
    const result = await runAgainst(suite, withoutOperator(suite.scenarios), targetAt(server.url))
    return {
      ...run,
      verdict: result.verdict,
      shown: result.requirements
        .filter(({ level, status }) => level === 'must' && status === 'shown')
        .map(({ id }) => id),
      harnessErrors: checksOf(result, ({ verdict }) => verdict === 'harness_error').length,
      tookMs: result.durationMs,
    }
  } catch (error) {
    if (error instanceof TargetUnreachableError) return { ...run, verdict: 'unreachable' }
    return { ...run, failure: reasonOf(error) }
  } finally {
    await server.close()
  }
}

/** There is no operator to ask, so what needs one would only be left out. */
function withoutOperator(scenarios: readonly LoadedScenario[]): LoadedScenario[] {
  return scenarios.filter(({ scenario }) => !scenario.needs?.some((need) => need.startsWith('operator')))
}

/** Everything that a run may ask for is claimed, so that nothing is left out for want of it. */
function targetAt(url: string): Target {
  const target = targetFromFlags({ url, ...KEY, mode: 'write' })
  const able = { scopes: SCOPES, affiliate: true, merchantOfRecord: true }
  return {
    ...target,
    timeoutMs: DEGENERATE_TIMEOUT_MS,
    credentials: [
      { name: 'main', ...KEY, partner: 'main', ...able },
      { name: 'other', ...OTHER_KEY, partner: 'other', ...able },
    ],
    fixtures: {
      ...target.fixtures,
      sellable: Array.from({ length: 50 }, (_, n) => `domain-${n + 1}.test`),
      listed: ['listed.test'],
      unlisted: ['unlisted.example'],
      topic: { query: 'solar', finds: ['listed.test'] },
    },
  }
}
