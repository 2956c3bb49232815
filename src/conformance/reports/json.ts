import { surroundingsOf } from '../log/lines.ts'
import { followRun, logOf } from '../log/write-log.ts'
import type { CheckResult, RunResult } from '../result/result.ts'
import { jsonText } from './escape.ts'
import type { Reporter } from './report-model.ts'

/** For programs: the outcome without the exchanges, in snake_case. */
export const json: Reporter = {
  render: ({ run }) => `${jsonText(jsonView(run), 2)}\n`,
}

/**
 * The `json` view of a run. Text from the target is unchanged: a program that parses it reads what the target said.
 *
 * @example jsonView(result).summary.checks.fail // 0
 */
export function jsonView(result: RunResult) {
  return {
    verdict: result.verdict,
    target: result.target,
    profile: result.profile,
    summary: { checks: result.summary.checks, requirements: result.summary.requirements },
    requirements: result.requirements.map(({ id, level, status, checks }) => ({ id, level, status, checks })),
    scenarios: result.scenarios.map(({ id, title, verdict, durationMs, checks }) => ({
      id,
      title,
      verdict,
      duration_ms: Math.round(durationMs),
      checks: checks.map(checkView),
    })),
    observations: result.observations.map(({ gap, value }) => ({ gap, value })),
    created: result.created,
  }
}

/** JSON leaves out what a check has not: `reason`, `optional`, `note`, `twin`, and `known` by a baseline. */
function checkView(check: CheckResult) {
  const { step, requirement, verdict, expected, actual, exchange, reason, optional, note, twin, known } = check
  return { step, requirement, verdict, expected, actual, exchange, reason, optional, note, twin, known }
}

/** The run's log, from which every other report can be made. */
export const ndjson: Reporter = {
  wants: 'every-exchange',
  render: ({ run }, options) => logOf(run, surroundingsOf({ keepsNothing: false, ...options })),
  follow: (write, options) => followRun(write, surroundingsOf({ keepsNothing: false, ...options })),
}
