import { environmentOf } from '../contract/ids.ts'
import type { Campaign } from './campaign.ts'
import type { Exchange } from './exchange.ts'
import type { CheckVerdict, RequirementStatus, RunResult, ScenarioResult } from './result.ts'
import { requirementResults, runVerdictOf } from './verdict.ts'

/** What a report is made from, beside the scenarios. */
export interface Material {
  observations: RunResult['observations']
  exchanges: ReadonlyMap<string, Exchange>
  startedAtMs: number
  toolVersion: string
  profile: readonly string[] | undefined
  durationMs: number
}

/** The outcome of a run as plain data. */
export function reportRun(campaign: Campaign, scenarios: ScenarioResult[], material: Material): RunResult {
  const { target, registry } = campaign
  const checks = scenarios.flatMap((scenario) => scenario.checks)
  const requirements = requirementResults(registry, checks)
  const named = new Set(checks.map(({ exchange }) => exchange))
  return {
    verdict: runVerdictOf(requirements, checks, registry, material.profile),
    tool: { name: 'partner-sandbox', version: material.toolVersion },
    target: {
      url: target.url,
      environment: environmentOf(target.credentials.find(({ name }) => name === 'main')?.keyId ?? '') ?? 'unknown',
    },
    startedAt: new Date(material.startedAtMs).toISOString(),
    durationMs: material.durationMs,
    summary: {
      checks: tally(
        CHECK_VERDICTS,
        checks.map(({ verdict }) => verdict),
      ),
      requirements: tally(
        REQUIREMENT_STATUSES,
        requirements
          .filter(({ level, unobservable }) => level === 'must' && unobservable === undefined)
          .map(({ status }) => status),
      ),
      requests: campaign.budget.requests,
    },
    requirements,
    scenarios,
    observations: material.observations,
    created: campaign.created,
    exchanges: [...material.exchanges.values()]
      .filter(({ id }) => named.has(id))
      .map((exchange) => campaign.redactor.exchange(exchange)),
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
