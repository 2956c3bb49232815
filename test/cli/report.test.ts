import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { logOf } from '../../src/conformance/log/write-log.ts'
import { REPORTER_NAMES, REPORTERS as ROWS } from '../../src/conformance/reports/reporters.ts'
import type { CheckResult, RunResult } from '../../src/conformance/result/result.ts'
import { REPORTERS } from '../conformance/reporters/rendering.ts'
import { greenRun, HOSTILE, INVOCATION, sampleRun, voidRun, worked } from '../conformance/reporters/sample-run.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { cli } from './run.ts'

function folder(): string {
  return tempFolder()
}

/** The log of a run in a file. */
function logged(run: RunResult, keepsNothing = false): string {
  const file = join(folder(), 'run.ndjson')
  writeFileSync(file, logOf(run, { invocation: INVOCATION, keepsNothing }))
  return file
}

/** The green run with other checks in its one scenario. */
function runWith(checks: readonly Partial<CheckResult>[], rest: Partial<RunResult> = {}): RunResult {
  const run = greenRun()
  const [first] = run.scenarios
  if (!first) throw new Error('the sample has no scenario')
  const base = {
    step: 'first',
    requirement: 'TIME-01',
    verdict: 'pass',
    expected: 'e',
    actual: 'a',
    exchange: null,
  } as const
  const scenarios = [{ ...first, checks: checks.map((check) => ({ ...base, ...check })) }]
  return { ...worked({ ...run, scenarios }), ...rest }
}

/** A check that passed, and one that did not run. */
const OPEN = [{}, { verdict: 'not_run', reason: 'needs-scope' }] as const

describe('report --from', () => {
  it.each(REPORTER_NAMES)('makes %s of a log as the run itself would have', async (name) => {
    const { out } = await cli(['report', '--from', logged(sampleRun()), '--reporter', name])
    const words = { color: false, invocation: INVOCATION, keepsNothing: false, ownScenarios: 'scenarios' }
    expect(out).toBe(REPORTERS[name].render(sampleRun(), words))
  })

  it('makes every report again byte for byte from the log of a real run', async () => {
    const [then, now] = [folder(), folder()]
    const wanted = (place: string) => REPORTER_NAMES.flatMap((name) => ['--reporter', `${name}=${join(place, name)}`])
    const run = await cli([
      'conform',
      '--self',
      '--only',
      'auth/wrong-secret',
      'auth/duplicate-headers',
      ...wanted(then),
    ])
    const again = await cli(['report', '--from', join(then, 'ndjson'), ...wanted(now)])
    expect(again).toMatchObject({ code: run.code, err: '' })
    for (const name of REPORTER_NAMES) {
      const [first, second] = [then, now].map((place) => readFileSync(join(place, name), 'utf8'))
      expect(first?.length).toBeGreaterThan(50)
      expect(second === first, name).toBe(true)
    }
  }, 60_000)

  it.each<[string, RunResult, string[], number]>([
    ['conforming', greenRun(), [], 0],
    ['non-conforming', sampleRun(), [], 1],
    ['that did nothing', voidRun(), ['--allow-unverified'], 2],
    ['not fully verified', runWith(OPEN), [], 2],
    ['not fully verified, where that is allowed', runWith(OPEN), ['--allow-unverified'], 0],
    ['interrupted, where that is allowed', runWith(OPEN, { interrupted: true }), ['--allow-unverified'], 2],
    [
      'whose failure is known',
      runWith([{}, { verdict: 'fail', known: { reason: 'r', until: '2026-12-31' } }]),
      ['--allow-unverified'],
      0,
    ],
    ['with a drift, where that is a failure', withDrift(), ['--fail-on', 'drift'], 1],
  ])('ends as the run did that was %s', async (_what, run, flags, code) => {
    expect((await cli(['report', '--from', logged(run), '--reporter', 'json', ...flags])).code).toBe(code)
  })

  it('is made from one log', async () => {
    const log = logged(greenRun())
    expect(await cli(['report', '--from', log, '--from', log])).toMatchObject({
      code: 4,
      err: expect.stringContaining('It is given twice; name one log, or compare two with "report diff"'),
    })
  })

  it('writes a file of every format to one folder, beside what is printed', async () => {
    const all = join(folder(), 'deep', 'reports')
    const { code, out } = await cli(['report', '--from', logged(sampleRun()), '--output', all])
    expect(code).toBe(1)
    expect(out).toContain('Verdict         NON-CONFORMING')
    const files = REPORTER_NAMES.map((name) => ROWS[name].file)
    expect(readdirSync(all).sort()).toEqual(files.toSorted())
    for (const file of files) expect(readFileSync(join(all, file), 'utf8').length).toBeGreaterThan(100)
    const log = join(all, 'run.ndjson')
    expect((await cli(['report', '--from', log, '--output', all])).err).toContain(
      `--output: ${log} is the log that is read`,
    )
  })

  it('says that a log ends before its run did', async () => {
    const file = logged(sampleRun())
    writeFileSync(file, readFileSync(file, 'utf8').split('\n').slice(0, 5).join('\n'))
    const { code, out, err } = await cli(['report', '--from', file])
    expect({ code, err }).toEqual({
      code: 1,
      err: `${file} is incomplete: what is missing counts as not run\n`,
    })
    expect(out).toContain('interrupted: the run ended before this check')
  })

  it('reads a log from a link, and says which file it cannot read', async () => {
    const link = join(folder(), 'latest.ndjson')
    symlinkSync(logged(greenRun()), link)
    expect((await cli(['report', '--from', link])).code).toBe(0)
    expect(await cli(['report', '--from', 'no/such.ndjson'])).toMatchObject({
      code: 4,
      err: 'error: no/such.ndjson: no such file\n',
    })
  })

  it.each([
    ['an HTML page', '<html></html>\n', 1, 'the line is not a JSON object, so this is not the log of a run'],
    ['nothing', '', 1, 'a log of a run begins with a line of type run'],
    [
      'a later format',
      logOf(greenRun(), { invocation: '', keepsNothing: false }).replace('"format":3', '"format":7'),
      1,
      'the log is of format 7; this version reads 3',
    ],
    [
      'hostile text',
      `${JSON.stringify({ type: 'run', format: `${HOSTILE}\u009b2J${'long '.repeat(1_000)}` })}\n`,
      1,
      'the log is of format "',
    ],
  ])('refuses %s in one line with its place', async (_what, text, line, why) => {
    const file = join(folder(), 'run.ndjson')
    writeFileSync(file, text)
    const { code, out, err } = await cli(['report', '--from', file])
    expect({ code, out }).toEqual({ code: 4, out: '' })
    expect(err.startsWith(`error: ${file}:${line}: ${why}`), err).toBe(true)
    expect(err.indexOf('\n')).toBe(err.length - 1)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must not be there
    expect(err).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/)
  })

  it('needs a log, and leaves report files alone where that cannot be read', async () => {
    expect(await cli(['report'])).toMatchObject({ code: 4, err: 'error: name a log: --from run.ndjson\n' })
    const kept = join(folder(), 'report.json')
    writeFileSync(kept, 'of yesterday')
    await cli(['report', '--from', 'no/such.ndjson', '--reporter', `json=${kept}`])
    expect(readFileSync(kept, 'utf8')).toBe('of yesterday')
  })
})

/** A run whose one red thing is a drift. */
function withDrift(): RunResult {
  return runWith([{}, { verdict: 'drift' }])
}

describe('a report', () => {
  it('is not written over the log that it is made from', async () => {
    const log = logged(sampleRun())
    const before = readFileSync(log, 'utf8')
    expect(await cli(['report', '--from', log, '--reporter', `html=${log}`])).toMatchObject({
      code: 4,
      err: `error: --reporter: ${log} is the log that is read; write the new one to another file\n`,
    })
    expect(readFileSync(log, 'utf8')).toBe(before)
  })
})

describe('report diff', () => {
  const before = runWith([
    { step: 'kept' },
    { step: 'lost' },
    { step: 'breaks' },
    { step: 'mended', verdict: 'fail' },
    { step: 'unproved' },
    { step: 'new', verdict: 'not_run', reason: 'needs-scope' },
  ])
  const after = runWith(
    [
      { step: 'kept' },
      { step: 'lost', verdict: 'not_run', reason: 'needs-operator' },
      { step: 'breaks', verdict: 'fail', actual: HOSTILE },
      { step: 'mended' },
      { step: 'unproved', verdict: 'inconclusive', note: 'the twin was refused' },
      { step: 'new' },
    ],
    {
      observations: [{ gap: 'G-1', value: HOSTILE, scenario: 'auth/nonce-reuse' }],
      identity: { ...greenRun().identity, edition: 'a later one' },
    },
  )
  const diff = (one: RunResult, other: RunResult, ...flags: string[]) =>
    cli(['report', 'diff', logged(one), logged(other), ...flags])

  it('tells what was lost first, then what is red, and ends with 1', async () => {
    const { code, out, err } = await diff(before, after)
    expect({ code, err }).toEqual({ code: 1, err: '' })
    expect(out.split('\n').filter((line) => /^\S/.test(line))).toEqual([
      'LOST: ran before, not run now (1)',
      'NOW FAILED (1)',
      'NOW INCONCLUSIVE (1)',
      'Now passed (1)',
      'Not run before (1)',
      'Answers to open points that changed (1)',
      'The runs have different inputs (1)',
    ])
    expect(out).toContain('  TIME-01  auth/nonce-reuse > lost  passed -> not run (needs-operator)\n')
    expect(out).toContain('requirements: aaaaaaaaaaaa -> a later one')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must not be there
    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/)
  })

  it('has the same for programs', async () => {
    const { code, out } = await diff(before, after, '--json')
    const view = JSON.parse(out)
    expect({ code, worse: view.worse }).toEqual({ code: 1, worse: true })
    const steps = (name: string) => view[name].map(({ step }: { step: string }) => step)
    expect(['lost', 'newly_failing', 'newly_unproved', 'newly_passing', 'gained', 'changed'].map(steps)).toEqual([
      ...[['lost'], ['breaks'], ['unproved'], ['mended'], ['new'], []],
    ])
    expect(view.observations).toEqual([{ gap: 'G-1', scenario: 'auth/nonce-reuse', before: [], after: [HOSTILE] }])
  })

  it('ends with 0 where nothing is lost and nothing newly red', async () => {
    expect(await diff(before, before)).toMatchObject({ code: 0, out: 'no difference\n' })
    expect((await diff(runWith([{ verdict: 'fail' }]), runWith([{}]))).code).toBe(0)
    expect((await diff(runWith([{ verdict: 'observed' }]), runWith([{ verdict: 'drift' }]))).code).toBe(0)
  })

  it('ends with 1 for a scenario that has vanished, and with 0 for a failure that is known', async () => {
    expect((await diff(runWith([{}]), runWith([]))).code).toBe(1)
    const known = { reason: 'ticket 12', until: '2026-12-31' }
    const { code, out } = await diff(runWith([{}]), runWith([{ verdict: 'fail', known }]))
    expect(code).toBe(0)
    expect(out).toContain('known failure: ticket 12 (until 2026-12-31)')
  })

  it('tells many by scenario, and each with --all; what is the same is there once', async () => {
    const many = runWith(Array.from({ length: 12 }, (_, at) => ({ step: `s${at % 4}` })))
    const red = runWith(Array.from({ length: 12 }, (_, at) => ({ step: `s${at % 4}`, verdict: 'fail' as const })))
    const { out } = await diff(many, red)
    expect(out).toContain('NOW FAILED (12)\n  auth/nonce-reuse  12 checks: TIME-01\n')
    expect(out).toContain('--all or --json shows every check')
    const all = (await diff(many, red, '--all')).out
    expect(all.match(/auth\/nonce-reuse > s\d .+ \(3 times\)\n/g)).toHaveLength(4)
    expect(all).not.toContain('--json')
    expect((await diff(many, red, '--all', '--json')).code).toBe(4)
  })

  it('says that the second run was narrowed, and still ends with 1', async () => {
    const { code, out } = await diff(runWith([{}]), runWith([{ verdict: 'not_run', reason: 'filtered' }]))
    expect(code).toBe(1)
    expect(out).toMatch(/^The second run was narrowed: its selection leaves out 1 scenario that the first one ran\.\n/)
    expect(out).toContain('LOST: left out of the second run, or nothing to judge there (1)\n')
    expect(out).not.toContain('ran before')
  })

  it('refuses what it has no use for, and files that are no logs', async () => {
    expect((await cli(['report', 'diff', 'a', 'b', '--reporter', 'json'])).err).toBe(
      'error: unknown option "--reporter"; see partner-sandbox report diff --help\n',
    )
    expect((await cli(['report', 'diff', logged(greenRun()), 'no/such'])).code).toBe(4)
  })
})

describe('report questions', () => {
  it('asks what the document leaves open, with what each target was seen to do', async () => {
    const open = { id: 'G-1', level: 'open' as const, text: 'Whether it rains is not given.', section: 'Weather' }
    const run = greenRun()
    const asked: RunResult = {
      ...run,
      requirements: [...run.requirements, { ...open, status: 'not_exercised', checks: 0 }],
      observations: [{ gap: 'G-1/monday', value: 'it does', scenario: 'auth/nonce-reuse' }],
    }
    const { code, out } = await cli(['report', 'questions', logged(asked)])
    expect(code).toBe(0)
    expect(out).toContain('Whether it rains is not given.')
    expect(out).toContain('it does')
  })

  it('refuses a device, which might never end', async () => {
    const { code, err } = await cli(['report', '--from', '/dev/zero'])
    expect([code, err]).toEqual([4, 'error: /dev/zero: this is a device, not a log\n'])
  })

  it('refuses a file that is no log', async () => {
    expect((await cli(['report', 'questions', 'no/such'])).code).toBe(4)
  })
})
