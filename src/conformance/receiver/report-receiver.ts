import { redactedValue } from '../../contract/redact.ts'
import { digest, editionOf } from '../engine/identity.ts'
import { profileOfAll } from '../engine/profile.ts'
import { summaryOf } from '../engine/run-report.ts'
import { createRedactor, type Redactor, redactedCheck } from '../http/redact.ts'
import { requirementResults, runVerdictOf } from '../judge/verdict.ts'
import type { RunIdentity, RunResult, ScenarioResult } from '../result/result.ts'
import type { ReceiverRun } from './receiver-run.ts'
import { leakedSignatures } from './secrecy-scenario.ts'

/** The outcome of a run as plain data, just as that of a run against an API, so that every reporter takes it. */
export function reportReceiver(run: ReceiverRun, carriedOut: readonly ScenarioResult[]): RunResult {
  const { options, registry, shop, exchanges } = run
  const redactor = redactorOf(run)
  const scenarios = carriedOut.map((scenario) => ({
    ...scenario,
    checks: scenario.checks.map((check) => redactedCheck(check, redactor)),
  }))
  const checks = scenarios.flatMap((scenario) => scenario.checks)
  const requirements = requirementResults(registry, checks)
  const profile = profileOfAll(registry)
  const named = new Set(checks.map(({ exchange }) => exchange))
  return {
    verdict: runVerdictOf(requirements, checks, profile),
    tool: { name: 'partner-sandbox', version: options.toolVersion },
    target: { url: redactor.text(shop.origin + shop.target), environment: 'receiver' },
    identity: identityOf(run),
    profile,
    plan: run.plan,
    interrupted: options.signal?.aborted ?? false,
    startedAt: new Date(run.startedAtMs).toISOString(),
    durationMs: shop.wall.monotonicMs() - run.startedMs,
    summary: summaryOf(requirements, checks, profile, exchanges.length),
    requirements,
    scenarios,
    // In the order of the rows, whoever came first.
    observations: [...shop.observations]
      .sort((a, b) => (a.gap < b.gap ? -1 : 1))
      .map((observation) => ({ ...observation, value: redactedValue(observation.value, redactor.text) })),
    created: shop.created,
    exchanges: exchanges
      .filter(({ id }) => options.transcript === 'all' || named.has(id))
      .map((exchange) => redactor.exchange(exchange)),
  }
}

/** The secret, what was given in secret for a gateway, and what a receiver gave away of its own. */
function redactorOf({ options: { secret, headers = [] }, shop }: ReceiverRun): Redactor {
  const given = headers.filter(({ isSecret }) => isSecret).map(({ value }) => value)
  return createRedactor([secret, ...given, ...leakedSignatures(shop.sent, secret)])
}

function identityOf({ runId, registry, scenarios, shop }: ReceiverRun): RunIdentity {
  return {
    runId,
    edition: editionOf(registry),
    scenarios: digest(scenarios.map(({ id, title, checks }) => [id, title, checks])),
    target: digest([shop.origin, shop.target, shop.extraHeaders.map(([name]) => name), shop.ownEvents]),
  }
}
