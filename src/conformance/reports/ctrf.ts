import type { ReportedCheck } from './causes.ts'
import { jsonText } from './escape.ts'
import { messageOf } from './not-verified.ts'
import { earlyEnd, nothingRan, OUTCOME_OF, type Reporter, type ReportModel } from './report-model.ts'

/** Common Test Report Format, version 1: one test a check. */
export const ctrf: Reporter = {
  render: (model) => `${jsonText(ctrfView(model), 2)}\n`,
}

type Status = 'passed' | 'failed' | 'skipped' | 'pending' | 'other'

const STATUSES: readonly Status[] = ['passed', 'failed', 'skipped', 'pending', 'other']

/**
 * What a dry run did not send is skipped, what lacks a capability or was not reached is pending, and a known failure, like an
 * answer that is not as pinned, is other. An inconclusive check is failed; it must not look like a skip on purpose.
 */
function statusOf({ check: { known, verdict, reason } }: ReportedCheck): Status {
  if (known !== undefined || verdict === 'drift') return 'other'
  if (verdict === 'not_run') return reason === 'dry-run' ? 'skipped' : 'pending'
  const outcome = OUTCOME_OF[verdict]
  return outcome === 'failed' || outcome === 'inconclusive' ? 'failed' : 'passed'
}

function ctrfView({ run, counted }: ReportModel) {
  const tests = [...counted.map(testOf), ...runTests(run)]
  const start = Date.parse(run.startedAt) || 0
  const stop = start + Math.round(run.durationMs)
  const counts = STATUSES.map((status) => [status, tests.filter((test) => test.status === status).length])
  const { target, profile, identity } = run
  return {
    reportFormat: 'CTRF',
    specVersion: '1.0.0',
    generatedBy: `${run.tool.name} ${run.tool.version}`,
    timestamp: new Date(stop).toISOString(),
    results: {
      tool: run.tool,
      summary: { tests: tests.length, ...Object.fromEntries(counts), start, stop },
      tests,
      environment: {
        appName: target.url,
        testEnvironment: target.environment,
        extra: { profile: profile.name, run_id: identity.runId, edition: identity.edition },
      },
      extra: { verdict: run.verdict, interrupted: run.interrupted, requirements: run.summary.requirements },
    },
  }
}

/** JSON leaves out what is undefined. */
function testOf(found: ReportedCheck) {
  const { scenario, check } = found
  const { requirement, expected, actual, twin, note, known } = check
  return {
    name: `${check.step}: ${requirement}`,
    status: statusOf(found),
    // Checks are judged together; the time is that of their scenario.
    duration: 0,
    suite: [scenario.id],
    message: messageOf(found) || undefined,
    rawStatus: check.verdict,
    tags: [requirement],
    filePath: scenario.file,
    extra: {
      requirement,
      outcome: OUTCOME_OF[check.verdict],
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

/** What is wrong with the run itself is a failed test, because consumers take a report without one for a good one. */
function runTests(run: ReportModel['run']) {
  const early = earlyEnd(run)
  const failed = (name: string, message: string) => ({ name, status: 'failed' as const, duration: 0, message })
  return [
    ...(run.verdict === 'void' ? [failed('at least one check', nothingRan(run))] : []),
    ...(early === null ? [] : [failed('the run finished', `it ${early}`)]),
  ]
}
