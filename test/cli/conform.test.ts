import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { billLine } from '../../src/cli/output/run-progress.ts'
import { exitCodeOf, exitCodeOfRun, prepareReports, wantedReports } from '../../src/cli/run/reports.ts'
import type { CheckResult, CheckVerdict, RunResult, ScenarioResult } from '../../src/conformance/result/result.ts'
import { type ServerOptions, startServer } from '../../src/server.ts'
import { sampleRun } from '../conformance/reporters/sample-run.ts'
import { listening } from '../support/listening.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { cli } from './run.ts'

describe('the exit code of a run', () => {
  it.each<[RunResult['verdict'], Partial<Record<CheckVerdict, number>>, boolean, number]>([
    ['conforming', { pass: 3 }, false, 0],
    ['conforming', {}, false, 2],
    ['conforming', { not_run: 5 }, true, 2],
    ['non_conforming', { pass: 1, fail: 1 }, false, 1],
    ['non_conforming', { pass: 1, fail: 1 }, true, 1],
    ['non_conforming', { fail: 1, harness_error: 1 }, true, 1],
    ['not_fully_verified', { pass: 3, not_run: 1 }, false, 2],
    ['not_fully_verified', { pass: 3, not_run: 1 }, true, 0],
    ['not_fully_verified', { inconclusive: 3 }, true, 2],
    ['not_fully_verified', { pass: 3, harness_error: 1 }, true, 5],
    ['void', {}, true, 2],
    ['void', { observed: 4 }, true, 2],
  ])('is right for %s with %j, unverified allowed: %s', (verdict, counts, allowUnverified, code) => {
    expect(exitCodeOf(runWith(verdict, counts), allowUnverified)).toBe(code)
  })
})

describe('the exit code of a selection', () => {
  const selected = { allowUnverified: false, selected: true }
  const runOf = (verdicts: readonly CheckVerdict[], more: Partial<CheckResult> = {}): RunResult => {
    const run = sampleRun()
    const [scenario] = run.scenarios
    const [check] = scenario?.checks ?? []
    const checks = verdicts.map((verdict) => ({ ...(check as CheckResult), verdict, ...more }))
    return { ...run, verdict: 'not_fully_verified', scenarios: [{ ...(scenario as ScenarioResult), checks }] }
  }

  it.each<[string, RunResult, number]>([
    ['all of whose checks passed', runOf(['pass', 'tolerated', 'observed']), 0],
    ['that observed alone', runOf(['observed']), 2],
    ['without a check', runOf([]), 2],
    ['with a check that was not run', runOf(['pass', 'not_run']), 2],
    ['with a check that proved nothing', runOf(['pass', 'inconclusive']), 2],
    ['with a failure', { ...runOf(['pass', 'fail']), verdict: 'non_conforming' }, 1],
    ['that is void', { ...runOf(['pass']), verdict: 'void' }, 2],
  ])('%s is right', (_what, run, code) => {
    const counts = runWith(run.verdict, run.verdict === 'void' ? {} : { pass: 1 }).summary
    expect(exitCodeOfRun({ ...run, summary: counts }, selected, null)).toBe(code)
  })
})

describe('--reporter', () => {
  it('is pretty on standard output where none is given', () => {
    expect(wantedReports({})).toEqual([{ name: 'pretty', file: null }])
  })

  it('may be given several times, and a file name may hold an equals sign', () => {
    expect(wantedReports({ reporter: ['pretty', 'junit=out/a=b.xml', 'json=c.json'] })).toEqual([
      { name: 'pretty', file: null },
      { name: 'junit', file: 'out/a=b.xml' },
      { name: 'json', file: 'c.json' },
    ])
  })

  it('adds annotations before pretty in a step of GitHub Actions, and takes both where they are named', () => {
    const both = ['pretty', 'github'].map((name) => ({ name, file: null }))
    const env = { GITHUB_ACTIONS: 'true' }
    expect(wantedReports({}, env)).toEqual(both.toReversed())
    expect(wantedReports({ reporter: ['pretty', 'github'] })).toEqual(both)
    expect(wantedReports({ reporter: ['pretty', 'github=a.txt'] }, env)).toEqual([
      both[0],
      { name: 'github', file: 'a.txt' },
    ])
    expect(wantedReports({ reporter: ['json'] }, env)).toEqual([{ name: 'json', file: null }])
    expect(() => wantedReports({ reporter: ['json', 'github'] })).toThrow('two reports would go to standard output')
  })

  it('refuses one file for two reports', () => {
    expect(() => wantedReports({ reporter: ['json=a', 'junit=a'] })).toThrow(
      '--reporter: two reports would go to a; write NAME=FILE for one of them',
    )
  })

  it('makes missing folders and opens the file before the run', () => {
    const file = join(tempFolder(), 'deep', 'report.xml')
    prepareReports([{ name: 'junit', file }])
    expect(readFileSync(file, 'utf8')).toBe('')
  })

  it('says which file cannot be written', () => {
    const file = join(tempFolder(), 'plain')
    writeFileSync(file, 'x')
    expect(() => prepareReports([{ name: 'json', file: `${file}/report.json` }])).toThrow(
      `--reporter: cannot write ${file}/report.json (`,
    )
  })
})

describe('the bill', () => {
  it('says what will be made at most, before anything is sent', () => {
    const plan = {
      scenarios: 1,
      orders: 1,
      quotes: 0,
      webhooks: 0,
      budget: { requests: 12, orders: 20, quotes: 20 },
      longestWaitMs: 630_000,
      questions: 2,
    }
    expect(billLine({ plan })).toBe(
      '1 scenario with 1 order, 0 quotes, 0 webhook registrations; at most 12 requests; longest wait 10m30s; a person is asked at most 2 times\n',
    )
  })
})

describe('a target that is named by its URL', () => {
  const test = ['--key-id', 'pk_test_1']
  const live = ['--key-id', 'pk_live_1']

  it.each([
    [
      [...live, '--mode', 'write'],
      '--mode: a live key may only read, unless --live-writes N and --i-accept-orders are given together\n',
    ],
    [[...live, '--live-writes', '1'], 'give --live-writes N and --i-accept-orders together\n'],
    [[...test, '--operator-url', 'http://127.0.0.1:2'], '--operator-url needs --mode operator\n'],
    [[...test, '--world', 'w'], '--world needs --operator-url: '],
  ])('is refused with %j', async (args, message) => {
    const env = { PARTNER_SECRET: 'sk_x' }
    const { code, out, err } = await cli(['conform', 'http://127.0.0.1:1', ...args], { env })
    expect([code, out, err.slice(0, message.length + 7)]).toEqual([4, '', `error: ${message}`])
    expect(err.match(/\n/g)).toHaveLength(1)
  })
})

describe('a selection of scenarios', () => {
  it('with a broken file ends with exit code 4 and file:line:column, as a target file does', async () => {
    const broken = scenarioFolder('proves: [AUTH-01]\nsteps: no\n')
    const { code, out, err } = await cli(['conform', '--self', '--scenarios', broken])
    expect([code, out]).toEqual([4, ''])
    expect(err).toMatch(/^\S+search\/one\.yaml:2:\d+ .+$/m)
    const file = join(tempFolder(), 'staging.yaml')
    writeFileSync(file, 'url: http://127.0.0.1:1\ncredentials: none\n')
    const target = await cli(['conform', '--target', file])
    expect([target.code, target.err]).toEqual([4, expect.stringMatching(new RegExp(`^${file}:2:\\d+ .*credentials`))])
  })
})

function runWith(verdict: RunResult['verdict'], counts: Partial<Record<CheckVerdict, number>>): RunResult {
  const none = { pass: 0, fail: 0, tolerated: 0, inconclusive: 0, not_run: 0, observed: 0, drift: 0, harness_error: 0 }
  const { summary, ...rest } = sampleRun()
  return { ...rest, verdict, summary: { ...summary, checks: { ...none, ...counts } } }
}

describe('a run', () => {
  it('against a sandbox of our own proves what its scenario announces, and no more', async () => {
    const { code, out, err } = await cli(['conform', '--self', '--scenarios', scenarioFolder()])
    expect(code).toBe(2)
    expect(err).toMatch(/^1 scenario with 0 orders, /)
    expect(out).toMatch(/\n\nVerdict +1 of 1 selected checks passed: /)
    expect(out).toMatch(/\nChecks +1 passed\nRequirements +1 passed, 131 not run\n/)
  })

  it('of selected scenarios alone is judged by these with --selected', async () => {
    const run = (text?: string) => cli(['conform', '--self', '--selected', '--scenarios', scenarioFolder(text)])
    const { code, out } = await run()
    expect(out).toContain('\nSelected        1 of 1 checks passed\n')
    expect(code).toBe(0)
    expect((await run(REPLAY)).code).toBe(0)
  })

  it('may leave requirements unverified where that is allowed', async () => {
    const { code } = await cli(['conform', '--self', '--scenarios', scenarioFolder(), '--allow-unverified'])
    expect(code).toBe(0)
  })

  it('writes each report where it was asked for', async () => {
    const folder = tempFolder()
    const files = [`json=${join(folder, 'a.json')}`, `junit=${join(folder, 'b.xml')}`]
    const { out } = await cli([
      ...['conform', '--self', '--scenarios', scenarioFolder()],
      ...files.flatMap((file) => ['--reporter', file]),
    ])
    expect(out).toBe('')
    expect(JSON.parse(readFileSync(join(folder, 'a.json'), 'utf8'))).toMatchObject({ verdict: 'not_fully_verified' })
    expect(readFileSync(join(folder, 'b.xml'), 'utf8')).toMatch(
      /^<\?xml .*tests="1" failures="0" errors="0" skipped="0"/s,
    )
  })

  it('against a target that is broken ends with exit code 1 and says how to see it again', async () => {
    const folder = scenarioFolder(REPLAY)
    await withSandbox({ defect: 'nonce-never-tracked' }, async ({ url, keyId, secret }) => {
      const env = { PARTNER_SECRET: secret }
      const conform = (...more: string[]) =>
        cli(['conform', url, '--key-id', keyId, '--scenarios', folder, ...more], { env })
      const { code, out } = await conform()
      expect(code).toBe(1)
      expect(out).toMatch(
        /^Failed: 1 requirement\n {2}NONCE-01 {2}1 check {2}GET \/domains\/search\?q=solar: accepted with 200; expected refused: replay_detected\n/,
      )
      expect(out).toMatch(/\nFAILED {2}NONCE-01 {2}When one signed call .*\n {2}1 check {7}search\/one > exact_copy\n/)
      // An exact copy is a call that is signed once and sent twice.
      expect(out).toMatch(/\n {2}reproduce +npx partner-sandbox sign GET .* > call\.sh; sh call\.sh; sh call\.sh\n/)
      const signed = /\n {2}signed +GET\n +\/api\/partner\/v1\/domains\/search\n +q=solar\n/
      expect(out).not.toMatch(signed)
      expect((await conform('--verbose')).out).toMatch(signed)
      expect(out).toContain(
        `\n  or run        npx partner-sandbox conform ${url} --key-id ${keyId} --scenarios ${folder} --selected --only search/one\n`,
      )
      expect(out).not.toContain(secret)
    })
  })

  it('shows the first call with an Idempotency-Key beside one that is wrong because of it', async () => {
    await withSandbox({ defect: 'fingerprint-without-buyer-email' }, async ({ url, keyId, secret }) => {
      const only = ['--selected', '--only', 'idempotency/same-key-other-body', '--mode', 'write']
      const { out } = await cli(['conform', url, '--key-id', keyId, ...only], { env: { PARTNER_SECRET: secret } })
      const keyOn = (label: string) => new RegExp(`\\n {2}${label} .* --idempotency-key (\\S+) `).exec(out)?.[1]
      expect(keyOn('first send')).toMatch(/^[0-9a-f-]{36}$/)
      expect(keyOn('reproduce')).toBe(keyOn('first send'))
    })
  })

  it('of what failed in a log runs these scenarios alone, and ends with 0 once they pass', async () => {
    const log = join(tempFolder(), 'run.ndjson')
    const scenarios = scenarioFolder(REPLAY)
    writeFileSync(join(scenarios, 'search', 'two.yaml'), VALID)
    const against = async (defect: string | null, ...more: string[]) => {
      const server = await startServer({ port: 0, operatorPort: null, inventory: 50, defect })
      const main = server.credentials.find(({ name }) => name === 'main')
      const args = ['conform', server.url, '--key-id', main?.key_id ?? '', '--scenarios', scenarios, ...more]
      return cli(args, { env: { PARTNER_SECRET: main?.secret ?? '' } }).finally(() => server.close())
    }
    expect((await against('nonce-never-tracked', '--reporter', `ndjson=${log}`)).code).toBe(1)
    const { code, out } = await against(null, '--rerun-failed', log)
    expect(code).toBe(0)
    expect(out).toMatch(/\nSelected +1 of 1 checks passed; 1 scenario left out\n/)
    expect((await against(null, '--rerun-failed', log, '--only', 'search/one')).err).toContain(
      '--rerun-failed and --only exclude',
    )
    // A rule of the whole run names a call of another scenario.
    await against(null, '--reporter', `ndjson=${log}`)
    const ruled = readFileSync(log, 'utf8').replace(
      /"verdict":"pass",("expected":[^}]*"exchange":)"s1e\d+"/,
      '"verdict":"fail",$1"s2e1"',
    )
    writeFileSync(log, ruled)
    expect((await against(null, '--rerun-failed', log)).out).toMatch(/\nSelected +2 of 2 checks passed\n/)
    await against(null, '--reporter', `ndjson=${log}`)
    const none = await against(null, '--rerun-failed', log)
    expect([none.code, none.err]).toEqual([
      4,
      expect.stringContaining(`no check failed in ${log}, so no check would run`),
    ])
  })

  it('against nobody ends with exit code 6', { timeout: 20_000 }, async () => {
    const args = ['conform', 'http://127.0.0.1:1', '--key-id', 'pk_test_1', '--scenarios', scenarioFolder()]
    const { code, out, err } = await cli(args, { env: { PARTNER_SECRET: 'sk_test_1' } })
    expect([code, out]).toEqual([6, ''])
    expect(err).toMatch(
      /\nerror: http:\/\/127\.0\.0\.1:1 gives no answer \(no connection: ECONNREFUSED: nothing listens there\); check the address, and that the target is running\n$/,
    )
  })

  it.each<[string, number, Record<string, string>, number, string, string?]>([
    [
      'a login page that calls are led to',
      302,
      { location: 'https://login.example/' },
      4,
      '302, which leads to https://login.example/',
    ],
    ['a page for people', 200, { 'content-type': 'text/html' }, 4, '200 and text/html where JSON belongs'],
    [
      'a web server that finds nothing',
      404,
      { 'content-type': 'text/html' },
      4,
      '404 and text/html where JSON belongs',
    ],
    ['another API', 404, { 'content-type': 'application/json' }, 4, '404', '{"code":"not_found"}'],
    [
      'a refusal with a tab in a text',
      403,
      { 'content-type': 'application/json' },
      4,
      '403 and application/json, and its body is not JSON (position 13)',
      '{"message":"a\tb"}',
    ],
  ])('against %s ends at once, and each report says why', async (...row) => {
    const [_what, status, headers, wanted, says, body = '<h1>Log in</h1>'] = row
    const url = await listening(createServer((_request, response) => response.writeHead(status, headers).end(body)))
    const folder = tempFolder()
    const args = ['conform', url, '--key-id', 'pk_test_1', '--scenarios', scenarioFolder(), '--output', folder]
    const { code, err } = await cli(args, { env: { PARTNER_SECRET: 'sk_test_1' } })
    const why = `${url} answers every valid call with ${says}`
    expect([code, err]).toEqual([
      wanted,
      expect.stringContaining(
        `error: ${why}, so nothing was judged; is this the address of the API (scheme, host and port; /api/partner/v1 is added)?`,
      ),
    ])
    for (const file of ['junit.xml', 'report.txt', 'annotations.txt', 'report.html'])
      expect(readFileSync(join(folder, file), 'utf8'), file).toContain(`answers every valid call with ${status}`)
  })

  it('whose one endpoint answers with a page is judged by the others', async () => {
    const url = await listening(
      createServer((request, response) => {
        const isPage = request.url?.includes('/availability')
        response.writeHead(isPage ? 404 : 200, { 'content-type': isPage ? 'text/html' : 'application/json' })
        response.end(isPage ? '<h1>Not found</h1>' : '{}')
      }),
    )
    const args = ['conform', url, '--key-id', 'pk_test_1', '--scenarios', scenarioFolder()]
    const { err } = await cli(args, { env: { PARTNER_SECRET: 'sk_test_1' } })
    expect(err).not.toContain('nothing was judged')
  })

  it('whose credential is refused from the start ends with exit code 4 and says why it may be, judging nothing', async () => {
    await withSandbox(async ({ url, keyId, secret }) => {
      const args = ['conform', url, '--key-id', keyId, '--scenarios', scenarioFolder()]
      const { code, out, err } = await cli(args, { env: { PARTNER_SECRET: 'sk_sandbox_another' } })
      expect([code, out]).toEqual([4, ''])
      expect(err).toMatch(
        /\nerror: the target refuses every call of main with 401 invalid_signature: are key id and secret right\? A target that refuses valid calls violates AUTH-01, .* so nothing was judged\. Check --key-id and PARTNER_SECRET; .*\n$/,
      )
      const file = join(tempFolder(), 'target.yaml')
      const wrong = { name: 'main', key_id: keyId, secret: 'sk_sandbox_another' }
      const other = { name: 'other', key_id: keyId, secret }
      writeFileSync(file, JSON.stringify({ url, mode: 'write', credentials: [wrong, other] }))
      const told = await cli(['conform', '--target', file, '--scenarios', scenarioFolder()])
      expect([told.code, told.out]).toEqual([4, ''])
      expect(told.err).toContain('The credential other is accepted, so it is those of main that are wrong or revoked')
    })
  })

  it('goes on where a target refuses calls of one shape only', async () => {
    const server = createServer((request, response) => {
      const status = request.url?.includes('/availability') ? 401 : 200
      response.writeHead(status, { 'content-type': 'application/json' }).end('{"code":"invalid_signature"}')
    })
    const args = ['conform', await listening(server), '--key-id', 'pk_test_1', '--scenarios', scenarioFolder()]
    const { code, out } = await cli(args, { env: { PARTNER_SECRET: 'sk_test_1' } })
    expect(code).toBe(2)
    expect(out).toMatch(/\nChecks +1 passed\n/)
  })

  it('finds a world that the operator does not have before anything is made', async () => {
    await withSandbox({ operatorPort: 0 }, async ({ url, keyId, secret, operatorUrl }) => {
      const args = ['conform', url, '--key-id', keyId, '--mode', 'operator', '--operator-url', operatorUrl]
      const env = { PARTNER_SECRET: secret }
      const { code, out, err } = await cli([...args, '--world', 'nope', '--scenarios', scenarioFolder()], { env })
      expect([code, out]).toEqual([4, ''])
      expect(err).toContain(`error: the operator at ${operatorUrl} has no world "nope"; check --operator-url, --world`)
    })
  })

  it('says where nobody answers at the operator address', async () => {
    await withSandbox(async ({ url, keyId, secret }) => {
      const args = ['conform', url, '--key-id', keyId, '--mode', 'operator', '--operator-url', 'http://127.0.0.1:1']
      const { code, err } = await cli([...args, '--scenarios', scenarioFolder()], { env: { PARTNER_SECRET: secret } })
      expect(code).toBe(6)
      expect(err).toContain('error: the operator address http://127.0.0.1:1 answers nothing')
    })
  })

  it('lets the first call decide about a scope that no read tells of', async () => {
    await withSandbox({ operatorPort: 0 }, async ({ url, keyId, secret, operatorUrl, named }) => {
      const operate = ['--mode', 'operator', '--operator-url', operatorUrl, '--scenarios', scenarioFolder(CHECKOUT)]
      const run = (id: string, own: string) =>
        cli(['conform', url, '--key-id', id, ...operate], { env: { PARTNER_SECRET: own } })
      expect((await run(keyId, secret)).out).toMatch(/\nChecks +1 passed\n/)
      const reader = named('only-search')
      expect((await run(reader.keyId, reader.secret)).out).toMatch(
        /needs-scope: .*\n {4}CHK-01\n {4}the credential main seems to lack the scope embed: checkout.create was answered 403\n/,
      )
    })
  })

  it('that only reads says what to add, and blames no file that was never given', async () => {
    await withSandbox(async ({ url, keyId, secret }) => {
      const args = ['conform', url, '--key-id', keyId, '--scenarios', scenarioFolder(CHECKOUT)]
      const { out } = await cli(args, { env: { PARTNER_SECRET: secret } })
      expect(out).toContain('this scenario writes, and the run only reads; add --mode write\n')
      expect(out).not.toContain('target file')
    })
  })

  it('whose every scenario is out of reach is no success, even where unverified is allowed', async () => {
    const folder = scenarioFolder(VALID.replace('scope.search', 'operator.advance_clock'))
    await withSandbox(async ({ url, keyId, secret }) => {
      const args = ['conform', url, '--key-id', keyId, '--scenarios', folder, '--allow-unverified']
      const { code, out } = await cli(args, { env: { PARTNER_SECRET: secret } })
      expect(code).toBe(2)
      expect(out).toMatch(/\n {2}needs-operator: no operator to move orders or time \(1\)\n {4}AUTH-01\n/)
    })
  })
})

interface Running {
  url: string
  keyId: string
  secret: string
  operatorUrl: string
  named(name: string): { keyId: string; secret: string }
}

/** Gives a sandbox of its own to some work, and stops it then. */
async function withSandbox(...given: [...([] | [Partial<ServerOptions>]), (running: Running) => Promise<void>]) {
  const work = given.at(-1) as (running: Running) => Promise<void>
  const options = given.length === 1 ? {} : given[0]
  const server = await startServer({ port: 0, operatorPort: null, inventory: 50, ...options })
  const named = (name: string) => {
    const found = server.credentials.find((credential) => credential.name === name)
    if (!found) throw new Error(`there is ${server.credentials.map((credential) => credential.name).join(', ')}`)
    return { keyId: found.key_id, secret: found.secret }
  }
  try {
    await work({ url: server.url, ...named('main'), operatorUrl: server.operator?.url ?? '', named })
  } finally {
    await server.close()
  }
}

const CHECKOUT = `title: A checkout session has an address
proves: [CHK-01]
needs: [scope.embed, fixture.sellable]
effects: { checkout_sessions: 1 }
steps:
  - id: session
    call: { op: checkout.create }
    expect: { accepted: true, shows: CHK-01 }
`

const REPLAY = `title: A call is accepted once
proves: [NONCE-01]
needs: [scope.search]
steps:
  - id: first
    call: { op: domains.search, query: { q: solar } }
  - id: exact_copy
    call: { again: first }
    expect: { refused: replay_detected, shows: NONCE-01 }
`

const VALID = `title: A search is accepted
proves: [AUTH-01]
needs: [scope.search]
steps:
  - id: search
    call: { op: domains.search, query: { q: solar } }
    expect: { accepted: true, shows: AUTH-01 }
`

/** A folder with one scenario, search/one. */
function scenarioFolder(text = VALID): string {
  const folder = tempFolder()
  mkdirSync(join(folder, 'search'))
  writeFileSync(join(folder, 'search', 'one.yaml'), text)
  return folder
}
