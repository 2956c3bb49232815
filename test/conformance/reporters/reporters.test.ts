import { execFileSync } from 'node:child_process'
import { SaxesParser } from 'saxes'
import { describe, expect, it } from 'vitest'
import { jsonView } from '../../../src/conformance/reports/json.ts'
import { REPORTER_NAMES } from '../../../src/conformance/reports/reporters.ts'
import type { RunResult } from '../../../src/conformance/result/result.ts'
import { lacks } from '../../support/tools.ts'
import { REPORTERS } from './rendering.ts'
import { greenRun, HOSTILE, INVOCATION, knownRun, refusedRun, runOfTexts, sampleRun, voidRun } from './sample-run.ts'

const plain = { color: false, invocation: INVOCATION }

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must not be there
const ACTING = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must not be there
const JSON_FORBIDS = /[\u0000-\u0009\u000b-\u001f]/

const FOR_PROGRAMS: ReadonlySet<string> = new Set(['json', 'ndjson', 'har'])

describe('every reporter', () => {
  it('is known by its name', () => {
    expect(REPORTER_NAMES).toEqual(expect.arrayContaining(['pretty', 'json', 'junit', 'html', 'har']))
  })

  it.each(REPORTER_NAMES)('%s lets no control character of the target through', (name) => {
    // JSON escapes C0 by itself and is read by programs, so only what JSON forbids must be absent there.
    expect(REPORTERS[name].render(sampleRun(), plain)).not.toMatch(FOR_PROGRAMS.has(name) ? JSON_FORBIDS : ACTING)
  })

  it.each(REPORTER_NAMES)(
    '%s says of a run that the target refused from the first call on that it shows nothing',
    (name) => {
      const text = REPORTERS[name].render(refusedRun(), plain)
      if (name === 'har') expect(JSON.parse(text).log.entries).toEqual([])
      else expect(text).toMatch(/\bvoid\b|no check ran/i)
      expect(text).not.toMatch(/conforming: every|✅|brightgreen/)
    },
  )

  it.each(REPORTER_NAMES)('%s ends in exactly one newline', (name) => {
    expect(REPORTERS[name].render(sampleRun(), plain)).toMatch(/[^\n]\n$/)
  })
})

/** A run that could not do something, for so many reasons. */
function withNotes(count: number): RunResult {
  const run = sampleRun()
  const [first] = run.scenarios[2]?.checks ?? []
  const checks = Array.from({ length: count }, (_, at) => ({ ...first, note: `note ${at}` }))
  return { ...run, scenarios: [{ ...run.scenarios[2], checks } as never] }
}

describe('pretty', () => {
  it.each([
    ['with every verdict', sampleRun(), 'every-verdict'],
    ['that did nothing', voidRun(), 'void'],
    ['that is green', greenRun(), 'green'],
  ])('writes a run %s as the golden file has it', async (_what, run, name) => {
    await expect(REPORTERS.pretty.render(run, plain)).toMatchFileSnapshot(`../../golden/pretty-${name}.txt`)
  })

  it('names the first few of many things created, and nothing where all of it is gone after the run', () => {
    const created = Array.from({ length: 17 }, (_, n) => ({ kind: 'case' as const, id: `brk_${n}` }))
    const run = { ...sampleRun(), created }
    expect(REPORTERS.pretty.render(run, plain)).toContain('\n  17 cases: brk_0, brk_1, brk_2, and 14 more\n')
    expect(REPORTERS.pretty.render(run, { ...plain, keepsNothing: true })).not.toContain('Created')
  })

  it('counts things of which the target showed no id as one or more', () => {
    const created = [
      { kind: 'refund' as const, id: 'unknown' },
      ...['case_1', 'unknown'].map((id) => ({ kind: 'case' as const, id })),
    ]
    const text = REPORTERS.pretty.render({ ...sampleRun(), created }, plain)
    expect(text).toContain('\n  refunds: one or more whose id the target did not show\n')
    expect(text).toContain('\n  1 case: case_1, one or more whose id the target did not show\n')
  })

  it('says how many more reasons there are than it shows', () => {
    const text = REPORTERS.pretty.render(withNotes(5), plain)
    expect(text).toMatch(/note 2\n {4}and 2 more notes \(the html report has all\)\n {4}to do: /)
    expect(REPORTERS.pretty.render(withNotes(3), plain)).not.toContain('more note')
    expect(REPORTERS.markdown.render(withNotes(5), plain)).toContain('`note 2`\n  - and 2 more notes')
  })

  it('does not list what the reader has left out, and says how much it is', () => {
    const run = sampleRun()
    const [, , transfer] = run.scenarios
    const checks = transfer?.checks.map((check) => ({
      ...check,
      verdict: 'not_run' as const,
      reason: 'filtered' as const,
    }))
    const text = REPORTERS.pretty.render({ ...run, scenarios: [{ ...run.scenarios[2], checks } as never] }, plain)
    expect(text).not.toContain('STATE-01')
    expect(text).toMatch(/\n {2}filtered: left out by the selection \(2\)\n/)
    expect(text).toContain('; 1 scenario left out\n')
  })

  it('does not take a rule of the run that had nothing to judge for one that was left out', () => {
    const run = greenRun()
    const [first] = run.scenarios
    const [check] = first?.checks ?? []
    const nothing = { ...check, verdict: 'not_run', reason: 'no-occasion' }
    const withRule = { ...run, scenarios: [...run.scenarios, { ...first, id: 'run/rule', checks: [nothing] } as never] }
    expect(REPORTERS.pretty.render(run, plain)).not.toContain('Selected')
    expect(REPORTERS.pretty.render(withRule, plain)).not.toContain('Selected')
  })

  it('leaves out a cause that only repeats what was expected and came', () => {
    const run = greenRun()
    const check = { step: 's', requirement: 'TIME-01', verdict: 'fail' as const, exchange: null }
    const words = { expected: 'accepted (any 2xx)', actual: '401 invalid_signature: no' }
    const render = (note: string) =>
      REPORTERS.pretty.render(
        { ...run, scenarios: [{ ...run.scenarios[0], checks: [{ ...check, ...words, note }] } as never] },
        plain,
      )
    expect(render('accepted, not invalid_signature')).not.toContain('hint')
    expect(render('the body was hashed empty')).toContain('hint')
  })

  it('has known failures in words of their own, and not among the failures', () => {
    const text = REPORTERS.pretty.render(knownRun(), plain)
    expect(text).toContain(
      'Known failures (listed in the baseline)\n  AUTH-13  auth/canonical > lower_case_verb  200\n    PAY-311 ',
    )
    expect(text).toContain('(until 2026-12-31)')
    expect(text).not.toContain('FAILED  AUTH-13')
    expect(text).toContain('FAILED  NONCE-01')
    expect(text).toContain('2 failed (1 known)')
  })

  it('says why nothing was checked, and what to do', () => {
    const text = REPORTERS.pretty.render(refusedRun(), plain)
    expect(text).toContain('interrupted: the run ended before this check')
    expect(text).toContain('the target refused every valid call (401) before this was reached')
    expect(text).toContain(
      'Verdict         NOTHING RAN: the target refused every valid call (401): No check ran, so this run has no verdict.',
    )
  })

  it('says which scopes main lacks where nothing could run without them', () => {
    const run = refusedRun()
    const note =
      'the credential main needs the scope search for availability and the scope buy or report for orders.list'
    const scenarios = run.scenarios.map((one) => ({
      ...one,
      checks: one.checks.map((check) => ({ ...check, reason: 'needs-scope' as const, note })),
    }))
    expect(REPORTERS.pretty.render({ ...run, scenarios }, plain)).toContain(
      'NOTHING RAN: the credential main lacks the scopes search, buy; use one that has them: No check ran',
    )
  })

  it('counts the selected checks, and a selection that passed is no failure of the rest', () => {
    const run = sampleRun()
    const left = run.scenarios.slice(1).map((scenario) => ({
      ...scenario,
      verdict: 'not_run' as const,
      checks: scenario.checks.map((check) => ({ ...check, verdict: 'not_run' as const, reason: 'filtered' as const })),
    }))
    const [first] = run.scenarios
    const passed = first?.checks.map((check) => ({ ...check, verdict: 'pass' as const })) ?? []
    const scenarios = [{ ...first, verdict: 'pass' as const, checks: passed } as never, ...left]
    const text = REPORTERS.pretty.render({ ...run, verdict: 'not_fully_verified', scenarios }, plain)
    expect(text).toContain('Verdict         3 of 3 selected checks passed: The other ')
    const junit = elementsOf(REPORTERS.junit.render({ ...run, verdict: 'not_fully_verified', scenarios }, plain))
    expect(junit[0]?.attributes).toMatchObject({ tests: '3', skipped: '0' })
  })

  it('says of several checks of a scenario once that a premise did not hold, and what to do', () => {
    const run = sampleRun()
    const words = {
      actual: 'step 1 expects "x" and saw: 2 deliveries',
      note: 'so nothing follows',
      todo: 'Send again.',
    }
    const checks = run.scenarios[0]?.checks.map((check) => ({ ...check, ...words, verdict: 'inconclusive' as const }))
    const text = REPORTERS.pretty.render({ ...run, scenarios: [{ ...run.scenarios[0], checks } as never] }, plain)
    expect(text).toContain(
      'TIME-01, NONCE-01, NONCE-03  auth/nonce-reuse > first, exact_copy, fresh  step 1 expects "x" and saw: 2 deliveries; so nothing follows\n    to do: Send again.\n',
    )
  })

  it('says once what holds for checks of several scenarios', () => {
    const run = sampleRun()
    const words = {
      actual: 'not carried out',
      note: 'the first delivery was refused',
      verdict: 'inconclusive' as const,
    }
    const scenarios = run.scenarios.map((one) => ({
      ...one,
      checks: one.checks.map((check) => ({ ...check, ...words })),
    }))
    const text = REPORTERS.pretty.render({ ...run, scenarios }, plain)
    expect(text).toContain(
      'auth/nonce-reuse > first, exact_copy, fresh; auth/canonical > lower_case_verb, stale, status, and 1 more; ',
    )
    expect(text.match(/the first delivery was refused/g)).toHaveLength(1)
  })

  it('says that the counts of what was not verified overlap', () => {
    const run = sampleRun()
    const undone = (reason: 'budget' | 'needs-scope') => ({
      verdict: 'not_run' as const,
      requirement: 'LINK-01',
      reason,
    })
    const [first] = run.scenarios
    const checks = (['budget', 'needs-scope'] as const).map((reason) => ({ ...first?.checks[0], ...undone(reason) }))
    const text = (shown: typeof checks) =>
      REPORTERS.pretty.render({ ...run, scenarios: [{ ...first, checks: shown } as never] }, plain)
    expect(text(checks)).toContain('Not verified by this run (some for several reasons)\n')
    expect(text(checks.slice(1))).toContain('Not verified by this run\n')
  })

  it('says once why several answers decide nothing', () => {
    const run = sampleRun()
    const [first] = run.scenarios
    const checks = first?.checks.map((check, at) => ({
      ...check,
      actual: `40${at} not_found`,
      note: 'no valid call was accepted',
      verdict: 'inconclusive' as const,
    }))
    const text = REPORTERS.pretty.render({ ...run, scenarios: [{ ...first, checks } as never] }, plain)
    expect(text).toContain('fresh  400 not_found (and 2 other answers); no valid call was accepted\n')
    expect(text.match(/no valid call was accepted/g)).toHaveLength(1)
  })

  it('lists ids and observations where it is asked to be verbose', () => {
    const text = REPORTERS.pretty.render(sampleRun(), { ...plain, verbose: true })
    expect(text).toContain('Observed where the document leaves a choice\n  replay-status  auth/nonce-reuse  403\n')
  })

  it('says that only what is known is wrong', () => {
    const run = knownRun()
    const text = REPORTERS.pretty.render({ ...run, scenarios: run.scenarios.slice(1) }, plain)
    expect(text).toContain(
      'Verdict         KNOWN FAILURES ONLY: 1 requirement failed; the baseline lists every failure.',
    )
  })

  it('says that a run was interrupted, what it was about, what it used of the bill, and what had been pinned', () => {
    const text = REPORTERS.pretty.render(knownRun(), plain)
    expect(text).toContain('The run was interrupted: checks that did not run are missing')
    expect(text).toContain('Profile         all (9 requirements)')
    expect(text).toContain('Used            17 of 40 requests, 2 of 2 orders, 0 of 1 quotes, 2.3 s')
    expect(text).toContain('AUTH-19  auth/canonical > pinned  400 (401, as pinned)')
  })

  it('writes colors only where they are asked for, and only its own', () => {
    const colored = REPORTERS.pretty.render(sampleRun(), { ...plain, color: true })
    expect(colored).toContain('\u001b[')
    expect(colored).not.toContain('\u001b[2J')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the colors are removed to compare the words
    expect(colored.replace(/\u001b\[[0-9;]*m/g, '')).toBe(REPORTERS.pretty.render(sampleRun(), plain))
  })
})

describe('json', () => {
  it('writes a run with every verdict as the golden file has it', async () => {
    await expect(REPORTERS.json.render(sampleRun(), plain)).toMatchFileSnapshot('../../golden/json-every-verdict.json')
  })

  it('parses back to its own view, hostile text included', () => {
    const view = JSON.parse(REPORTERS.json.render(sampleRun(), plain))
    expect(view.scenarios[1].title).toBe(HOSTILE)
    expect(view.summary).toEqual(jsonView(sampleRun()).summary)
  })
})

describe('junit', () => {
  it('writes a run with every verdict as the golden file has it', async () => {
    await expect(REPORTERS.junit.render(sampleRun(), plain)).toMatchFileSnapshot('../../golden/junit-every-verdict.xml')
  })

  it.each([sampleRun(), voidRun(), greenRun()])('is well-formed XML for a run that is $verdict', (run) => {
    expect(elementsOf(REPORTERS.junit.render(run, plain))[0]?.name).toBe('testsuites')
  })

  it('counts failures, errors and skipped cases as they are written', () => {
    const elements = elementsOf(REPORTERS.junit.render(sampleRun(), plain))
    const count = (name: string) => String(elements.filter((element) => element.name === name).length)
    expect(elements[0]?.attributes).toMatchObject({
      tests: count('testcase'),
      failures: count('failure'),
      errors: count('error'),
      skipped: count('skipped'),
    })
    expect([count('testcase'), count('failure'), count('error'), count('skipped')]).toEqual(['11', '2', '2', '2'])
  })

  it('names the requirement of each case as a property, and its file', () => {
    const elements = elementsOf(REPORTERS.junit.render(sampleRun(), plain))
    const ids = elements
      .filter(({ attributes }) => attributes['name'] === 'requirement')
      .map(({ attributes }) => attributes['value'])
    expect(ids).toEqual(sampleRun().scenarios.flatMap(({ checks }) => checks.map(({ requirement }) => requirement)))
    const cases = elements.filter(({ name }) => name === 'testcase')
    expect(cases.every(({ attributes }) => attributes['file']?.startsWith('scenarios/'))).toBe(true)
  })

  it('names a file of this package as the package has it, where it is outside of the working directory', () => {
    const run = sampleRun()
    const at = (file: string, ownScenarios: string) => {
      const scenarios = run.scenarios.map((scenario) => ({ ...scenario, file }))
      const xml = REPORTERS.junit.render({ ...run, scenarios }, { ...plain, ownScenarios })
      return elementsOf(xml).find(({ name }) => name === 'testcase')?.attributes['file']
    }
    expect(at('../../lib/scenarios/auth/a.yaml', '../../lib/scenarios')).toBe('scenarios/auth/a.yaml')
    expect(at('/opt/lib/scenarios/auth/a.yaml', '/opt/lib/scenarios')).toBe('scenarios/auth/a.yaml')
    expect(at('node_modules/p/scenarios/auth/a.yaml', 'node_modules/p/scenarios')).toContain('node_modules/p/')
    expect(at('../mine/a.yaml', '../../lib/scenarios')).toBe('../mine/a.yaml')
  })

  it('skips a known failure and says that it is one', () => {
    const elements = elementsOf(REPORTERS.junit.render(knownRun(), plain))
    const skipped = elements.filter(({ name }) => name === 'skipped').map(({ attributes }) => attributes['message'])
    expect(skipped[0]).toMatch(
      /^known failure: PAY-311 .* \(until 2026-12-31\); POST \/quotes: expected refused, got 200$/,
    )
    expect(elements.filter(({ name }) => name === 'failure')).toHaveLength(1)
    expect(elements[0]?.attributes).toMatchObject({ failures: '1', skipped: '3' })
    expect(elements.filter(({ attributes }) => attributes['name'] === 'known_until')).toHaveLength(1)
  })

  it('gives no two cases of a suite one name', () => {
    const run = sampleRun()
    const [first] = run.scenarios
    const checks = [...(first?.checks ?? []), ...(first?.checks ?? [])]
    const elements = elementsOf(REPORTERS.junit.render({ ...run, scenarios: [{ ...first, checks } as never] }, plain))
    const names = elements.filter(({ name }) => name === 'testcase').map(({ attributes }) => attributes['name'])
    expect(names).toHaveLength(6)
    expect(new Set(names).size).toBe(6)
    expect(names).toContain('first: TIME-01 (check 2)')
  })

  it.skipIf(lacks('python3'))('is read by Python, whatever a target says', () => {
    const texts = [
      HOSTILE,
      ']]></failure><failure>',
      'a\r\nb\tc',
      '\ud800\udfff\udc00',
      '\u0000\u0001\u000b\ufffe\uffff',
      '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]>&e;',
    ]
    const runs = texts.map((text) => runOfTexts(knownRun(), (was) => `${was}${text}`))
    const counts = pythonCounts(runs.map((run) => REPORTERS.junit.render(run, plain)))
    expect(counts).toEqual(texts.map(() => ({ testcase: 11, failure: 1, error: 2, skipped: 3 })))
  })

  it('reports an error for a run that checked nothing, since an empty file looks green', () => {
    const elements = elementsOf(REPORTERS.junit.render(voidRun(), plain))
    expect(elements.filter(({ name }) => name === 'error')).toHaveLength(1)
    expect(elements[0]?.attributes).toMatchObject({ tests: '1', errors: '1' })
  })
})

/** What a second parser, that has nothing in common with ours, finds in each file. */
function pythonCounts(files: string[]): Record<string, number>[] {
  const script = [
    'import sys, json, xml.etree.ElementTree as tree',
    'roots = [tree.fromstring(file.encode()) for file in json.load(sys.stdin)]',
    'names = ("testcase", "failure", "error", "skipped")',
    'print(json.dumps([{name: len(root.findall(".//" + name)) for name in names} for root in roots]))',
  ]
  const input = JSON.stringify(files)
  return JSON.parse(execFileSync('python3', ['-c', script.join('\n')], { input, encoding: 'utf8' }))
}

interface Element {
  name: string
  attributes: Record<string, string>
}

/** Parses strictly: anything that is not well-formed throws. */
function elementsOf(xml: string): Element[] {
  const elements: Element[] = []
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => elements.push({ name, attributes: { ...attributes } }))
  parser.write(xml).close()
  return elements
}
