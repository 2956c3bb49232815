import { summaryOf } from '../engine/run-report.ts'
import type { RequirementRegistry } from '../format/requirements.ts'
import { requirementResults, runVerdictOf } from '../judge/verdict.ts'
import {
  byId,
  type RequirementResult,
  type RunResult,
  type ScenarioOutline,
  type ScenarioResult,
} from '../result/result.ts'
import { type LogContents, openingOf, resultOf } from './lines.ts'

/** The outcome of a run that was killed before it could report. */
export function cutShort(contents: LogContents): RunResult {
  const { run, exchanges, seen } = contents
  const scenarios = run.scenarios.map((outline) => asFarAsItGot(outline, contents)).sort(byId)
  const checks = scenarios.flatMap((scenario) => scenario.checks)
  const requirements = requirementResults(registryOf(run.requirements), checks)
  const verdict = runVerdictOf(requirements, checks, run.profile)
  return {
    ...openingOf(run),
    ...seen,
    verdict: verdict === 'conforming' ? 'not_fully_verified' : verdict,
    interrupted: true,
    durationMs: spanMs(contents),
    summary: summaryOf(requirements, checks, run.profile, exchanges.size),
    requirements,
    scenarios,
    exchanges: [...exchanges.values()],
  }
}

/** The rows of a report, as the registry that they were read from; tolerated codes have been applied by then. */
export function registryOf(
  rows: readonly Pick<RequirementResult, 'id' | 'level' | 'text' | 'section' | 'unobservable'>[],
): RequirementRegistry {
  return {
    requirements: new Map(rows.map(({ id, level, text, section }) => [id, { id, level, text, section }])),
    conflicts: [],
    unobservable: new Map(
      rows.flatMap(({ id, unobservable }) => (unobservable === undefined ? [] : [[id, unobservable] as const])),
    ),
  }
}

function asFarAsItGot(
  { id, title, file, selected, checks }: ScenarioOutline,
  { scenarios }: LogContents,
): ScenarioResult {
  const line = scenarios.get(id)
  if (line) return resultOf(line)
  const reason = selected ? 'interrupted' : 'filtered'
  const undone = { verdict: 'not_run', expected: title, actual: 'not carried out', exchange: null, reason } as const
  return {
    id,
    title,
    file,
    verdict: 'not_run',
    durationMs: 0,
    checks: checks.map((check) => ({ ...check, ...undone })),
  }
}

/** From the start to the last that is known of it. */
function spanMs({ run, exchanges }: LogContents): number {
  const startedAtMs = Date.parse(run.startedAt)
  const ends = [...exchanges.values()].map(({ sentAt, tookMs }) => Date.parse(sentAt) + tookMs - startedAtMs)
  return ends.filter((ms) => ms >= 0).reduce((longest, ms) => Math.max(longest, ms), 0)
}
