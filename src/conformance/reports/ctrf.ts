import type { RunResult } from '../result/result.ts'
import { allChecks, type CheckInContext, whyNot } from './digest.ts'
import { jsonText } from './escape.ts'
import type { Reporter } from './reporter.ts'
import { knownWords, type Standing, standingOf, VOID } from './standing.ts'

/** Common Test Report Format, version 1: one test a check. */
export const ctrf: Reporter = {
  render: (result) => `${jsonText(ctrfView(result), 2)}\n`,
}

type Status = 'passed' | 'failed' | 'skipped' | 'pending' | 'other'

/**
 * What was left out is skipped, what lacks a capability or was not reached is pending, and a known failure, like a drift, is
 * other: each has a status of its own. An inconclusive check is failed; it must not look like a skip on purpose.
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

function ctrfView(result: RunResult) {
  const tests = [...allChecks(result).map(testOf), ...runTests(result)]
  const start = Date.parse(result.startedAt) || 0
  const stop = start + Math.round(result.durationMs)
  const counts = STATUSES.map((status) => [status, tests.filter((test) => test.status === status).length])
  const { target, profile, identity } = result
  return {
    reportFormat: 'CTRF',
    specVersion: '1.0.0',
    generatedBy: `${result.tool.name} ${result.tool.version}`,
    timestamp: new Date(stop).toISOString(),
    results: {
      tool: result.tool,
      summary: { tests: tests.length, ...Object.fromEntries(counts), start, stop },
      tests,
      environment: {
        appName: target.url,
        testEnvironment: target.environment,
        extra: { profile: profile.name, run_id: identity.runId, edition: identity.edition },
      },
      extra: { verdict: result.verdict, interrupted: result.interrupted, requirements: result.summary.requirements },
    },
  }
}

/** JSON leaves out what is undefined. */
function testOf(found: CheckInContext) {
  const { scenario, check } = found
  const { requirement, expected, actual, twin, note, known } = check
  const standing = standingOf(check)
  return {
    name: `${check.step}: ${requirement}`,
    status: STATUS[standing],
    // Checks are judged together; the time is that of their scenario.
    duration: 0,
    suite: [scenario.id],
    message: messageOf(found, standing),
    rawStatus: check.verdict,
    tags: [requirement],
    filePath: scenario.file,
    extra: {
      requirement,
      standing,
      expected,
      actual,
      twin,
      note,
      exchange: check.exchange ?? undefined,
      known,
      scenario_title: scenario.title,
      scenario_duration_ms: Math.round(scenario.durationMs),
    },
  }
}

function messageOf({ check, exchange }: CheckInContext, standing: Standing): string | undefined {
  const { expected, actual } = check
  if (standing === 'known failure') return `${knownWords(check)}; expected ${expected}, got ${actual}`
  if (standing === 'violated' || standing === 'drifted') return `expected ${expected}, got ${actual}`
  if (standing === 'fine') return check.verdict === 'tolerated' ? whyNot(check) : undefined
  return `${standing}: ${whyNot(check, exchange)}`
}

/** What is wrong with the run itself is a failed test, because consumers take a report without one for a good one. */
function runTests({ verdict, interrupted }: RunResult) {
  const failed = (name: string, message: string) => ({ name, status: 'failed' as const, duration: 0, message })
  return [
    ...(verdict === 'void' ? [failed('at least one check', VOID)] : []),
    ...(interrupted ? [failed('the run finished', 'it was interrupted')] : []),
  ]
}
