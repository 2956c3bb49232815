import { environmentOf } from '../contract/ids.ts'
import type { Campaign } from './campaign.ts'
import type { Exchange } from './exchange.ts'
import type { CheckResult, CheckVerdict, RequirementResult, RequirementStatus, RunResult } from './result.ts'
import { requirementResults, runVerdictOf } from './verdict.ts'

/** What a report is made from. */
export interface Material extends Pick<RunResult, 'identity' | 'plan' | 'profile' | 'scenarios' | 'observations'> {
  exchanges: ReadonlyMap<string, Exchange>
  startedAtMs: number
  toolVersion: string
  /** Also those that no check names. */
  keepsEveryExchange: boolean
  durationMs: number
}

/** The outcome of a run as plain data. */
export function reportRun(campaign: Campaign, material: Material): RunResult {
  const { scenarios, profile } = material
  const { target, registry } = campaign
  const checks = scenarios.flatMap((scenario) => scenario.checks)
  const requirements = requirementResults(registry, checks)
  const named = new Set(checks.map(({ exchange }) => exchange))
  return {
    verdict: runVerdictOf(requirements, checks, profile),
    tool: { name: 'partner-sandbox', version: material.toolVersion },
    target: {
      url: target.url,
      environment: environmentOf(target.credentials.find(({ name }) => name === 'main')?.keyId ?? '') ?? 'unknown',
    },
    ...{ identity: material.identity, profile, plan: material.plan, interrupted: campaign.signal?.aborted ?? false },
    startedAt: new Date(material.startedAtMs).toISOString(),
    durationMs: material.durationMs,
    summary: summaryOf(requirements, checks, campaign.budget.requests),
    requirements,
    scenarios,
    observations: material.observations,
    created: campaign.created,
    exchanges: [...material.exchanges.values()]
      .filter(({ id }) => material.keepsEveryExchange || named.has(id))
      .map((exchange) => campaign.redactor.exchange(exchange)),
  }
}

/** The counts of a report: checks by verdict, observable `must` requirements by status. */
export function summaryOf(
  requirements: readonly RequirementResult[],
  checks: readonly CheckResult[],
  requests: number,
): RunResult['summary'] {
  const counted = requirements.filter(({ level, unobservable }) => level === 'must' && unobservable === undefined)
  return {
    checks: tally(
      CHECK_VERDICTS,
      checks.map(({ verdict }) => verdict),
    ),
    requirements: tally(
      REQUIREMENT_STATUSES,
      counted.map(({ status }) => status),
    ),
    requests,
  }
}

const CHECK_VERDICTS: readonly CheckVerdict[] = [
  'pass',
  'fail',
  'tolerated',
  'inconclusive',
  'not_run',
  'observed',
  'drift',
  'harness_error',
]
const REQUIREMENT_STATUSES: readonly RequirementStatus[] = ['violated', 'inconclusive', 'not_exercised', 'shown']

function tally<Word extends string>(words: readonly Word[], found: readonly Word[]): Record<Word, number> {
  return Object.fromEntries(words.map((word) => [word, found.filter((one) => one === word).length])) as Record<
    Word,
    number
  >
}
