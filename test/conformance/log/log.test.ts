import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Progress } from '../../../src/conformance/engine/run-options.ts'
import { readLog } from '../../../src/conformance/log/lines.ts'
import { followRun, logOf } from '../../../src/conformance/log/write-log.ts'
import type { RunResult } from '../../../src/conformance/result/result.ts'
import { anyCharacter } from '../../support/any-character.ts'
import { size } from '../../support/size.ts'
import { greenRun, HOSTILE, INVOCATION, sampleRun, voidRun } from '../reporters/sample-run.ts'
import { randomRun } from './random-runs.ts'

const around = { invocation: INVOCATION, keepsNothing: false }

describe('the log of a run', () => {
  it.each([
    ['with every verdict', sampleRun()],
    ['that is green', greenRun()],
    ['that did nothing', voidRun()],
  ])('is read back as the same run, one %s', (_kind, run) => {
    expect(readLog(logOf(run, around))).toMatchObject({ result: run, complete: true, surroundings: around })
    expect(readLog(logOf(run, around)).result).toStrictEqual(run)
  })

  it('is read back as the same run, whatever the target said', () => {
    fc.assert(
      fc.property(randomRun, fc.boolean(), fc.string(), (run, keepsNothing, invocation) => {
        const { result, complete, surroundings } = readLog(logOf(run, { invocation, keepsNothing }))
        expect(result).toStrictEqual(run)
        expect({ complete, surroundings }).toEqual({ complete: true, surroundings: { invocation, keepsNothing } })
      }),
      { numRuns: size(20, 200) },
    )
  })

  it('is written the same once more from what was read', () => {
    fc.assert(
      fc.property(randomRun, (run) => {
        const text = logOf(run, around)
        expect(logOf(readLog(text).result, around)).toBe(text)
      }),
      { numRuns: size(10, 50) },
    )
  })

  it('is one JSON object a line, in plain ASCII, with its type in front', () => {
    const lines = logOf(sampleRun(), around).split('\n')
    expect(lines.pop()).toBe('')
    expect(lines.map((line) => Object.keys(JSON.parse(line))[0])).toEqual(lines.map(() => 'type'))
    expect(lines.map((line) => JSON.parse(line).type)).toEqual([
      ...['run', 'exchange', 'exchange', 'scenario', 'scenario', 'scenario', 'end'],
    ])
    expect(lines.join('')).toMatch(/^[\x20-\x7e]*$/)
    expect(logOf(sampleRun(), around)).not.toContain(HOSTILE)
  })
})

/** What a run tells while it goes, with the calls of each scenario before its end. */
function storyOf(run: RunResult): Progress[] {
  const requirements = run.requirements.map((row) => ({ ...row, status: 'not_exercised' as const, checks: 0 }))
  const scenarios = run.scenarios.map(({ id, title, file, checks }) => ({ id, title, file, selected: true, checks }))
  const { tool, target, identity, profile, plan, startedAt } = run
  return [
    { kind: 'planned', tool, target, identity, profile, plan, startedAt, requirements, scenarios },
    ...run.exchanges.map((exchange) => ({ kind: 'exchange' as const, scenario: exchange.scenario, exchange })),
    ...run.scenarios.toReversed().map((result, at) => ({
      kind: 'scenario-finished' as const,
      ...{
        result,
        provisional: false,
        observations: run.observations.filter(({ scenario }) => scenario === result.id),
      },
      created: run.created.slice(0, at + 1),
    })),
  ]
}

function followed(run: RunResult, story: readonly Progress[] = storyOf(run)): string[] {
  const lines: string[] = []
  const log = followRun((text) => text !== '' && lines.push(text), around)
  for (const progress of story) log.show(progress)
  log.end(run)
  return lines.join('').split('\n').slice(0, -1)
}

describe('a log that is written while the run goes', () => {
  it('tells the same run as one that is written at the end', () => {
    fc.assert(
      fc.property(randomRun, (run) => {
        expect(readLog(`${followed(run).join('\n')}\n`).result).toStrictEqual(run)
      }),
      { numRuns: size(20, 100) },
    )
  })

  it('has each line as soon as it is known, and says nothing twice', () => {
    const types = followed(sampleRun()).map((line) => JSON.parse(line).type)
    expect(types).toEqual(['run', 'exchange', 'exchange', 'scenario', 'scenario', 'scenario', 'end'])
  })

  it('tells a scenario once more where the end of the run has changed its checks', () => {
    const run = sampleRun()
    const story = storyOf(run).map((progress) =>
      progress.kind === 'scenario-finished' && progress.result.id === 'auth/canonical'
        ? { ...progress, provisional: true, result: { ...progress.result, verdict: 'inconclusive' as const } }
        : progress,
    )
    const lines = followed(run, story)
    expect(
      lines.filter((line) => line.includes('"id":"auth/canonical","title"') && !line.includes('"type":"run"')),
    ).toHaveLength(2)
    expect(readLog(`${lines.join('\n')}\n`).result).toStrictEqual(run)
  })
})

describe('the log of a run that was killed', () => {
  const lines = followed(sampleRun())
  const upTo = (count: number) => `${lines.slice(0, count).join('\n')}\n`

  it('is an interrupted run that says which scenarios are done', () => {
    const { result, complete } = readLog(upTo(5))
    expect({ complete, interrupted: result.interrupted }).toEqual({ complete: false, interrupted: true })
    expect(result.scenarios.map(({ id, verdict }) => [id, verdict])).toContainEqual(['auth/canonical', 'fail'])
    expect(result.created).toEqual(sampleRun().created.slice(0, 2))
    expect(result.exchanges).toEqual(sampleRun().exchanges)
  })

  it('counts what had not been reached as interrupted, and none of its requirements as shown', () => {
    const { result } = readLog(upTo(5))
    const left = result.scenarios.find(({ id }) => id === 'auth/nonce-reuse')
    expect(left?.checks.map(({ verdict, reason }) => [verdict, reason])).toEqual(
      [1, 2, 3].map(() => ['not_run', 'interrupted']),
    )
    expect(result.requirements.find(({ id }) => id === 'TIME-01')?.status).toBe('not_exercised')
    expect(result.scenarios.map(({ id }) => id)).toEqual(['auth/canonical', 'auth/nonce-reuse', 'states/transfer'])
  })

  it('is never conforming, even where all of it had been shown', () => {
    const run = greenRun()
    const text = `${followed(run).slice(0, -1).join('\n')}\n`
    expect(readLog(`${text}`).result.verdict).toBe('not_fully_verified')
    expect(readLog(logOf(run, around)).result.verdict).toBe('conforming')
  })

  it('can be cut at any byte after its first line', () => {
    const text = `${lines.join('\n')}\n`
    for (let length = (lines[0]?.length ?? 0) + 1; length < text.length; length += 7)
      expect(readLog(text.slice(0, length)).complete).toBe(false)
  })

  it('keeps a scenario whose verdict might have changed', () => {
    const story = storyOf(sampleRun()).map((progress) =>
      progress.kind === 'scenario-finished' ? { ...progress, provisional: true } : progress,
    )
    const text = `${followed(sampleRun(), story).slice(0, 6).join('\n')}\n`
    const { result } = readLog(text)
    expect(result.scenarios.find(({ id }) => id === 'auth/nonce-reuse')?.verdict).toBe('fail')
    expect(result.verdict).toBe('non_conforming')
  })
})

describe('a file that is no log of a run', () => {
  const lines = followed(sampleRun())
  const changed = (at: number, change: (line: string) => string) =>
    `${lines.map((line, index) => (index === at ? change(line) : line)).join('\n')}\n`
  const withMembers = (at: number, members: object) =>
    changed(at, (line) => JSON.stringify({ ...JSON.parse(line), ...members }))

  it.each([
    ['nothing', '', 1, 'a log of a run begins with a line of type run'],
    ['half a first line', lines[0]?.slice(0, 50), 1, 'a log of a run begins with a line of type run'],
    ['no JSON', '<html>\n', 1, 'the line is not a JSON object, so this is not the log of a run'],
    ['an array', '[]\n', 1, 'the line is not a JSON object, so this is not the log of a run'],
    ['another JSON', '{"verdict":"conforming"}\n', 1, /its type is not one of run, exchange, scenario, end$/],
    ['a type from Object', '{"type":"toString"}\n', 1, /its type is not one of/],
    ['a later format', withMembers(0, { format: 4 }), 1, 'the log is of format 4; this version reads 3'],
    ['no format', withMembers(0, { format: undefined }), 1, /the log is of format undefined; this version reads 3/],
    ['a run that does not begin', `${lines.slice(1).join('\n')}\n`, 1, 'a log of a run begins with a line of type run'],
    ['two runs', `${lines[0]}\n${lines[0]}\n`, 2, 'another run begins here; a file holds one log'],
    ['a line in the middle cut', changed(2, (line) => line.slice(0, 40)), 3, /not a JSON object/],
    ['an empty line', changed(2, () => ''), 3, /not a JSON object/],
    ['a line after the end', `${lines.join('\n')}\n${lines[1]}\n`, 8, 'the log goes on after its line of type end'],
    [
      'a wrong word',
      withMembers(3, { verdict: 'splendid' }),
      4,
      /^not a line of type scenario: \/verdict must be equal to one/,
    ],
    ['a member too many', withMembers(3, { verdikt: 1 }), 4, /must NOT have additional properties \(verdikt\)$/],
    ['a member too few', withMembers(3, { checks: undefined }), 4, /must have required property 'checks'/],
    ['a number as text', withMembers(1, { took_ms: '3' }), 2, /\/took_ms must be number/],
    ['a foreign scenario', withMembers(3, { id: 'not/listed' }), 4, /"not\/listed" is not listed in the first line/],
    ['a check left out', withMembers(3, { checks: [] }), 4, /does not have the checks that the first line lists$/],
    ['a huge line', `${' '.repeat(9_000_000)}\n`, 1, /a line of 9000000 characters/],
    ['endless nesting', changed(3, () => `${'['.repeat(100_000)}${']'.repeat(100_000)}`), 4, /not a JSON object/],
    [
      'endless nesting inside',
      changed(3, (line) => line.replace('"type"', `"x":${'['.repeat(5_000)}${']'.repeat(5_000)},"type"`)),
      ...([4, 'the line is nested deeper than 100 levels'] as const),
    ],
  ])('is refused with its line: %s', (_what, text, line, message) => {
    let problem: unknown
    try {
      readLog(text ?? '')
    } catch (error) {
      problem = error
    }
    expect(problem).toMatchObject({ name: 'UnusableLogError', line })
    expect((problem as Error).message).toMatch(message)
    expect((problem as Error).message.length).toBeLessThan(400)
  })

  it('is as good as its checks, whatever its last line says', () => {
    const { verdict, requirements, summary } = JSON.parse(followed(greenRun()).at(-1) ?? '')
    const better = readLog(withMembers(6, { verdict, requirements, summary })).result
    expect(better.verdict).toBe('non_conforming')
    expect(better.requirements).toEqual(sampleRun().requirements)
    expect(better.summary.checks).toEqual(sampleRun().summary.checks)
  })

  it('shows nothing of a scenario that has no line', () => {
    const { result, complete } = readLog(`${lines.filter((_, at) => at !== 3).join('\n')}\n`)
    const left = result.scenarios.find(({ checks }) => checks.some(({ reason }) => reason === 'interrupted'))
    expect([complete, left?.id, left?.verdict]).toEqual([true, JSON.parse(lines[3] ?? '').id, 'not_run'])
  })

  it('never ends in another error, whatever it holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.nat(6), fc.nat(400), (junk, at, from) => {
        const text = changed(at, (line) => line.slice(0, from) + junk + line.slice(from + junk.length))
        try {
          readLog(text)
        } catch (error) {
          expect((error as Error).name).toBe('UnusableLogError')
        }
      }),
      { numRuns: size(50, 300) },
    )
  })
})
