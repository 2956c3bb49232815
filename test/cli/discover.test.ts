import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startForeign } from '../support/foreign-service.ts'
import { listening } from '../support/listening.ts'
import { startSandbox } from '../support/sandbox.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { cli } from './run.ts'

const env = { PARTNER_SECRET: 'sk_test_foreign-secret' }

const PINNED = `title: What a repeated call gets
proves: []
needs: [scope.search]
steps:
  - id: first
    call: { op: availability, query: { domain: a.example } }
  - id: again
    call: { again: first }
    observe: { gap: AUTH-17, take: status, as: replay_detected }
`

function folder(): { file: string; scenarios: string[] } {
  const at = tempFolder()
  const scenario = join(at, 'repeated.yaml')
  writeFileSync(scenario, PINNED)
  return { file: join(at, 'target.yaml'), scenarios: ['--scenarios', scenario] }
}

const named = (url: string) => ['discover', url, '--key-id', 'pk_test_foreign1']

describe('discover URL', { timeout: 30_000 }, () => {
  it('tells what it found, plainly where it is piped, and writes nothing unasked', async () => {
    const { url } = await startForeign()
    const { scenarios } = folder()
    const { code, out, err } = await cli([...named(url), ...scenarios], { env })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(/^target +http:\/\/127\.0\.0\.1:\d+ \(environment test\)\n/)
    expect(out).toMatch(/params orders\.cursor +pageToken +one answer +yes +d_orders/)
    expect(out).toContain('no file written; --out target.yaml writes a target file\n')
    expect(out).toContain('\nFILE no: valid answers may lack it')
    const [, lists = ''] = out.split('not seen; a run looks')
    expect(Math.max(...lists.split('\n').map((line) => line.length))).toBeLessThanOrEqual(130)
    expect(out).not.toContain('\u001b')
    expect(out).not.toContain('foreign-secret')
  })

  it.each([
    [{ 'keep-alive': 'timeout=1, max=100' }, 'kept open for 1 s after an answer'],
    [{ 'keep-alive': '' }, 'not closed after an answer'],
    [{ connection: 'close' }, 'closed after an answer, at least at times'],
  ])('says of connections what the headers %j say', async (headers, says) => {
    const answer = JSON.stringify({ code: 'validation_error', message: 'no' })
    const server = createServer((_request, response) => {
      const own = Object.entries({ 'content-type': 'application/json', ...headers }).filter(([, value]) => value !== '')
      response.writeHead(400, { connection: 'keep-alive', ...Object.fromEntries(own) }).end(answer)
    })
    server.keepAliveTimeout = 0
    const { out } = await cli([...named(await listening(server)), ...folder().scenarios], { env })
    expect(/^connections +(.*)$/m.exec(out)?.[1]).toBe(says)
  })

  it('misses no way to a next page where no answer says that there is one', async () => {
    const { url, credentials } = await startSandbox()
    const [main] = credentials
    const args = ['discover', url, '--key-id', main?.key_id ?? '', '--json', ...folder().scenarios]
    const { code, out } = await cli(args, { env: { PARTNER_SECRET: main?.secret ?? '' } })
    const { findings } = JSON.parse(out) as { findings: { path: string[]; state: string }[] }
    const next = findings.filter(({ path }) => path.join('.').endsWith('.next'))
    expect([code, next.length > 3]).toEqual([0, true])
    expect(next.filter(({ state }) => state === 'needs-dialect')).toEqual([])
  })

  it('takes for the price what equals it in another answer, and names what else an answer has', async () => {
    const service = await startForeign({ pricing: (units) => ({ tag: units }), history: [{ lap: 'done', at: 1 }] })
    const { out } = await cli(['discover', service.url, '--key-id', service.keyId], { env })
    expect(out).toMatch(/pricing:listing\.price +\/data\/tag in units +confirmed/)
    expect(out).toContain('timeline.status": nothing in the answers fits (they have /lap, /at)')
  })

  it('makes a target file that is read again, without a secret in it, for its owner alone', async () => {
    const { url } = await startForeign()
    const { file, scenarios } = folder()
    await cli([...named(url), '--out', file, ...scenarios], { env })
    const text = readFileSync(file, 'utf8')
    expect(text).toContain('secret: "${env:PARTNER_SECRET}"')
    expect(text).not.toContain('foreign-secret')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const again = await cli(['discover', '--target', file, '--json', ...scenarios], { env })
    const told = JSON.parse(again.out)
    expect(told.file).toEqual({ name: file, written: false, changes: [] })
    expect(told.findings.filter(({ state }: { state: string }) => state === 'told').length).toBeGreaterThan(10)
    expect(readFileSync(file, 'utf8')).toBe(text)
  })

  it('shows at a terminal that it goes on, and asks for the address where nothing is taken', async () => {
    const slow = createServer((_, response) => setTimeout(() => response.writeHead(400).end('{}'), 100))
    const { out, err } = await cli(named(await listening(slow)), { env, terminal: true })
    expect(err).toContain('reading the target: 1 s')
    expect(out).toMatch(/credential main +its calls are refused; is this the address of the API\?\n/)
    expect(out).toMatch(/ used by scenarios of: AUTH-/)
  })

  it('says before the first call what no target file can say', async () => {
    const { url, asked } = await startForeign()
    const { file } = folder()
    const { code, err } = await cli(['discover', url, '--key-id', 'my_key', '--out', file], { env })
    expect([code, err, asked]).toEqual([
      4,
      expect.stringMatching(/^\S+:\d+:\d+ "key_id" must be like pk_test_1, not "my_key"/),
      [],
    ])
  })

  it('says that it was interrupted, and writes nothing', async () => {
    const { url } = await startForeign()
    const { file } = folder()
    const { code, err } = await cli([...named(url), '--out', file], { env, stop: AbortSignal.timeout(50) })
    expect([code, err]).toEqual([2, 'error: interrupted: what was found is lost, and no file was written\n'])
    expect(existsSync(file)).toBe(false)
  })

  it('names the variable that was given where its secret is not taken', async () => {
    const sandbox = await startSandbox()
    const { err } = await cli([...named(sandbox.url), '--secret-env', 'MINE'], { env: { MINE: 'sk_test_1' } })
    expect(err).toContain('Check --key-id and MINE; ')
  })

  it('completes a file that is there, unless it is about another target', async () => {
    const { url } = await startForeign()
    const { file, scenarios } = folder()
    const own = `# mine\nurl: ${url}\ncredentials: [{ name: main, key_id: pk_test_foreign1, secret: "\${env:PARTNER_SECRET}" }]\n`
    writeFileSync(file, own)
    chmodSync(file, 0o640)
    expect((await cli([...named(url), '--out', file, ...scenarios], { env })).code).toBe(0)
    expect(readFileSync(file, 'utf8')).toMatch(/^# mine\nurl: .*\ncredentials: [\s\S]*dialect:\n/)
    expect(statSync(file).mode & 0o777).toBe(0o640)
    const other = await cli([...named('http://127.0.0.1:9'), '--out', file, ...scenarios], { env })
    expect(other).toMatchObject({
      code: 4,
      err: `error: --out: ${file} is about ${url}, not http://127.0.0.1:9; name another file\n`,
    })
  })

  it.each([
    [['discover'], 'name a target: a URL with --key-id, or --target FILE'],
    [['discover', 'http://a.test'], '--key-id is missing: the key id of the credential to sign with'],
    [[...named('http://a.test'), '--pin'], '--pin writes a target file: name one with --out'],
    [[...named('http://a.test'), '--update'], '--update writes a target file: name one with --out'],
    [[...named('http://a.test'), '--from', 'x'], '--from needs --pin or --update-pins'],
    [
      ['discover', '--target', 'x.yaml', '--key-id', 'pk_test_1'],
      '--key-id goes with a URL; write it into the target file',
    ],
  ])('refuses %j', async (args, message) => {
    expect(await cli(args, { env })).toMatchObject({ code: 4, err: `error: ${message}\n`, out: '' })
  })

  it('ends with exit code 6 where the target asks to wait for long', async () => {
    const server = createServer((_, response) => response.writeHead(429, { 'retry-after': '3600' }).end())
    const { code, err } = await cli([...named(await listening(server)), ...folder().scenarios], { env })
    expect([code, err]).toEqual([6, expect.stringContaining('the target had asked to wait 3600 s')])
  })
})

describe('--continue', { timeout: 30_000 }, () => {
  it('takes what the log of a run shows as further answers', async () => {
    const { url } = await startForeign()
    const { file, scenarios } = folder()
    const log = `${file}.ndjson`
    await cli([...named(url), '--out', file, ...scenarios], { env })
    await cli(['conform', '--target', file, '--reporter', `ndjson=${log}`, ...scenarios], { env })
    const order = {
      public_id: 'ord_1',
      domain: 'a.example',
      status: 'SETTLED',
      sale_price_cents: 6500,
      currency: 'USD',
    }
    const lines = readFileSync(log, 'utf8').split('\n')
    const at = lines.findIndex((line) => line.startsWith('{"type":"exchange"'))
    const exchange = JSON.parse(lines[at] ?? '')
    const made = {
      ...exchange,
      id: 's9e9',
      method: 'POST',
      target: '/api/partner/v1/orders',
      status: 201,
      request_body: JSON.stringify({ domain: 'a.example', expected_price: 65 }),
      response_body: JSON.stringify(order),
    }
    writeFileSync(log, [...lines.slice(0, at), JSON.stringify(made), ...lines.slice(at)].join('\n'))
    const { out } = await cli(['discover', '--target', file, '--continue', log, '--json', ...scenarios], { env })
    const unit = JSON.parse(out).findings.find(({ path }: { path: string[] }) => path[1] === 'price_unit')
    expect(unit).toMatchObject({ state: 'found', value: 'units', confidence: 'one answer' })
    expect(readFileSync(file, 'utf8')).toContain('price_unit: units')
  })

  it('refuses the log of a run against another target', async () => {
    const [one, other] = [await startForeign(), await startForeign()]
    const { file, scenarios } = folder()
    const log = `${file}.ndjson`
    await cli([...named(one.url), '--out', file, ...scenarios], { env })
    await cli(['conform', '--target', file, '--reporter', `ndjson=${log}`, ...scenarios], { env })
    const { code, err } = await cli([...named(other.url), '--continue', log, ...scenarios], { env })
    expect([code, err]).toEqual([
      4,
      `error: --continue: ${log} is the log of a run against ${one.url}, not ${other.url}\n`,
    ])
  })
})

describe('pins', { timeout: 30_000 }, () => {
  it('are written by --pin, told as drift when the target changes, and changed only by --update-pins', async () => {
    const service = await startForeign({ replayStatus: 401 })
    const { file, scenarios } = folder()
    await cli([...named(service.url), '--out', file, '--pin', ...scenarios], { env })
    expect(readFileSync(file, 'utf8')).toMatch(/pins:\n {2}AUTH-17\/replay_detected: 401\n$/)

    service.choices.replayStatus = 409
    const run = await cli(['conform', '--target', file, '--reporter', 'json', ...scenarios], { env })
    const { scenarios: judged, summary } = JSON.parse(run.out)
    expect(summary.checks).toMatchObject({ drift: 1, fail: 0 })
    expect(judged[0].checks[0]).toMatchObject({ verdict: 'drift', expected: 'pinned: 401', actual: '409' })

    const strict = await cli(['conform', '--target', file, '--fail-on', 'drift', ...scenarios], { env })
    expect([strict.code, strict.err]).toEqual([1, expect.stringMatching(/\n1 answer is not as pinned, /)])
    expect(strict.out).toContain('409 (pinned: 401)')
    const pinned = await cli(['discover', '--target', file, '--pin', ...scenarios], { env })
    expect(pinned.out).toContain('drift\n  AUTH-17/replay_detected: pinned 401, now 409\n')
    expect(pinned.code).toBe(0)
    expect(readFileSync(file, 'utf8')).toContain('replay_detected: 401')
    await cli(['discover', '--target', file, '--update-pins', ...scenarios], { env })
    expect(readFileSync(file, 'utf8')).toContain('replay_detected: 409')
  })

  it('that are misspelled end the run before the first call; others of open points are only named', async () => {
    const file = join(tempFolder(), 'target.yaml')
    const lines =
      'url: http://127.0.0.1:1\ncredentials: [{ name: main, key_id: pk_x, secret: "a-secret-of-its-own" }]\n'
    const { scenarios } = folder()
    const pin = async (command: string, pins: string) => {
      writeFileSync(file, `${lines}pins: { ${pins} }\n`)
      return (await cli([...command.split(' '), '--target', file, ...scenarios], { env })).err
    }
    for (const command of ['conform', 'discover'])
      expect(await pin(command, 'AUTH-17/replay_detectd: 4, NOPE-01: 5')).toBe(
        `${file}:3:9 unknown observation "AUTH-17/replay_detectd"; did you mean "AUTH-17/replay_detected"?\n` +
          `${file}:3:36 unknown observation "NOPE-01"; no scenario makes it, of this package or of those that were given\n`,
      )
    // Of the partner's own scenarios, which are not given here.
    for (const command of ['conform', 'discover'])
      expect(await pin(command, 'AUTH-17/by_our_scenarios: 401')).toMatch(
        /:3:9 this pin is not compared: no scenario makes it, of this package or of those that were given\n[\s\S]*gives no answer/,
      )
    expect(await pin('discover --update-pins', 'AUTH-17/replay_detectd: 4')).toMatch(
      /did you mean[\s\S]*gives no answer/,
    )
    // One that only scenarios observe which are not run this time.
    expect(await pin('conform', 'TIME-06/ahead: x')).not.toContain('unknown')
  })

  it('may come from the log of a run', async () => {
    const service = await startForeign({ replayStatus: 403 })
    const { file, scenarios } = folder()
    const log = `${file}.ndjson`
    await cli([...named(service.url), '--out', file, ...scenarios], { env })
    await cli(['conform', '--target', file, '--reporter', `ndjson=${log}`, ...scenarios], { env })
    service.choices.replayStatus = 409
    await cli(['discover', '--target', file, '--pin', '--from', log, ...scenarios], { env })
    expect(readFileSync(file, 'utf8')).toContain('AUTH-17/replay_detected: 403')
    writeFileSync(log, '{}\n')
    const broken = await cli(['discover', '--target', file, '--pin', '--from', log, ...scenarios], { env })
    expect(broken.err).toMatch(/^error: --from: .*:1: /)
  })
})
