import { summaryOf } from '../../../src/conformance/engine/run-report.ts'
import { requirementResults, runVerdictOf } from '../../../src/conformance/judge/verdict.ts'
import { registryOf } from '../../../src/conformance/log/lines.ts'
import type {
  CheckResult,
  CheckVerdict,
  RedactedExchange,
  RequirementResult,
  RunResult,
} from '../../../src/conformance/result/result.ts'

/** Everything a target could say to break a report: colors, cursor moves, markup, CDATA ends, overrides, NUL. */
export const HOSTILE =
  '\u001b[31mred\u001b[2J <b>&"\']]><!-- \u0000\u0008\u009b1m \u202egnp.exe \ud800 \ufffe ::error::\r\nnext line'

export const HASH_OF_NOTHING = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

export const INVOCATION = 'partner-sandbox conform http://127.0.0.1:4600 --key-id pk_test_1'

const ABOUT = [
  ...['NONCE-01', 'AUTH-13', 'NONCE-03', 'TIME-01', 'ERR-03', 'TIME-02', 'STATE-01', 'STATE-02', 'LINK-01'],
]

/** A run whose requirements, verdict and counts are what its checks make them. */
export function worked(run: RunResult): RunResult {
  const checks = run.scenarios.flatMap((scenario) => scenario.checks)
  const requirements = requirementResults(registryOf(run.requirements), run.scenarios)
  return {
    ...run,
    requirements,
    verdict: runVerdictOf(requirements, checks, run.profile),
    summary: summaryOf(requirements, checks, run.profile, run.summary.requests),
  }
}

/** A run in which every verdict occurs once, against a target that says hostile things. */
export function sampleRun(): RunResult {
  return worked({
    verdict: 'non_conforming',
    tool: { name: 'partner-sandbox', version: '0.1.0' },
    target: { url: 'http://127.0.0.1:4600', environment: 'test' },
    identity: { runId: '3f2a90c1d4', edition: 'aaaaaaaaaaaa', scenarios: 'bbbbbbbbbbbb', target: 'cccccccccccc' },
    profile: { name: 'all', requirements: [...ABOUT] },
    plan: {
      scenarios: 3,
      orders: 2,
      quotes: 1,
      webhooks: 0,
      longestWaitMs: 0,
      questions: 0,
      budget: { requests: 40, orders: 2, quotes: 1 },
    },
    interrupted: false,
    startedAt: '2026-11-20T10:00:00.000Z',
    durationMs: 2_345.6,
    summary: {
      checks: checkCounts({
        pass: 2,
        fail: 2,
        tolerated: 1,
        inconclusive: 1,
        not_run: 2,
        observed: 1,
        drift: 1,
        harness_error: 1,
      }),
      requirements: requirementCounts({ violated: 2, inconclusive: 1, not_exercised: 4, shown: 2 }),
      requests: 17,
    },
    requirements: [
      requirement('NONCE-01', 'violated', 'Replay protection', 'A call that is sent twice is refused the second time.'),
      requirement('AUTH-13', 'violated', 'Canonical string', 'A signature over another string is refused.'),
      requirement('NONCE-03', 'shown', 'Replay protection', 'A fresh nonce is accepted.'),
      requirement('TIME-01', 'shown', 'Replay protection', 'Up to 300 seconds are accepted.'),
      requirement('ERR-03', 'inconclusive', 'Limits', 'Waiting as long as told is enough.'),
      requirement('TIME-02', 'not_exercised', 'Replay protection', 'An old timestamp is refused.'),
      requirement('STATE-01', 'not_exercised', 'States and transitions', 'The push is started.'),
      requirement('STATE-02', 'not_exercised', 'States and transitions', 'The delivery is confirmed.'),
      requirement('LINK-01', 'not_exercised', 'Referral', 'A link has one of three kinds.'),
    ],
    scenarios: [
      {
        id: 'auth/nonce-reuse',
        title: 'A used nonce is refused',
        file: 'scenarios/auth/nonce-reuse.yaml',
        verdict: 'fail',
        durationMs: 120,
        checks: [
          check('first', 'TIME-01', 'pass', { exchange: 's1e1' }),
          check('exact_copy', 'NONCE-01', 'fail', {
            expected: 'refused with replay_detected',
            actual: `200 with ${HOSTILE}`,
            exchange: 's1e2',
            twin: 'accepted with 200',
            note: 'nonces are not remembered',
          }),
          check('fresh', 'NONCE-03', 'pass', { exchange: 's1e1' }),
        ],
      },
      {
        id: 'auth/canonical',
        title: HOSTILE,
        file: 'scenarios/auth/canonical.yaml',
        verdict: 'fail',
        durationMs: 80,
        checks: [
          check('lower_case_verb', 'AUTH-13', 'fail', {
            expected: 'refused',
            actual: '200',
            exchange: 's2e1',
            twin: 'accepted with 200',
          }),
          check('stale', 'TIME-02', 'tolerated', {
            expected: 'refused with invalid_timestamp',
            actual: '401 invalid_signature',
          }),
          check('status', 'AUTH-17', 'observed', { expected: 'any status', actual: '403' }),
          check('pinned', 'AUTH-19', 'drift', { expected: '401, as pinned', actual: '400' }),
        ],
      },
      {
        id: 'states/transfer',
        title: 'Orders move',
        file: 'scenarios/states/transfer.yaml',
        verdict: 'inconclusive',
        durationMs: 10,
        checks: [
          check('start', 'STATE-01', 'not_run', { reason: 'needs-operator', note: 'start_transfer is not to be had' }),
          check('complete', 'STATE-02', 'not_run', { reason: 'needs-operator', note: HOSTILE }),
          check('limit', 'ERR-03', 'inconclusive', { actual: 'the connection broke', note: 'reset' }),
          check('crash', 'ERR-03', 'harness_error', { actual: 'our own fault' }),
        ],
      },
    ],
    observations: [
      { gap: 'replay-status', value: 403, scenario: 'auth/nonce-reuse' },
      { gap: 'error-layout', value: HOSTILE, scenario: 'auth/canonical' },
    ],
    created: [
      { kind: 'order', id: 'ord_1' },
      { kind: 'order', id: HOSTILE },
      { kind: 'checkout_session', id: 'cs_1' },
    ],
    exchanges: [
      exchange('s1e2', 'GET', '/api/partner/v1/availability?domain=a.test', {}),
      exchange('s2e1', 'POST', '/api/partner/v1/quotes', {
        scenario: 'auth/canonical',
        canonicalString: ['post', '/api/partner/v1/quotes', '', '1763632800', 'nonce-1', 'ab'.repeat(32)].join('\n'),
        requestBody: '{"domain":"it\'s.test"}',
        oddity: 'a fault on purpose, {"canonical":"verb_lower"}',
      }),
    ],
  })
}

/** A run that did nothing at all. */
export function voidRun(): RunResult {
  return {
    ...sampleRun(),
    verdict: 'void',
    summary: { checks: checkCounts({}), requirements: requirementCounts({ not_exercised: 1 }), requests: 0 },
    requirements: [
      requirement('NONCE-01', 'not_exercised', 'Replay protection', 'A call that is sent twice is refused.'),
    ],
    scenarios: [],
    observations: [],
    created: [],
    exchanges: [],
  }
}

/** A run that ended before its first check, because the target refused every valid call. */
export function refusedRun(): RunResult {
  const run = sampleRun()
  const why = {
    reason: 'interrupted' as const,
    note: 'the target refused every valid call (401) before this was reached',
  }
  const scenarios = run.scenarios.map((scenario) => ({
    ...scenario,
    verdict: 'not_run' as const,
    checks: scenario.checks.map(({ step, requirement }) =>
      check(step, requirement, 'not_run', { expected: scenario.title, actual: 'not carried out', ...why }),
    ),
  }))
  const requirements = run.requirements.map((row) => ({ ...row, status: 'not_exercised' as const, checks: 0 }))
  const summary = { checks: checkCounts({ not_run: 11 }), requirements: requirementCounts({ not_exercised: 9 }) }
  return {
    ...voidRun(),
    interrupted: true,
    requirements,
    scenarios,
    profile: run.profile,
    summary: { ...summary, requests: 3 },
  }
}

/** A run in which everything was shown. */
export function greenRun(): RunResult {
  const run = sampleRun()
  const [first] = run.scenarios
  if (!first) throw new Error('the sample has no scenario')
  return {
    ...voidRun(),
    verdict: 'conforming',
    profile: { name: 'all', requirements: ['TIME-01'] },
    summary: { checks: checkCounts({ pass: 1 }), requirements: requirementCounts({ shown: 1 }), requests: 1 },
    requirements: [requirement('TIME-01', 'shown', 'Replay protection', 'Up to 300 seconds are accepted.')],
    scenarios: [{ ...first, verdict: 'pass', checks: [check('first', 'TIME-01', 'pass', {})] }],
  }
}

/** The sample with one of its two failures named by a baseline, and one of its open points seen to drift. */
export function knownRun(): RunResult {
  const run = sampleRun()
  const known = { reason: `PAY-311 ${HOSTILE}`, until: '2026-12-31' }
  const scenarios = run.scenarios.map((scenario) => ({
    ...scenario,
    checks: scenario.checks.map((one) => (one.requirement === 'AUTH-13' ? { ...one, known } : one)),
  }))
  return { ...run, scenarios, interrupted: true }
}

const CLOSED_WORDS = new Set(['verdict', 'status', 'level', 'reason', 'kind', 'speaker', 'startedAt', 'sentAt'])

/** A run in which every text that is not one of our own few words has become another one. */
export function runOfTexts(run: RunResult, textOf: (was: string) => string): RunResult {
  const changed = (value: unknown, key = ''): unknown => {
    if (typeof value === 'string') return CLOSED_WORDS.has(key) ? value : textOf(value)
    if (Array.isArray(value)) return value.map((inner) => changed(inner))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, changed(inner, name)]))
  }
  return changed(run) as RunResult
}

function checkCounts(counts: Partial<Record<CheckVerdict, number>>): Record<CheckVerdict, number> {
  const none = { pass: 0, fail: 0, tolerated: 0, inconclusive: 0, not_run: 0, observed: 0, drift: 0, harness_error: 0 }
  return { ...none, ...counts }
}

function requirementCounts(
  counts: Partial<Record<RequirementResult['status'], number>>,
): Record<RequirementResult['status'], number> {
  return { violated: 0, inconclusive: 0, not_exercised: 0, shown: 0, ...counts }
}

function requirement(id: string, status: RequirementResult['status'], section: string, text: string) {
  return { id, level: 'must' as const, text, section, status, checks: status === 'not_exercised' ? 0 : 1 }
}

function check(step: string, id: string, verdict: CheckVerdict, rest: Partial<CheckResult>): CheckResult {
  return { step, requirement: id, verdict, expected: 'accepted', actual: '200', exchange: null, ...rest }
}

function exchange(id: string, method: string, target: string, rest: Partial<RedactedExchange>): RedactedExchange {
  return {
    id,
    scenario: 'auth/nonce-reuse',
    sentAt: '2026-11-20T10:00:00.500Z',
    method,
    target,
    requestHeaders: [
      ['accept', 'application/json'],
      ['user-agent', 'partner-sandbox-conformance'],
      ['X-Partner-Key-Id', 'pk_test_1'],
      ['X-Partner-Timestamp', '1763632800'],
      ['X-Partner-Nonce', 'nonce-1'],
      ['X-Partner-Signature', '[redacted]'],
    ],
    requestBody: '',
    canonicalString: [
      method,
      '/api/partner/v1/availability',
      'domain=a.test',
      '1763632800',
      'nonce-1',
      HASH_OF_NOTHING,
    ].join('\n'),
    status: 200,
    responseHeaders: [],
    responseBody: HOSTILE,
    broken: null,
    tookMs: 3,
    ...rest,
  }
}
