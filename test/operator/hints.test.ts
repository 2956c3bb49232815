import { describe, expect, it } from 'vitest'
import { type WallClock, wallClock } from '../../src/clock/wall-clock.ts'
import { runConformance } from '../../src/index.ts'
import { cliAgainst } from '../cli/against.ts'
import { cli } from '../cli/run.ts'
import { startSandbox } from '../support/sandbox.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** Work takes no time by this clock, so that no sentence is left out on a busy machine. */
const UNHURRIED: WallClock = { ...wallClock, monotonicMs: () => 0 }
const GIVING = { hints: true, wall: UNHURRIED } as const
const AUTH_SCENARIOS = ['auth/body-altered', 'auth/key-id-unknown', 'auth/duplicate-headers']
const READ = { path: '/orders?limit=1' } as const
const WRONG = { ...READ, signs: { secret: 'sk_sandbox_nobody' } }

const THROTTLED = 'The reason was not worked out, because other calls would have to wait for it. Why: '

describe('the hint of a refused call', () => {
  it('says why, and the command that shows more works where it stands', async () => {
    const sandbox = await startSandbox({ ...GIVING, program: 'partner-sandbox' })
    const { json } = await sandbox.call({ ...READ, signs: { secret: sandbox.credentials[0]?.key_id as string } })
    const [sentence, command = ''] = json.hint.split(' More: ')
    expect(sentence).toBe('The key id was used as the secret.')
    const { code, out } = await cli(command.split(' ').slice(1))
    expect([code, out]).toEqual([0, expect.stringContaining('The key id was used as the secret.')])
    const [full = ''] = /partner-sandbox request show .+ --full.*$/m.exec(out) ?? []
    expect(full).toContain(` --sandbox ${sandbox.operator?.url}`)
    expect(await cli(full.split(' ').slice(1))).toMatchObject({ code: 0, out: expect.stringContaining('checks') })
  })

  it('is there for each check that refuses, and for no other refusal', async () => {
    const sandbox = await startSandbox({ ...GIVING })
    const hintOf = async (call: object) => (await sandbox.call({ ...READ, ...call })).json.hint
    expect(await hintOf({ headers: { 'X-Partner-Key-Id': '' } })).toContain('X-Partner-Key-Id was sent empty.')
    expect(await hintOf({ headers: { 'X-Partner-Key-Id': 'pk_live_1' } })).toContain('send pk_sandbox_')
    expect(await hintOf({ timestamp: '17' })).toContain('The clock that made the timestamp is')
    expect(await hintOf({ nonce: 'once' })).toBeUndefined()
    expect(await hintOf({ nonce: 'once' })).toContain('The nonce was used before')
    expect(await hintOf({ as: 'no-scope' })).toContain('holds no scope')
    expect(await hintOf({ path: '/orders?limit=none' })).toBeUndefined()
    expect(await hintOf({ path: '/no-such-path' })).toBeUndefined()
  })

  it('stands beside code and message in every layout of errors', async () => {
    for (const layout of ['nested', 'list', 'problem'] as const) {
      const sandbox = await startSandbox({ ...GIVING, gaps: { 'error-layout': layout } })
      expect((await sandbox.call(WRONG)).json).toMatchObject({ hint: expect.stringContaining('request show req_') })
    }
  })

  it('names no command where no operator could answer it', async () => {
    const sandbox = await startSandbox({ ...GIVING, operatorPort: null })
    const { json } = await sandbox.call({ ...READ, signs: { method: 'get' } })
    expect(json.hint).toBe('The verb was signed in lower case.')
  })

  it('holds no secret, wherever one was sent', async () => {
    const sandbox = await startSandbox({ ...GIVING })
    const { secret } = sandbox.credentials[0] as { secret: string }
    for (const name of ['X-Partner-Key-Id', 'X-Partner-Timestamp', 'X-Partner-Nonce', 'X-Partner-Signature']) {
      const { json, text } = await sandbox.call({ ...READ, headers: { [name]: secret } })
      expect([name, typeof json.hint, text.includes(secret)]).toEqual([name, 'string', false])
    }
  })

  it('says nothing of worlds that give none', async () => {
    const sandbox = await startSandbox({ ...GIVING })
    const { json: other } = await sandbox.operate('POST', '/v1/worlds', { name: 'theirs' })
    const { key_id: keyId, secret } = other.credentials[0]
    const near = `${keyId.slice(0, -1)}?`
    const { json } = await sandbox.call({ ...READ, signs: { secret }, headers: { 'X-Partner-Key-Id': near } })
    expect(json.hint).toContain('request show')
    expect(json.hint).not.toMatch(/theirs|nearly/)
    const { json: own } = await sandbox.call({ ...WRONG, headers: { 'X-Partner-Key-Id': keyId } })
    expect(own).not.toHaveProperty('hint')
  })
})

describe('the setting', () => {
  it('is off unless it is asked for, and on or off from the next call on', async () => {
    const sandbox = await startSandbox()
    const { ok, okJson } = cliAgainst(sandbox)
    const isGiven = async () => 'hint' in (await sandbox.call(WRONG)).json
    expect(await isGiven()).toBe(false)
    expect(await okJson('world', 'hints', '--on')).toEqual({ hints: true })
    expect(await isGiven()).toBe(true)
    expect(await ok('world', 'hints')).toContain('on')
    expect(await okJson('world', 'hints', 'default', '--off')).toEqual({ hints: false })
    expect(await isGiven()).toBe(false)
    expect(await okJson('world', 'create', 'one', '--hints')).not.toHaveProperty('hints')
    expect(await okJson('world', 'hints', 'one')).toEqual({ hints: true })
    await ok('world', 'create', 'two')
    expect(await okJson('world', 'hints', 'two')).toEqual({ hints: false })
  })

  it('lasts, and counts for nothing under --strict', async () => {
    const dataDir = tempFolder()
    const first = await startSandbox({ dataDir, hints: true })
    await first.close()
    const strict = await startSandbox({ dataDir, strict: true })
    expect((await strict.call(WRONG)).json).not.toHaveProperty('hint')
    await strict.close()
    const again = await startSandbox({ dataDir })
    expect((await again.call(WRONG)).json).toHaveProperty('hint')
  })
})

describe('many wrong calls', () => {
  it('are all answered, some with the command alone, and right ones meanwhile', async () => {
    const sandbox = await startSandbox({ hints: true })
    const refused = Promise.all(Array.from({ length: 40 }, () => sandbox.call(WRONG)))
    expect((await sandbox.call(READ)).status).toBe(200)
    const hints = (await refused).map(({ json }) => json.hint)
    expect(hints.every((hint) => /request show req_\w+/.test(hint))).toBe(true)
    expect(hints.some((hint) => hint.startsWith(THROTTLED))).toBe(true)
  })

  it('are told when the time for hints is used up, until a tenth of it has passed; what needs no search is said all the same', async () => {
    let nowMs = 0
    let readMs = 20
    const wall = { ...wallClock, monotonicMs: () => (nowMs += readMs) }
    const sandbox = await startSandbox({ hints: true, wall })
    const hintOf = async (call: object) => (await sandbox.call({ ...READ, ...call })).json.hint
    expect(await hintOf(WRONG)).toContain(THROTTLED)
    readMs = 0
    expect(await hintOf({ headers: { 'X-Partner-Nonce': '' } })).toMatch(/^X-Partner-Nonce was sent empty\. More: /)
    // The message says why already.
    expect(await hintOf({ timestamp: '17' })).toMatch(/^More: /)
    nowMs += 10_000
    expect(await hintOf({ signs: { method: 'get' } })).toMatch(/^The verb was signed in lower case\. More: /)
  })

  it('cost next to nothing where they are large', async () => {
    const sandbox = await startSandbox({ ...GIVING })
    const { json } = await sandbox.call({ ...WRONG, path: '/quotes', body: 'x'.repeat(20_000) })
    expect(json.hint).toMatch(/^The reason was not worked out, because the call is too large\. Why: /)
  })
})

describe('a server that gives hints', () => {
  it('is judged as one that gives none', async () => {
    const { url, operator, credentials } = await startSandbox({ ...GIVING })
    const { key_id: keyId, secret } = credentials[0] as { key_id: string; secret: string }
    const target = { url, keyId, secret, mode: 'operator', operatorUrl: operator?.url as string } as const
    const { failures, summary } = await runConformance({ target, only: AUTH_SCENARIOS })
    expect(failures).toEqual([])
    expect(summary.checks.pass).toBe(7)
  })
})
