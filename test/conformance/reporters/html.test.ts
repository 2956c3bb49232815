import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { RedactedExchange, RunResult } from '../../../src/conformance/result/result.ts'
import { REPORTERS } from './rendering.ts'
import { greenRun, INVOCATION, knownRun, runOfTexts, sampleRun, voidRun } from './sample-run.ts'

const options = { color: false, invocation: INVOCATION }

const pageOf = (run: RunResult, more = {}) => REPORTERS.html.render(run, { ...options, ...more })

/** The words of a page, without its markup. */
const wordsOf = (page: string) =>
  page
    .replace(/<style>.*<\/style>/s, '')
    .replace(/<script>.*<\/script>/s, '')
    .replaceAll('&quot;', '"')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')

describe('the page', () => {
  it('says first what the verdict is, in a sentence, and of whom', () => {
    const words = wordsOf(pageOf(sampleRun()))
    expect(words).toContain('http://127.0.0.1:4600 in the environment test Non-conforming 2 requirements failed.')
    expect(wordsOf(pageOf(greenRun()))).toContain('Conforming')
    expect(wordsOf(pageOf(voidRun()))).toContain('Nothing ran')
    expect(wordsOf(pageOf({ ...sampleRun(), verdict: 'not_fully_verified' }))).toContain('Not fully verified')
  })

  it('has the failures before areas, results, what was not tested, requirements, open points, created things and budget', () => {
    const ids = ['failures', 'areas', 'results', 'unverified', 'requirements', 'answers', 'created', 'budget']
    const found = [...pageOf(knownRun()).matchAll(/<section class="part" id="(\w+)"/g)].map(([, id]) => id)
    expect(found).toEqual(ids)
  })

  it('names what is not as pinned among what to do next', () => {
    expect(wordsOf(pageOf(sampleRun()))).toContain('See whether what is not as pinned is meant: AUTH-19')
    expect(wordsOf(pageOf(greenRun()))).not.toContain('as pinned')
  })

  it('leaves out a section that would say nothing', () => {
    const page = pageOf(greenRun())
    for (const id of ['failures', 'unverified', 'answers', 'created', 'failed', 'inconclusive', 'known-failure'])
      expect(page).not.toContain(`id="${id}"`)
  })

  it('says under the verdict what to do next', () => {
    const words = wordsOf(pageOf(sampleRun()))
    expect(words).toMatch(
      /What to do next Start with A call that is sent twice is refused the second time\. .* Read 2 inconclusive results/,
    )
    expect(words).toContain('To test 2 more requirements: Describe how to move orders and time')
    expect(wordsOf(pageOf(greenRun()))).toContain('What to do next Nothing to fix.')
  })

  it('has a tile for each area, with its counts and links to what says most', () => {
    const page = pageOf(sampleRun())
    const tiles = page.slice(page.indexOf('class="tiles"'), page.indexOf('id="results"')).split('<li>').slice(1)
    expect(tiles.map((tile) => wordsOf(`<li>${tile}`).trim())[0]).toMatch(/^Replay protection 3\/4 1 failed NONCE-01/)
    expect(tiles[0]).toContain('<a href="#f1">NONCE-01</a>')
    expect(page).toContain('id="a0"')
  })

  it('keeps the order of a failure: expected, actual, answer, signed lines, valid call, hint, reproduction, transcript', () => {
    const page = pageOf(sampleRun())
    const failure = wordsOf(page.slice(page.indexOf('class="failure"')))
    const labels = ['Expected', 'Actual', 'Answer', 'Signed', 'Valid call', 'Hint', 'Reproduce', 'Transcript']
    const places = labels.map((label) => failure.indexOf(label))
    expect(places).not.toContain(-1)
    expect(places).toEqual([...places].sort((a, b) => a - b))
  })

  it('marks the first signed line that does not fit the request, and says how to see it again', () => {
    const words = wordsOf(pageOf(sampleRun()))
    expect(words).toContain('post the first difference; this request needs POST')
    expect(words).toContain(`${INVOCATION} --selected --only auth/canonical`)
    expect(words).toContain('--key-id pk_test_1 --secret-env PARTNER_SECRET --curl | sh')
    expect(words).toContain('(empty line)')
  })

  it('tells known failures from new ones, with reason and last day', () => {
    const words = wordsOf(pageOf(knownRun()))
    expect(words).toContain('1 requirement failed. The baseline lists the failures of 1 other.')
    expect(words).toMatch(/known failure AUTH-13 .*PAY-311 .*\(until 2026-12-31\)/)
    expect(words).toContain('The run was interrupted.')
  })

  it('says of everything that was not verified what to do about it', () => {
    const page = pageOf(sampleRun())
    const part = page.slice(page.indexOf('id="unverified"'), page.indexOf('id="requirements"'))
    const gaps = part.split('class="gap"').slice(1).map(wordsOf)
    expect(gaps).toHaveLength(4)
    for (const gap of gaps) expect(gap).toMatch(/To do: \S/)
    expect(gaps[0]).toContain('2 requirements not run: no operator to move orders or time')
    expect(gaps[1]).toContain('1 requirement inconclusive: ran, but the result decides nothing')
  })

  it('has a row for each requirement, and each row leads to its checks', () => {
    const run = sampleRun()
    const rows = pageOf(run)
      .split('<tr class="row')
      .slice(1)
      .map((row) => row.split('</tr>')[0] ?? '')
    expect(rows).toHaveLength(run.requirements.length)
    expect(rows[0]).toContain('is-failed')
    expect(rows[0]).toMatch(/<a href="#s0">.*auth\/nonce-reuse/)
    expect(wordsOf(rows.find((row) => row.includes('>ERR-03<')) ?? '')).toContain('2 checks')
  })

  it('shows what is pinned where an answer has drifted', () => {
    const run = sampleRun()
    const observations = [{ gap: 'AUTH-19', value: 400, scenario: 'auth/canonical' }]
    expect(wordsOf(pageOf({ ...run, observations }))).toMatch(/AUTH-19 .*400 instead of 401, as pinned/)
  })

  it('says what is left of what was created, and that nothing is where the target is gone', () => {
    expect(wordsOf(pageOf(sampleRun()))).toContain('2 orders ord_1')
    expect(wordsOf(pageOf(sampleRun(), { keepsNothing: true }))).toContain('It is gone, and everything below with it')
  })

  it('has the bill: what was told before against what was used', () => {
    expect(wordsOf(pageOf(sampleRun()))).toContain('Requests 40 17 Orders 2 2 2 Quotes 1 1 0 Webhooks 0 none 0')
  })

  it('leads only to itself, and every link to something that is there', () => {
    const page = pageOf(sampleRun())
    const links = [...page.matchAll(/href="([^"]*)"/g)].map(([, href]) => href ?? '')
    expect(links.length).toBeGreaterThan(20)
    for (const link of links) expect(page).toContain(`id="${link.slice(1)}"`)
    expect(links.every((link) => link.startsWith('#'))).toBe(true)
    const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('has a policy that allows its own style and its own script and nothing else', () => {
    const page = pageOf(sampleRun())
    const hashOf = (element: string) => {
      const [, text = ''] = new RegExp(`<${element}>(.*?)</${element}>`, 's').exec(page) ?? []
      return createHash('sha256').update(text).digest('base64')
    }
    const policy = `default-src 'none'; style-src 'sha256-${hashOf('style')}'; script-src 'sha256-${hashOf('script')}'`
    expect(page).toContain(`content="${policy}; base-uri 'none'; form-action 'none'"`)
    expect(page.match(/<script/g)).toHaveLength(1)
    expect(page).not.toMatch(/<img|<iframe|<link|<object| style=| on\w+=/)
  })

  it('makes no element of what anybody said, in whatever field', () => {
    const payload = '"\'><b id=own>&lt;</style></title></pre><!--'
    const tagsOf = (run: RunResult) =>
      pageOf(run)
        .match(/<[^<>]*>/g)
        ?.map((tag) => tag.split(/[\s>]/)[0])
    // Whether a call can be pasted hangs on its text: here none can.
    const known = knownRun()
    const run = { ...known, exchanges: known.exchanges.map((one) => ({ ...one, oddity: 'a fault' })) }
    expect(tagsOf(runOfTexts(run, (was) => `${was}${payload}`))).toEqual(tagsOf(runOfTexts(run, (was) => `${was}X/Y`)))
  })
})

describe('a card', () => {
  const answering = (responseBody: string): RunResult => {
    const run = sampleRun()
    const responseHeaders: RedactedExchange['responseHeaders'] = [['X-Request-Id', 'req_1']]
    return { ...run, exchanges: run.exchanges.map((one) => ({ ...one, responseHeaders, responseBody })) }
  }
  const answerOn = (page: string) => page.slice(page.indexOf('<dt>Answer'), page.indexOf('<dt>Signed'))

  it('shows the answer over several lines, each value as it was sent, and its request id', () => {
    const answer = answerOn(pageOf(answering('{"price":1.00,"big":12345678901234567890,"none":[]}')))
    expect(answer).toContain(
      '<pre>{\n  &quot;price&quot;: 1.00,\n  &quot;big&quot;: 12345678901234567890,\n  &quot;none&quot;: []\n}</pre>',
    )
    expect(wordsOf(answer)).toContain('request id req_1 Copy')
  })

  it('leaves as it is what is not JSON, and says what was cut', () => {
    const answer = answerOn(pageOf(answering(`<h1>${'x'.repeat(3_000)}`)))
    expect(answer).toContain('<pre>&lt;h1>xxx')
    expect(answer).toContain('(1004 more characters)')
  })

  it('shows by a shadow at its edge that a box has more to scroll to', () => {
    expect(pageOf(sampleRun())).toMatch(
      /pre\{background:linear-gradient[^}]*background-attachment:local,local,scroll,scroll/,
    )
  })

  it('of a scenario with rows has the title of the row that failed', () => {
    const run = sampleRun()
    const [one] = run.scenarios
    const rows = ['a', 'b'].map((row) => ({
      ...one,
      id: `auth/rows[${row}]`,
      title: `Row ${row}`,
      checks: (one?.checks ?? []).map((check) => ({ ...check, verdict: row === 'a' ? 'pass' : check.verdict })),
    }))
    expect(wordsOf(pageOf({ ...run, scenarios: rows } as RunResult))).toContain('Row b auth/rows')
  })

  it('cuts the answer around the item that the check names, and marks it', () => {
    const rows = Array.from({ length: 60 }, (_, at) => ({ id: `ord_${at + 1}`, buyer: 'x'.repeat(100) }))
    const run = answering(JSON.stringify({ orders: rows }))
    const scenarios = run.scenarios.map((scenario) => ({
      ...scenario,
      checks: scenario.checks.map((one) => ({ ...one, actual: 'number 31 of 60 orders.items should not be there' })),
    }))
    const answer = answerOn(pageOf({ ...run, scenarios }))
    expect(wordsOf(answer)).toMatch(/"orders": \[ … 30 items \{ "id": "ord_31", .* … 29 items \] \}/)
    expect(answer).toMatch(/<mark>\s*\{\s*&quot;id&quot;: &quot;ord_31&quot;/)
  })

  it('does not grow without bound over an answer of brackets', () => {
    const page = pageOf(answering('['.repeat(3_000) + ']'.repeat(3_000)))
    expect(page.length).toBeLessThan(150_000)
  })

  it('shows one call once, however many requirements failed at it', () => {
    const run = sampleRun()
    const scenarios = run.scenarios.map((scenario) => ({
      ...scenario,
      checks: scenario.checks.flatMap((one) =>
        one.verdict === 'fail' ? [one, { ...one, requirement: 'TIME-01' }] : one,
      ),
    }))
    const page = pageOf({ ...run, scenarios })
    expect(page.match(/<dt>Expected/g)).toHaveLength(4)
    expect(page.match(/<dt>Answer/g)).toHaveLength(2)
    expect(page.match(/, the same call as above/g)).toHaveLength(2)
  })
})

describe('the transcript', () => {
  const withExchanges = (scenario: string, count: number, body: string): RunResult => {
    const run = sampleRun()
    const [pattern] = run.exchanges
    const exchanges = Array.from({ length: count }, (_, at) => ({
      ...(pattern as RedactedExchange),
      id: `s9e${at}`,
      scenario,
      responseBody: body,
    }))
    return { ...run, exchanges: [...run.exchanges, ...exchanges], summary: { ...run.summary, requests: count + 2 } }
  }
  const shownIn = (page: string) => page.split('<details class="exchange"').length - 1

  it('has all of a scenario that is not green, and of a green one those that checks name', () => {
    expect(shownIn(pageOf(withExchanges('auth/canonical', 5, '')))).toBe(7)
    expect(shownIn(pageOf(withExchanges('somewhere/green', 5, '')))).toBe(2)
  })

  it('is cut where it would make the page slow, and says what was left out', () => {
    const page = pageOf(withExchanges('auth/canonical', 300, 'x'.repeat(16_000)))
    expect(shownIn(page)).toBeLessThan(100)
    expect(wordsOf(page)).toMatch(/\d+ of 302 exchanges are shown: .* Bodies are cut after 2,000 characters\./)
    expect(page).toContain('(14000 more characters)')
    expect(page.length).toBeLessThan(500_000)
  })

  it('stays bounded whatever a target answers', () => {
    const run = withExchanges('auth/canonical', 3_000, '"'.repeat(16_000))
    const long = 'h'.repeat(9_000)
    const headers = Array.from({ length: 200 }, () => [long, long] as const)
    const checks = run.exchanges.map(({ id }) => ({
      step: id,
      requirement: 'X-01',
      verdict: 'pass' as const,
      expected: '',
      actual: '',
      exchange: id,
    }))
    const scenarios = run.scenarios.map((scenario) => ({ ...scenario, checks }))
    const exchanges = run.exchanges.map((exchange) => ({ ...exchange, responseHeaders: headers }))
    const page = pageOf({ ...run, scenarios, exchanges })
    expect(shownIn(page)).toBeGreaterThan(100)
    expect(shownIn(page)).toBeLessThan(300)
    expect(page.length).toBeLessThan(12_000_000)
  })

  it('never cuts off what a failure names', () => {
    const run = withExchanges('auth/canonical', 3_000, '')
    const page = pageOf({ ...run, exchanges: run.exchanges.toReversed() })
    expect(page).toContain('>s1e2</code>')
    expect(page).toContain('>s2e1</code>')
  })

  it.each(['ce2', 'w4s3e2', 'r2w4ce12'])('has the call %s that a failure is held against', (id) => {
    const run = sampleRun()
    const [scenario] = run.scenarios
    const checks = scenario?.checks.map((check) => ({ ...check, twin: `a valid call was accepted in ${id}` }))
    const [pattern] = run.exchanges
    const control = { ...pattern, id, scenario: 'control' } as RedactedExchange
    const page = pageOf({
      ...run,
      exchanges: [...run.exchanges, control],
      scenarios: [{ ...scenario, checks } as never],
    })
    const [, anchor] = new RegExp(`<a href="#(x\\d+)">transcript of ${id}</a>`).exec(page) ?? []
    expect(page).toContain(`<details class="exchange" id="${anchor}">`)
    expect(wordsOf(page)).toContain('The runner’s own calls control')
  })

  it('marks a delivery, and a connection that broke', () => {
    const run = sampleRun()
    const [first, second] = run.exchanges as [RedactedExchange, RedactedExchange]
    const exchanges = [
      { ...first, speaker: 'target' as const },
      { ...second, status: null, broken: 'reset: closed' },
    ]
    const words = wordsOf(pageOf({ ...run, exchanges }))
    expect(words).toContain('Sent by the target, answered by the runner')
    expect(words).toContain('No answer reset: closed')
  })
})
