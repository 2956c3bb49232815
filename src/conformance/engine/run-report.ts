import { environmentOf } from '../../contract/ids.ts'
import type { Run } from '../context/run-context.ts'
import type { LoadedScenario } from '../format/scenario.ts'
import { declaredChecks } from '../format/step-names.ts'
import type { Exchange } from '../http/exchange.ts'
import { requirementResults, runVerdictOf } from '../judge/verdict.ts'
import {
  CHECK_VERDICTS,
  type CheckResult,
  REQUIREMENT_STATUSES,
  type RequirementResult,
  type RunOpening,
  type RunProfile,
  type RunResult,
  type ScenarioOutline,
} from '../result/result.ts'
import { createdBy } from './settle-scenario.ts'

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
export function reportRun(run: Run, material: Material): RunResult {
  const { scenarios, profile } = material
  const { registry } = run
  const checks = scenarios.flatMap((scenario) => scenario.checks)
  const requirements = requirementResults(registry, checks)
  const named = new Set(checks.map(({ exchange }) => exchange))
  return {
    verdict: runVerdictOf(requirements, checks, profile),
    tool: toolOf(material.toolVersion),
    target: targetOf(run),
    ...{
      identity: material.identity,
      profile,
      plan: material.plan,
      interrupted: checks.some(({ reason }) => reason === 'interrupted'),
    },
    startedAt: new Date(material.startedAtMs).toISOString(),
    durationMs: material.durationMs,
    summary: summaryOf(requirements, checks, profile, run.budget.requests),
    requirements,
    scenarios,
    observations: material.observations,
    created: createdBy(run),
    exchanges: [...material.exchanges.values()]
      .filter(({ id }) => material.keepsEveryExchange || named.has(id))
      .map((exchange) => run.redactor.exchange(exchange)),
  }
}

/** What is known of a run before its first call. */
export function openingOf(
  run: Run,
  known: Pick<Material, 'identity' | 'plan' | 'profile' | 'startedAtMs' | 'toolVersion'> & {
    selected: readonly LoadedScenario[]
    left: readonly LoadedScenario[]
  },
): RunOpening {
  const { identity, plan, profile, selected, left } = known
  return {
    ...{ identity, plan, profile },
    tool: toolOf(known.toolVersion),
    target: targetOf(run),
    startedAt: new Date(known.startedAtMs).toISOString(),
    requirements: requirementResults(run.registry, []),
    scenarios: [...selected.map((loaded) => outline(loaded, true)), ...left.map((loaded) => outline(loaded, false))],
  }
}

function outline({ id, file, scenario }: LoadedScenario, selected: boolean): ScenarioOutline {
  return { id, title: scenario.title, file, selected, checks: declaredChecks(scenario) }
}

function toolOf(version: string): RunResult['tool'] {
  return { name: 'partner-sandbox', version }
}

function targetOf({ target }: Run): RunResult['target'] {
  const main = target.credentials.find(({ name }) => name === 'main')
  return { url: target.url, environment: environmentOf(main?.keyId ?? '') ?? 'unknown' }
}

/**
 * The counts of a report: checks of the selected scenarios by verdict, requirements of the profile by status. A violated
 * requirement counts wherever it stands, because the verdict does not overlook it either.
 */
export function summaryOf(
  requirements: readonly RequirementResult[],
  checks: readonly CheckResult[],
  profile: RunProfile,
  requests: number,
): RunResult['summary'] {
  const counted = requirements.filter(({ id, status }) => profile.requirements.includes(id) || status === 'violated')
  return {
    checks: tally(
      CHECK_VERDICTS,
      checks
        .filter(({ verdict, reason }) => verdict !== 'not_run' || reason !== 'filtered')
        .map(({ verdict }) => verdict),
    ),
    requirements: tally(
      REQUIREMENT_STATUSES,
      counted.map(({ status }) => status),
    ),
    requests,
  }
}

function tally<Word extends string>(words: readonly Word[], found: readonly Word[]): Record<Word, number> {
  return Object.fromEntries(words.map((word) => [word, found.filter((one) => one === word).length])) as Record<
    Word,
    number
  >
}
