import type { CheckResult, RedactedExchange, RunResult, ScenarioResult } from '../result/result.ts'
import { whyNot } from './digest.ts'
import { jsonText } from './escape.ts'
import type { Reporter } from './reporter.ts'
import { knownWords, type Standing, standingOf } from './standing.ts'

/** Common Test Report Format, version 1: one test a check. */
export const ctrf: Reporter = {
  render: (result) => `${jsonText(ctrfView(result), 2)}\n`,
}

type Status = 'passed' | 'failed' | 'skipped' | 'pending' | 'other'

/**
 * What was left out is skipped, what lacks a capability or was not reached is pending, and a known failure, like a drift, is
 * other: each has a status of its own. What proved nothing has failed; it must not look like a choice.
 */
const STATUS: Readonly<Record<Standing, Status>> = {
  fine: 'passed',
  violated: 'failed',
  unproved: 'failed',
  'known failure': 'other',
  drifted: 'other',
  skipped: 'skipped',
  unsupported: 'pending',
  interrupted: 'pending',
}

const STATUSES: readonly Status[] = ['passed', 'failed', 'skipped', 'pending', 'other']

export function ctrfView(result: RunResult) {
  const exchanges = new Map(result.exchanges.map((exchange) => [exchange.id, exchange]))
  const own = result.scenarios.flatMap((scenario) => testsOf(scenario, exchanges))
  const tests = [...own, ...runTests(result)]
  const start = Date.parse(result.startedAt) || 0
  const stop = start + Math.round(result.durationMs)
  const counts = STATUSES.map((status) => [status, tests.filter((test) => test.status === status).length])
  return {
    ...{ reportFormat: 'CTRF', specVersion: '1.0.0', generatedBy: `${result.tool.name} ${result.tool.version}` },
    timestamp: new Date(stop).toISOString(),
    results: {
      tool: { ...result.tool },
      summary: { tests: tests.length, ...Object.fromEntries(counts), start, stop },
      tests,
      environment: {
        ...{ appName: result.target.url, testEnvironment: result.target.environment },
        extra: { profile: result.profile.name, run_id: result.identity.runId, edition: result.identity.edition },
      },
      extra: { verdict: result.verdict, interrupted: result.interrupted, requirements: result.summary.requirements },
    },
  }
}

function testsOf(scenario: ScenarioResult, exchanges: ReadonlyMap<string, RedactedExchange>) {
  return scenario.checks.map((check) => {
    const standing = standingOf(check)
    const message = messageOf(check, standing, exchanges.get(check.exchange ?? ''))
    return {
      name: `${check.step}: ${check.requirement}`,
      status: STATUS[standing],
      // Checks are judged together; the time is that of their scenario.
      duration: 0,
      suite: [scenario.id],
      ...(message === null ? {} : { message }),
      rawStatus: check.verdict,
      tags: [check.requirement],
      filePath: scenario.file,
      extra: extraOf(scenario, check, standing),
    }
  })
}

function messageOf(check: CheckResult, standing: Standing, exchange: RedactedExchange | undefined): string | null {
  const { expected, actual } = check
  if (standing === 'known failure') return `${knownWords(check)}; expected ${expected}, got ${actual}`
  if (standing === 'violated' || standing === 'drifted') return `expected ${expected}, got ${actual}`
  if (standing === 'fine') return check.verdict === 'tolerated' ? whyNot(check) : null
  return `${standing}: ${whyNot(check, exchange)}`
}

function extraOf(scenario: ScenarioResult, check: CheckResult, standing: Standing) {
  const { requirement, expected, actual, twin, note, exchange, known } = check
  return {
    ...{ requirement, standing, expected, actual, twin, note, exchange: exchange ?? undefined, known },
    ...{ scenario_title: scenario.title, scenario_duration_ms: Math.round(scenario.durationMs) },
  }
}

/** What is wrong with the run itself is a failed test, because consumers take a report without one for a good one. */
function runTests({ verdict, interrupted }: RunResult) {
  const wrong = [
    ...(verdict === 'void' ? [['at least one check', 'nothing was checked, so this run says nothing']] : []),
    ...(interrupted ? [['the run came to its end', 'it was interrupted']] : []),
  ]
  return wrong.map(([name, message]) => ({ name, status: 'failed' as const, duration: 0, message }))
}
