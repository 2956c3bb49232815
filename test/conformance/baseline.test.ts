import { describe, expect, it } from 'vitest'
import { exitCodeOfRun } from '../../src/cli/run/reports.ts'
import {
  applyBaseline,
  type BaselineEntry,
  fingerprintOf,
  isOver,
  newEntries,
} from '../../src/conformance/engine/baseline.ts'
import { baselineIn, baselineText } from '../../src/conformance/engine/baseline-file.ts'
import { headlineOf, reportModelOf } from '../../src/conformance/reports/report-model.ts'
import type {
  CheckResult,
  CheckVerdict,
  NotRunReason,
  RunResult,
  ScenarioResult,
} from '../../src/conformance/result/result.ts'
import { parseYaml } from '../../src/conformance/yaml/read-yaml.ts'
import { type FakeOptions, startFake } from '../support/fake-target.ts'
import { fakeTarget, judge, models, targetOf } from '../support/referee.ts'
import { sampleRun, worked } from './reporters/sample-run.ts'

const NOW_MS = Date.parse('2026-06-30T12:00:00Z')
const STRICT = { allowUnverified: false }
const LAX = { ...STRICT, allowUnverified: true }

const judged = async (options: FakeOptions): Promise<RunResult> => {
  const fake = await startFake(options)
  return judge(targetOf(fake)).finally(() => fake.close())
}
const [red, redAgain, green] = await Promise.all([
  judged({ fault: 'price-unchecked' }),
  judged({ fault: 'price-unchecked' }),
  judged({}),
])

const known = (result: RunResult, changes: Partial<BaselineEntry> = {}): BaselineEntry[] =>
  newEntries(result).map((entry) => ({ ...entry, reason: 'PAY-204', until: '2026-06-30', ...changes }))

describe('a baseline', () => {
  it('lets failures that it knows pass, and nothing else', async () => {
    const baselined = applyBaseline(red, known(red), NOW_MS)
    expect(baselined.result.verdict).toBe('non_conforming')
    const marked = baselined.result.scenarios.flatMap(({ checks }) => checks.filter((check) => check.known))
    expect(marked.map(({ known }) => known)).toContainEqual({ reason: 'PAY-204', until: '2026-06-30' })
    expect(marked.every(({ verdict }) => verdict === 'fail')).toBe(true)
    expect(exitCodeOfRun(baselined.result, LAX, baselined)).toBe(0)
    const [first, ...others] = known(red)
    expect(first).toBeDefined()
    const less = applyBaseline(red, others, NOW_MS)
    expect(exitCodeOfRun(less.result, LAX, less)).toBe(1)
  })

  it('is good again for a later run that fails alike, with other ids and domains', async () => {
    const entries = known(red)
    const later = applyBaseline(redAgain, entries, NOW_MS)
    expect(later).toMatchObject({ stale: [], changed: [], expired: [], unseen: [] })
    expect(exitCodeOfRun(later.result, LAX, later)).toBe(0)
  })

  it('is stale where a check passes by now', async () => {
    const entries = known(red)
    const baselined = applyBaseline(green, entries, NOW_MS)
    expect(baselined.stale).toEqual(entries)
    expect(exitCodeOfRun(green, LAX, baselined)).toBe(3)
  })

  it('does not know a check that fails in another way', async () => {
    const entries = known(red, { fingerprint: 'another way' })
    const baselined = applyBaseline(red, entries, NOW_MS)
    expect(baselined.changed.length).toBeGreaterThan(0)
    expect(baselined.result.scenarios.flatMap(({ checks }) => checks.filter((check) => check.known))).toEqual([])
    expect(exitCodeOfRun(baselined.result, LAX, baselined)).toBe(3)
  })

  it('expires at the end of its last day in UTC', async () => {
    const next = Date.parse('2026-07-01T00:00:00Z')
    expect([isOver('2026-06-30', next - 1), isOver('2026-06-30', next)]).toEqual([false, true])
    const baselined = applyBaseline(red, known(red), next)
    expect(baselined.expired).toHaveLength(known(red).length)
    const failed = baselined.result.scenarios.flatMap(({ checks }) =>
      checks.filter(({ verdict }) => verdict === 'fail'),
    )
    for (const { note } of failed)
      expect(note).toMatch(/^it was known until 2026-06-30, and its entry of the baseline is over: ./)
    expect(exitCodeOfRun(baselined.result, LAX, baselined)).toBe(3)
  })

  it('is neither stale nor of use where its check was not carried out', async () => {
    const entries = known(red)
    const other = await judge(targetOf(await fakeTarget()), models, { only: { scenarios: ['auth/*'] } })
    const baselined = applyBaseline(other, entries, NOW_MS)
    expect(baselined).toMatchObject({ stale: [], changed: [], expired: [], unseen: entries })
    expect(exitCodeOfRun(other, STRICT, baselined)).toBe(2)
  })
})

describe('known failures only', () => {
  /** Failed checks of NONCE-01 in two ways, one of it that decides nothing, and others that passed. */
  const run = runOf([
    ['NONCE-01', 'fail', 'accepted with 200'],
    ['NONCE-01', 'fail', 'accepted with 201'],
    ['NONCE-01', 'inconclusive', 'reset'],
    ['TIME-01', 'pass', '200'],
  ])
  const entry = { requirement: 'NONCE-01', reason: 'PAY-204', until: '2026-06-30' }
  const codeWith = (entries: BaselineEntry[], result = run, standards = STRICT) => {
    const baselined = applyBaseline(result, entries, NOW_MS)
    return exitCodeOfRun(baselined.result, standards, baselined)
  }

  it('are exit 0, whatever else the requirement says, and whatever the way in which it fails', () => {
    expect(codeWith([entry])).toBe(0)
    expect(headlineOf(reportModelOf(applyBaseline(run, [entry], NOW_MS).result)).verdict).toBe('known failures only')
    expect(codeWith(newEntries(run).map((added) => ({ ...entry, ...added })))).toBe(0)
  })

  it('are named where the profile of the run is not about them', () => {
    const sentenceOf = (requirements: string[]) =>
      headlineOf(reportModelOf({ ...run, profile: { ...run.profile, requirements } })).sentence
    expect(sentenceOf(['TIME-01'])).toMatch(/^1 requirement failed, NONCE-01 outside the profile\./)
    expect(sentenceOf(['NONCE-01', 'TIME-01'])).toMatch(/^1 requirement failed\./)
  })

  it('are written once for each way of failing, and another way is news', () => {
    const [first, second, ...more] = newEntries(run)
    expect([first?.fingerprint, second?.fingerprint, more]).toEqual([
      ...['accepted with 200 instead of refused', 'accepted with 201 instead of refused', []],
    ])
    expect(codeWith([{ ...entry, ...first }])).toBe(1)
  })

  it('do not excuse what is not verified elsewhere', () => {
    const open = runOf([
      ['NONCE-01', 'fail', 'accepted with 200'],
      ['TIME-01', 'inconclusive', 'reset'],
    ])
    expect(codeWith([entry], open)).toBe(2)
    expect(codeWith([entry], open, LAX)).toBe(0)
  })

  it('are exit 0 of a selection, too', () => {
    const only = runOf([['NONCE-01', 'fail', 'accepted with 200']])
    expect(codeWith([entry], only)).toBe(2)
    expect(codeWith([entry], only, { ...STRICT, selected: true } as typeof STRICT)).toBe(0)
  })

  it('are outdated once every check passes that this run can carry out', () => {
    const mended = runOf([
      ['NONCE-01', 'pass', '401'],
      ['NONCE-01', 'not_run', 'no second partner', 'needs-partner'],
      ['TIME-01', 'pass', '200'],
    ])
    expect(applyBaseline(mended, [entry], NOW_MS).stale).toEqual([entry])
    const narrowed = runOf([
      ['NONCE-01', 'pass', '401'],
      ['NONCE-01', 'not_run', 'left out', 'filtered'],
    ])
    expect(applyBaseline(narrowed, [entry], NOW_MS)).toMatchObject({ stale: [], unseen: [entry] })
  })
})

type Row = [requirement: string, verdict: CheckVerdict, actual: string, reason?: NotRunReason]

/** A run of these checks about NONCE-01 and TIME-01. */
function runOf(rows: readonly Row[]): RunResult {
  const checks = rows.map(
    ([requirement, verdict, actual, reason], at): CheckResult => ({
      ...{
        step: `s${at}`,
        requirement,
        verdict,
        actual,
        expected: 'refused',
        exchange: null,
        ...(reason && { reason }),
      },
    }),
  )
  const run = sampleRun()
  const profile = { name: 'all', requirements: ['NONCE-01', 'TIME-01'] }
  const requirements = run.requirements.filter(({ id }) => profile.requirements.includes(id))
  return worked({ ...run, profile, requirements, scenarios: [{ ...(run.scenarios[0] as ScenarioResult), checks }] })
}

describe('the file of a baseline', () => {
  const valid = `- check: orders/price-mismatch/too_high
  requirement: ORD-03
  fingerprint: accepted with 201 instead of refused
  reason: PAY-204
  until: "2026-09-30"
`
  const problemsOf = (text: string) =>
    baselineIn(parseYaml(text, 'baseline.yaml'), models).problems.map(
      ({ line, column, message }) => `${line}:${column} ${message}`,
    )

  it('is read', () => {
    expect(problemsOf(valid)).toEqual([])
    expect(problemsOf('# nothing is known\n')).toEqual([])
  })

  it.each([
    [
      'an empty reason',
      valid.replace('PAY-204', '""'),
      /^4:11 "reason" is empty; what belongs here: Why this is left as it is, and where that is tracked\. For example: known, see PAY-204$/,
    ],
    ['no reason', valid.replace('  reason: PAY-204\n', ''), /^1:3 .* must have the key "reason"$/],
    ['no last day', valid.replace(/ {2}until.*\n/, ''), /^1:3 .* must have the key "until"$/],
    [
      'a check and no fingerprint',
      valid.replace(/ {2}fingerprint.*\n/, ''),
      /^1:3 .* has "check", which needs "fingerprint" beside it$/,
    ],
    [
      'a requirement that is none',
      '- requirement: ORD-O3\n  reason: r\n  until: "2026-09-30"\n',
      /^1:16 no scenario checks "ORD-O3"; did you mean "ORD-03"\?$/,
    ],
    ['a last day that is none', valid.replace('09-30', '09-31'), /^5:10 until must be a day such as /],
    ['an unknown check', valid.replace('too_high', 'too_hgih'), /^1:10 no such check: ".*"; did you mean ".*too_high"/],
    ['a requirement that the check does not judge', valid.replace('ORD-03', 'ORD-01'), /^2:16 .* judges .*ORD-03/],
    ['an unknown key', valid.replace('reason:', 'reasons:'), /unknown key "reasons" .*; did you mean "reason"\?/],
    ['an entry that is there twice', valid + valid, /^6:3 this failure is listed twice; keep one entry$/],
    ['no list', 'check: x', /^1:1 the file must be a list or null$/],
  ])('with %s is refused with its place', (_what, text, problem) => {
    const found = problemsOf(text)
    expect(found.filter((line) => problem.test(line))).toHaveLength(1)
  })

  it('that was written from a green run is an empty list', () => {
    expect(parseYaml(baselineText([]), 'baseline.yaml').data).toEqual([])
    expect(problemsOf(baselineText([]))).toEqual([])
  })

  it('that was written from a red run asks for each reason and last day, and for nothing else', async () => {
    const entries = newEntries(red)
    const found = problemsOf(baselineText(entries))
    expect(found).toHaveLength(2 * entries.length)
    expect(found.every((line) => /"(?:reason|until)" is empty; what belongs here: .*For example: /.test(line))).toBe(
      true,
    )
    const filled = baselineText(entries)
      .replaceAll('reason: ""', 'reason: PAY-1')
      .replaceAll('until: ""', 'until: "2027-01-01"')
    expect(problemsOf(filled)).toEqual([])
  })
})

describe('how a check fails', () => {
  const fingerprint = (actual: string, expected = 'accepted (any 2xx)') => fingerprintOf({ actual, expected })

  it('is told by status and code, without the message', () => {
    expect(fingerprint('409 conflict: conf-5349b783b1-3.test is sold already')).toBe(
      '409 conflict instead of accepted (any 2xx)',
    )
  })

  it.each([
    ['order.public_id is ord_xw00yk3e8bn0m01r', 'order.public_id is ord_0cemq2re1j9dseab'],
    [
      'number 1 of 7 orders.items should not be there',
      'number 4 of 9 orders.items should not be there: link.id is LNK-Q',
    ],
    [
      'another answer than first got: /name is solar.example, there wind.example',
      'another answer than first got: no code',
    ],
    ['none of 1 event fits', 'none of 3 events fits'],
    ['1 delivery', '1 deliveries'],
    ['created_at is 2026-11-21T20:55:14.002Z', 'created_at is 2026-01-02T03:04:05Z'],
    ['order.sale_price_cents is 120200', 'order.sale_price_cents is 451'],
    ['127 transactions.items add up to 50, not to 100', '144 transactions.items add up to 60, not to 120'],
    ['webhook.url is http://127.0.0.1:40745/d715e925', 'webhook.url is http://127.0.0.1:1/x'],
  ])('is the same for %s and %s', (one, other) => {
    expect(fingerprint(one)).toBe(fingerprint(other))
  })

  it.each([
    ['accepted with 200', 'accepted with 201'],
    ['0 events', '1 events'],
    ['400 validation_error: x', '422 validation_error: x'],
    ['no order.currency', 'no order.domain'],
  ])('is another one for %s and %s', (one, other) => {
    expect(fingerprint(one)).not.toBe(fingerprint(other))
  })
})
