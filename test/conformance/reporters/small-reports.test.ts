import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { headlineOf, reportModelOf } from '../../../src/conformance/reports/report-model.ts'
import type { CheckResult, RunResult } from '../../../src/conformance/result/result.ts'
import { size } from '../../support/size.ts'
import { REPORTERS } from './rendering.ts'
import { greenRun, HOSTILE, INVOCATION, sampleRun, voidRun } from './sample-run.ts'

it('says how many requirements passed, where a choice of the target hides another one', () => {
  const run = greenRun()
  const [shown] = run.requirements
  if (!shown) throw new Error('the sample has no requirement')
  const hidden = { ...shown, id: 'HOOK-04', status: 'not_exercised' as const }
  const profile = { name: 'all', requirements: ['TIME-01', 'HOOK-04'] }
  const model = reportModelOf({ ...run, profile, requirements: [shown, hidden] })
  expect(headlineOf(model).sentence).toBe(
    '1 of 2 requirements passed; the other one cannot be seen, by a choice that the document leaves to the target.',
  )
})

const plain = { color: false, invocation: INVOCATION }
const MARKUP = '`@octocat` ``| [x](http://evil.example) <img src=x> #1 www.evil.example ![y](z) \\| **b** | ~~~'

/** A run with one check for each thing that is not simply green, whose target speaks Markdown. */
function troubled(): RunResult {
  const run = sampleRun()
  const check = (step: string, rest: Partial<CheckResult>): CheckResult => ({
    step,
    requirement: 'NONCE-01',
    verdict: 'not_run',
    expected: MARKUP,
    actual: MARKUP,
    exchange: null,
    ...rest,
  })
  const checks = [
    check('known', { verdict: 'fail', known: { reason: `ticket 12 ${MARKUP}`, until: '2026-12-31' } }),
    check('left_out', { reason: 'filtered', note: MARKUP }),
    check('cannot', { reason: 'needs-operator', note: MARKUP }),
    check('not_reached', { reason: 'interrupted' }),
    check('red', { verdict: 'fail', note: MARKUP, twin: MARKUP }),
  ]
  const extra = {
    id: 'replay/markup',
    title: MARKUP,
    file: 'scenarios/a,b:c%.yaml',
    verdict: 'fail' as const,
    durationMs: 1,
    checks,
  }
  return {
    ...run,
    observations: [...run.observations, { gap: 'G-1', value: { said: MARKUP }, scenario: 'replay/markup' }],
    created: [...run.created, { kind: 'order', id: MARKUP }],
    scenarios: [...run.scenarios, extra],
  }
}

/** A run with so many failures, each as long as a target can make it: of one requirement each, or all of the same one. */
function failing(count: number, idOf = (n: number) => `NONCE-${n}`): RunResult {
  const run = sampleRun()
  const [first] = run.scenarios
  const [call] = run.exchanges
  if (!first || !call) throw new Error('the sample is empty')
  const text = '`x|'.repeat(9_000)
  const checks = Array.from({ length: count }, (_, n): CheckResult => {
    return { step: `s${n}`, requirement: idOf(n), verdict: 'fail', expected: text, actual: text, exchange: call.id }
  })
  return { ...run, scenarios: [{ ...first, checks }], exchanges: [{ ...call, requestBody: text }] }
}

describe('the outcome of checks', () => {
  const model = reportModelOf(troubled())

  it('keeps what the reader left out, known failures and what did not run apart', () => {
    expect(model.checks.length - model.counted.length).toBe(1)
    expect(model.known.map(({ id }) => id)).toEqual(['NONCE-01'])
    expect(model.counts.checks).toEqual({ passed: 2, failed: 4, inconclusive: 2, 'not run': 4, observed: 3 })
  })

  it('is counted the same in every report', () => {
    const words =
      '2 passed, 4 failed (1 known), 2 inconclusive (1 by an error of the runner), 4 not run, 3 observed (1 not as pinned)'
    for (const name of ['pretty', 'markdown', 'html'] as const)
      expect(REPORTERS[name].render(troubled(), plain)).toContain(words)
    expect(REPORTERS.junit.render(troubled(), plain)).toContain('tests="15" failures="3" errors="2" skipped="5"')
    expect(JSON.parse(REPORTERS.ctrf.render(troubled(), plain)).results.summary.tests).toBe(15)
  })

  it('groups failures by requirement and by the way in which they failed', () => {
    const [nonce, signature] = reportModelOf(failing(3, () => 'NONCE-01')).failed
    expect([nonce?.id, nonce?.checks.length, nonce?.causes.length]).toEqual(['NONCE-01', 3, 1])
    expect(signature).toBeUndefined()
    const ways = model.failed.map(({ id, causes }) => [id, causes.length])
    expect(ways).toEqual([
      ['NONCE-01', 2],
      ['AUTH-13', 1],
    ])
  })
})

/** Markdown without its code: what could act. */
function outsideCode(text: string): string {
  return text
    .split('\n')
    .reduce<{ fence: string; kept: string[] }>(
      ({ fence, kept }, line) => {
        const [mark = ''] = /^`{3,}/.exec(line) ?? []
        if (fence === '' && mark !== '') return { fence: mark, kept }
        if (fence !== '') return { fence: line === fence ? '' : fence, kept }
        return { fence, kept: [...kept, line.replaceAll(/(?<![`\\])(`+)(?!`).*?(?<!`)\1(?!`)/g, 'CODE')] }
      },
      { fence: '', kept: [] },
    )
    .kept.join('\n')
}

describe('markdown', () => {
  const text = REPORTERS.markdown.render(troubled(), plain)

  it('lets no markup, mention or link of the target act', () => {
    const acting = outsideCode(text)
    expect(acting).not.toMatch(/(?<!\\)</)
    expect(acting).not.toMatch(/@(?!&#8203;)/)
    expect(acting).not.toMatch(/(?<!\\)[[\]!]\[|(?<!\\)\[x|http:\/\/|www\.evil/)
    expect(acting).toContain('## Failed')
  })

  it('keeps every row of a table to its columns', () => {
    const rows = text.split('\n').filter((line) => line.startsWith('|'))
    const columns = rows.map((row) => row.replaceAll(/\\./g, '').split('|').length - 2)
    expect(new Set(columns)).toEqual(new Set([5, 3]))
  })

  it('tells failures first, then what was known, and why the rest is not verified', () => {
    const titles = text.split('\n').filter((line) => line.startsWith('## '))
    expect(titles).toEqual([
      ...['## Failed', '## Known failures (listed in the baseline)', '## Inconclusive', '## Errors of the runner'],
      ...['## Observed: not as pinned', '## Observed: the target follows another sentence of the document'],
      ...['## Requirements that were not verified', '## What was not verified, and why'],
      '## Observed where the document leaves a choice',
      '## Left on the target',
    ])
    expect(text.indexOf('### NONCE-01')).toBeLessThan(text.indexOf('## Known failures'))
  })

  it('lists the first few of what was created by kind, and says how many requirements the selection left out', () => {
    const run = sampleRun()
    const created = Array.from({ length: 17 }, (_, n) => ({ kind: 'case' as const, id: `brk_${n}` }))
    const scenarios = run.scenarios.map((scenario) => ({
      ...scenario,
      checks: scenario.checks.map((one) =>
        one.requirement === 'STATE-01' ? { ...one, reason: 'filtered' as const, note: undefined } : one,
      ),
    }))
    const whole = REPORTERS.markdown.render({ ...run, created, scenarios } as RunResult, plain)
    expect(whole).toContain('\n- 17 cases: `brk_0, brk_1, brk_2, and 14 more`\n')
    expect(whole).toContain('\nThe selection left out 1 more requirement.\n')
  })

  it('says how to reproduce a failure', () => {
    expect(text).toContain(`${INVOCATION} --selected --only replay/markup`)
    expect(text).toContain("partner-sandbox sign GET 'http://127.0.0.1:4600/api/partner/v1/availability?domain=a.test'")
  })

  it.each(size([800], [3_000]))('stays below what GitHub takes with %i long failures, and counts the rest', (count) => {
    const long = REPORTERS.markdown.render(failing(count), plain)
    expect(Buffer.byteLength(long)).toBeLessThan(1024 * 1024)
    expect(long).toMatch(/\*\*This report is too long: \d+ parts are left out\.\*\*/)
  })

  it('is short for a green run', () => {
    const green = REPORTERS.markdown.render(greenRun(), plain)
    expect(green).toContain('# Conformance: ✅ conforming')
    expect(green).not.toContain('## Failed')
    expect(REPORTERS.markdown.render(voidRun(), plain)).toContain('# Conformance: ⚠️ nothing ran\n\nNo check ran')
  })
})

/** As the runner of GitHub Actions reads a line. */
function readCommand(line: string) {
  const [, kind = '', properties = '', data = ''] = /^::(\w+) (.*?)::(.*)$/s.exec(line) ?? []
  const decoded = (text: string) =>
    text
      .replaceAll('%0D', '\r')
      .replaceAll('%0A', '\n')
      .replaceAll('%3A', ':')
      .replaceAll('%2C', ',')
      .replaceAll('%25', '%')
  const pairs = properties.split(',').map((pair) => [pair.split('=')[0], decoded(pair.slice(pair.indexOf('=') + 1))])
  return { kind, ...Object.fromEntries(pairs), message: decoded(data) } as Record<string, string>
}

describe('github', () => {
  const lines = REPORTERS.github.render(troubled(), plain).trimEnd().split('\n')
  const commands = lines.map(readCommand)

  it('writes nothing but commands, whatever the target said', () => {
    expect(lines.every((line) => /^::(error|warning|notice) /.test(line))).toBe(true)
    expect(lines.join('')).not.toMatch(/\r/)
  })

  it('names requirement, scenario and file, also where they hold what separates properties', () => {
    expect(commands.find(({ title }) => title?.includes('red'))).toMatchObject({
      kind: 'error',
      title: 'NONCE-01 replay/markup > red',
      file: 'scenarios/a,b:c%.yaml',
      message: expect.stringContaining(`actual: ${MARKUP}`),
    })
  })

  it.each(['../lib/scenarios/a.yaml', 'node_modules/partner-sandbox/scenarios/a.yaml'])(
    'points into no file that the checkout does not have: %s',
    (file) => {
      const run = troubled()
      const elsewhere = { ...run, scenarios: run.scenarios.map((scenario) => ({ ...scenario, file })) }
      const read = REPORTERS.github.render(elsewhere, plain).trimEnd().split('\n').map(readCommand)
      expect(read.filter(({ file: named }) => named !== undefined)).toEqual([])
    },
  )

  it('points into no scenario of this package', () => {
    const own = { ...plain, ownScenarios: 'scenarios' }
    const read = REPORTERS.github.render(troubled(), own).trimEnd().split('\n').map(readCommand)
    expect(read.filter(({ file: named }) => named !== undefined)).toEqual([])
  })

  it('makes errors of violations, warnings of what is unproved or drifted, and notices of known failures', () => {
    const kindOf = (step: string) => commands.find(({ title }) => title?.endsWith(`> ${step}`))?.kind
    expect(['exact_copy', 'crash', 'limit', 'pinned', 'stale', 'known', 'left_out'].map(kindOf)).toEqual([
      ...['error', 'error', 'warning', 'warning', 'notice', 'notice', undefined],
    ])
  })

  it('shows ten of a kind at most, and the tenth counts the rest', () => {
    const many = REPORTERS.github.render(failing(40), plain).trimEnd().split('\n').map(readCommand)
    const errors = many.filter(({ kind }) => kind === 'error')
    expect(errors).toHaveLength(10)
    expect(errors.at(-1)?.title).toBe('and 31 more')
  })

  it('tells the verdict of a green run and of one that checked nothing', () => {
    const [green] = REPORTERS.github.render(greenRun(), plain).split('\n').map(readCommand)
    const [nothing] = REPORTERS.github.render(voidRun(), plain).split('\n').map(readCommand)
    expect(green).toMatchObject({ kind: 'notice', title: 'Conformance: conforming' })
    expect(nothing).toMatchObject({ kind: 'error', title: 'Conformance: nothing ran' })
  })
})

/** What the format asks of a document, as far as ours uses it. */
const CTRF_SCHEMA = (() => {
  const [text, whole, any] = [{ type: 'string' }, { type: 'integer' }, { type: 'object' }]
  const closed = (required: string[], properties: object) => ({
    type: 'object',
    additionalProperties: false,
    required,
    properties,
  })
  const status = { enum: ['passed', 'failed', 'skipped', 'pending', 'other'] }
  const name = { type: 'string', minLength: 1 }
  const suite = { type: 'array', minItems: 1, items: text }
  const counts = ['tests', 'passed', 'failed', 'skipped', 'pending', 'other', 'start', 'stop']
  const told = { message: text, rawStatus: text, tags: { type: 'array', items: text }, filePath: text, extra: any }
  const test = closed(['name', 'status', 'duration'], { name, status, duration: whole, suite, ...told })
  const summary = closed(counts, Object.fromEntries(counts.map((count) => [count, whole])))
  const tool = closed(['name'], { name, version: text })
  const environment = closed([], { appName: text, testEnvironment: text, extra: any })
  const tests = { type: 'array', items: test }
  return closed(['results', 'reportFormat', 'specVersion'], {
    reportFormat: { const: 'CTRF' },
    specVersion: { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+$' },
    timestamp: text,
    generatedBy: text,
    results: closed(['tool', 'summary', 'tests'], { tool, summary, tests, environment, extra: any }),
  })
})()

describe('ctrf', () => {
  const validate = new Ajv({ strict: false, allErrors: true }).compile(CTRF_SCHEMA)
  const read = (run: RunResult) => JSON.parse(REPORTERS.ctrf.render(run, plain))

  it.each([
    ['with trouble of every kind', troubled()],
    ['that is green', greenRun()],
    ['that did nothing', voidRun()],
    ['that was interrupted', { ...greenRun(), interrupted: true }],
  ])('has the members that the format asks for, of a run %s', (_kind, run) => {
    validate(read(run))
    expect(validate.errors).toBeNull()
  })

  it('counts what it lists', () => {
    const { summary, tests } = read(troubled()).results
    for (const status of ['passed', 'failed', 'skipped', 'pending', 'other'])
      expect([status, summary[status]]).toEqual([
        status,
        tests.filter((test: { status: string }) => test.status === status).length,
      ])
    expect(summary.tests).toBe(tests.length)
  })

  it('gives each kind of trouble a status of its own, and what the target said as it came', () => {
    const { tests } = read(troubled()).results
    const statusOf = (step: string) => tests.find((test: { name: string }) => test.name.startsWith(`${step}:`)).status
    expect(['first', 'red', 'known', 'cannot', 'limit'].map(statusOf)).toEqual([
      ...['passed', 'failed', 'other', 'pending', 'failed'],
    ])
    expect(tests.find((test: { name: string }) => test.name.startsWith('exact_copy:')).extra.actual).toBe(
      `200 with ${HOSTILE}`,
    )
  })

  it('has a failed test for a run that checked nothing', () => {
    expect(read(voidRun()).results.summary).toMatchObject({ tests: 1, failed: 1 })
  })
})
