import fc from 'fast-check'
import { worstOf } from '../../../src/conformance/judge/verdict.ts'
import type {
  CheckResult,
  CheckVerdict,
  NotRunReason,
  RedactedExchange,
  RequirementResult,
  RunResult,
  ScenarioResult,
} from '../../../src/conformance/result/result.ts'
import { anyCharacter } from '../../support/any-character.ts'
import { HOSTILE, worked } from '../reporters/sample-run.ts'

const CHECK_VERDICTS: CheckVerdict[] = [
  ...(['pass', 'fail', 'tolerated', 'inconclusive', 'not_run', 'observed', 'drift', 'harness_error'] as const),
]
const REASONS: NotRunReason[] = ['needs-scope', 'needs-dialect', 'read-only', 'budget', 'filtered', 'interrupted']

/** What targets and people write: any text at all, whole lines, and the worst of the sample. */
const words = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 12 }),
  fc.string({ maxLength: 8 }),
  fc.constant(HOSTILE),
)
const ids = fc.stringMatching(/^[a-z]{1,6}\/[a-z-]{1,8}$/)
const milliseconds = fc.oneof(
  fc.nat(10_000),
  fc.integer({ min: 0, max: 99_999 }).map((n) => n / 10),
)
const header = fc.tuple(words, words)

function maybe<Value>(key: string, value: fc.Arbitrary<Value>): fc.Arbitrary<object> {
  return fc.option(value).map((one) => (one === null ? {} : { [key]: one }))
}

const check = fc
  .tuple(
    fc.record({
      step: words,
      requirement: words,
      verdict: fc.constantFrom(...CHECK_VERDICTS),
      expected: words,
      actual: words,
      exchange: fc.option(words),
    }),
    maybe('reason', fc.constantFrom(...REASONS)),
    maybe('note', words),
    maybe('twin', words),
    maybe('known', fc.record({ reason: words, until: words })),
  )
  .map((parts) => Object.assign({}, ...parts) as CheckResult)

const scenarios: fc.Arbitrary<ScenarioResult[]> = fc
  .uniqueArray(
    fc.record({
      id: ids,
      title: words,
      file: words,
      durationMs: milliseconds,
      checks: fc.array(check, { maxLength: 4 }),
    }),
    { selector: ({ id }) => id, maxLength: 5 },
  )
  .map((all) => all.map((one) => ({ ...one, verdict: worstOf(one.checks.map(({ verdict }) => verdict)) })))

const requirements: fc.Arbitrary<RequirementResult[]> = fc.uniqueArray(
  fc
    .tuple(
      fc.record({
        id: words,
        level: fc.constantFrom('must' as const, 'open' as const),
        text: words,
        section: words,
        status: fc.constantFrom(
          'violated' as const,
          'inconclusive' as const,
          'not_exercised' as const,
          'shown' as const,
        ),
        checks: fc.nat(20),
      }),
      maybe('unobservable', words),
    )
    .map((parts) => Object.assign({}, ...parts) as RequirementResult),
  { selector: ({ id }) => id, maxLength: 5 },
)

const exchanges: fc.Arbitrary<RedactedExchange[]> = fc.uniqueArray(
  fc
    .tuple(
      fc.record({
        id: words,
        scenario: words,
        sentAt: words,
        method: words,
        target: words,
        ...{
          requestHeaders: fc.array(header, { maxLength: 2 }),
          requestBody: words,
          canonicalString: fc.option(words),
        },
        status: fc.option(fc.nat(599)),
        responseHeaders: fc.array(header, { maxLength: 2 }),
        responseBody: words,
        broken: fc.option(words),
        tookMs: milliseconds,
      }),
      maybe('origin', words),
      maybe('speaker', fc.constant('target')),
    )
    .map((parts) => Object.assign({}, ...parts) as RedactedExchange),
  { selector: ({ id }) => id, maxLength: 4 },
)

const kinds = fc.constantFrom('order' as const, 'quote' as const, 'case' as const, 'checkout_session' as const)
/** JSON has one zero. */
const jsonValue = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown)
const observation = fc.record({
  gap: words,
  value: jsonValue,
  scenario: words,
})

/** Worked out from the checks. */
const NO_SUMMARY = { checks: {}, requirements: {} } as unknown as RunResult['summary']

/** A run as it might be, whatever the target said. */
export const randomRun: fc.Arbitrary<RunResult> = fc
  .record({
    scenarios,
    requirements,
    exchanges,
    startedAt: words,
    durationMs: milliseconds,
    interrupted: fc.boolean(),
    verdict: fc.constantFrom('conforming' as const, 'not_fully_verified' as const, 'void' as const),
    tool: fc.record({ name: words, version: words }),
    target: fc.record({ url: words, environment: words }),
    identity: fc.record({ runId: words, edition: words, scenarios: words, target: words }),
    profile: fc.record({ name: words, requirements: fc.array(words, { maxLength: 3 }) }),
    plan: fc.record({
      scenarios: fc.nat(),
      orders: fc.nat(),
      quotes: fc.nat(),
      webhooks: fc.nat(),
      questions: fc.nat(),
      budget: fc.record({ requests: fc.option(fc.nat()), orders: fc.option(fc.nat()), quotes: fc.option(fc.nat()) }),
      longestWaitMs: milliseconds,
    }),
    observations: fc.array(observation, { maxLength: 3 }),
    created: fc.array(fc.record({ kind: kinds, id: words }), { maxLength: 3 }),
    requests: fc.nat(),
  })
  // Plain objects: some of the generated ones have no prototype.
  .map(({ requests, ...run }) => structuredClone(worked({ ...run, summary: { ...NO_SUMMARY, requests } })))
