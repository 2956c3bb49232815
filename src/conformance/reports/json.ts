import type { CheckResult, RunResult, ScenarioResult } from '../result/result.ts'
import { jsonText } from './escape.ts'
import type { Reporter } from './reporter.ts'

/** For programs: the outcome without the exchanges, in snake_case. */
export const json: Reporter = {
  render: (result) => `${jsonText(jsonView(result), 2)}\n`,
}

/**
 * The `json` view of a run. Text from the target stands as it came: whoever parses it reads what the target said.
 *
 * @example jsonView(result).summary.checks.fail // 0
 */
export function jsonView(result: RunResult) {
  return {
    verdict: result.verdict,
    target: { url: result.target.url, environment: result.target.environment },
    profile: { name: result.profile.name, requirements: [...result.profile.requirements] },
    summary: { checks: { ...result.summary.checks }, requirements: { ...result.summary.requirements } },
    requirements: result.requirements.map(({ id, level, status, checks }) => ({ id, level, status, checks })),
    scenarios: result.scenarios.map(scenarioView),
    observations: result.observations.map(({ gap, value }) => ({ gap, value })),
    created: result.created.map(({ kind, id }) => ({ kind, id })),
  }
}

function scenarioView({ id, title, verdict, durationMs, checks }: ScenarioResult) {
  return { id, title, verdict, duration_ms: Math.round(durationMs), checks: checks.map(checkView) }
}

/** `reason`, `note`, `twin` and `known` (by a baseline) are there only where the check has one. */
function checkView({ step, requirement, verdict, expected, actual, exchange, ...rest }: CheckResult) {
  const { reason, note, twin, known } = rest
  return {
    ...{ step, requirement, verdict, expected, actual, exchange },
    ...(reason === undefined ? {} : { reason }),
    ...(note === undefined ? {} : { note }),
    ...(twin === undefined ? {} : { twin }),
    ...(known === undefined ? {} : { known }),
  }
}
