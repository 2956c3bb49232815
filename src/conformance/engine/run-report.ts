import { environmentOf } from '../../contract/ids.ts'
import type { Run } from '../context/run-context.ts'
import type { Exchange } from '../http/exchange.ts'
import { requirementResults, runVerdictOf } from '../judge/verdict.ts'
import {
  CHECK_VERDICTS,
  type CheckResult,
  type Outline,
  REQUIREMENT_STATUSES,
  type RequirementResult,
  type RunOpening,
  type RunProfile,
  type RunResult,
  type ScenarioOutline,
} from '../result/result.ts'
import { whenAsked } from '../result/when-asked.ts'
import { createdBy } from './settle-scenario.ts'

/** What is known of a run before its first call. */
export type Known = Pick<RunResult, 'identity' | 'plan' | 'profile'> & { startedAtMs: number; toolVersion: string }

/** What came of a run. */
export interface Outcome extends Pick<RunResult, 'scenarios' | 'observations' | 'durationMs'> {
  exchanges: readonly Exchange[]
  /** Also those that no check names. */
  keepsEveryExchange: boolean
}

/** The outcome of a run as plain data. */
export function reportRun(run: Run, known: Known, outcome: Outcome): RunResult {
  const { scenarios, observations, durationMs, keepsEveryExchange } = outcome
  const checks = scenarios.flatMap((scenario) => scenario.checks)
  const requirements = requirementResults(run.registry, checks)
  const named = new Set(checks.map(({ exchange }) => exchange))
  // Most reports of a green run show none of them.
  const exchanges = whenAsked(() =>
    outcome.exchanges
      .filter(({ id }) => keepsEveryExchange || named.has(id))
      .map((exchange) => run.redactor.exchange(exchange)),
  )
  return {
    verdict: runVerdictOf(requirements, checks, known.profile),
    ...headOf(run, known),
    interrupted: checks.some(({ reason }) => reason === 'interrupted'),
    durationMs,
    summary: summaryOf(requirements, checks, known.profile, run.budget.requests),
    requirements,
    scenarios,
    observations,
    created: createdBy(run),
    get exchanges() {
      return exchanges()
    },
  }
}

/** What a run reports before its first call. */
export function openingOf(run: Run, known: Known, chosen: readonly Outline[], left: readonly Outline[]): RunOpening {
  return {
    ...headOf(run, known),
    requirements: requirementResults(run.registry, []),
    scenarios: [...chosen.map((outline) => rowOf(outline, true)), ...left.map((outline) => rowOf(outline, false))],
  }
}

function rowOf({ id, title, file, checks }: Outline, selected: boolean): ScenarioOutline {
  return { id, title, file, selected, checks }
}

function headOf({ target }: Run, { startedAtMs, toolVersion, identity, profile, plan }: Known) {
  const main = target.credentials.find(({ name }) => name === 'main')
  return {
    tool: { name: 'partner-sandbox', version: toolVersion },
    target: { url: target.url, environment: environmentOf(main?.keyId ?? '') ?? 'unknown' },
    ...{ identity, profile, plan },
    startedAt: new Date(startedAtMs).toISOString(),
  }
}

/**
 * The counts of a report: checks of the selected scenarios by verdict, requirements of the profile by status. A violated
 * requirement counts even outside the profile, because the verdict does not overlook it either.
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
