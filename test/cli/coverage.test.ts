import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { register, SECRET, settled, signatureOf } from '../support/hooks.ts'
import { startReceiver } from '../support/receiver.ts'
import { startSandbox } from '../support/sandbox.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { cliAgainst } from './against.ts'
import { cli } from './run.ts'

const FROZEN = { inventory: 0, frozen: true, clockMs: Date.parse('2026-03-01T00:00:00.000Z') }

async function calledOnce() {
  const sandbox = await startSandbox(FROZEN)
  await sandbox.call({ path: '/orders' })
  for (const _ of [1, 2]) await sandbox.call({ path: '/pricing' })
  return { sandbox, ...cliAgainst(sandbox) }
}

describe('coverage', () => {
  it('says first how much is met, then section by section, then what is missing and how to meet it', async () => {
    const { ok } = await calledOnce()
    const text = await ok('coverage')
    expect(text).toMatch(
      /^\d+ % of the API used in the world default: 3 of \d+, 1 wrong\n\d+ more are listed but not counted: no API call can show them\n\nSECTION +USED +OF\n/,
    )
    expect(text).toMatch(/\nEndpoints +1 +26 +\[\.{20}\]\n/)
    expect(text).toMatch(/\npartly +GET \/api\/partner\/v1\/pricing +called, but no 2xx answer yet; see why: /)
    expect(text).toMatch(
      /\nwrong +validation_error: .* once wrong, .*; see npx partner-sandbox request show req_\w+ --sandbox http\S+; /,
    )
    expect(text).toMatch(
      /\nnot used +EXTERNALLY_PAID to MANUAL_REVIEW +npx partner-sandbox order hold last --sandbox http\S+; then /,
    )
    expect(text).not.toMatch(/\nused /)
    expect(text).not.toContain('\u001b')
  })

  it('shows only what is missing, or all with numbers and times', async () => {
    const { ok, run } = await calledOnce()
    expect(await ok('coverage', '--missing')).not.toContain('SECTION')
    const all = await ok('coverage', '--all')
    expect(all).toMatch(/\nSTATE +WHAT +COUNT +FIRST +LAST +HOW\n/)
    expect(all).toMatch(
      /\nused +GET \/api\/partner\/v1\/orders +1 +2026-03-01T00:00:00\.000Z +2026-03-01T00:00:00\.000Z/,
    )
    expect((await run('coverage', '--all', '--missing')).code).toBe(4)
  })

  it('folds long lines and paints states on a terminal', async () => {
    const { sandbox } = await calledOnce()
    const env = { PARTNER_SANDBOX_URL: sandbox.operator?.url ?? '' }
    const { out } = await cli(['coverage', '--missing'], { env, terminal: true })
    expect(out).toContain('\u001b[31mwrong\u001b[39m')
    // A command has a line of its own, so that it can be copied whole.
    expect(out).toMatch(
      /\n {4}npx partner-sandbox sign GET \S+\/api\/partner\/v1\/payouts --key-id \S+ --curl --sandbox http\S+ \| sh\n/,
    )
    expect(
      (await cli(['coverage', '--missing'], { env: { ...env, NO_COLOR: '1' }, terminal: true })).out,
    ).not.toContain('\u001b')
  })

  it('ends with 1 below the percentage that is asked for', async () => {
    const { run } = await calledOnce()
    expect((await run('coverage', '--min', '1')).code).toBe(0)
    expect(await run('coverage', '--min', '80')).toMatchObject({
      code: 1,
      err: 'coverage is 2 %, below --min 80 %\n',
    })
    expect((await run('coverage', '--min', '101')).code).toBe(4)
  })

  it('gives the raw answer, writes the page to a file, and resets the counts', async () => {
    const { ok, okJson, run } = await calledOnce()
    expect((await okJson('coverage')).summary).toMatchObject({ met: 3, wrong: 1 })
    const folder = tempFolder()
    const file = join(folder, 'sheet.html')
    expect(await run('coverage', '--html', file)).toEqual({ code: 0, out: '', err: `wrote ${file}\n` })
    expect(readFileSync(file, 'utf8')).toMatch(/^<!doctype html><html lang="en">.*<\/html>$/s)
    expect((await run('coverage', '--html', join(folder, 'made', 'sheet.html'))).code).toBe(0)
    const below = join(file, 'sheet.html')
    expect(await run('coverage', '--html', below)).toEqual({
      code: 4,
      out: '',
      err: `error: --html: cannot write ${below} (ENOTDIR)\n`,
    })
    expect(await ok('coverage', 'reset')).toBe('coverage of default reset\n')
    expect((await okJson('coverage')).summary.met).toBe(0)
    expect((await run('coverage', '--world', 'nowhere')).code).toBe(1)
  })
})

describe('delivery probe', () => {
  it('probes the latest delivery, and ends with 1 where the receiver does not refuse', async () => {
    const hook = await startReceiver(
      (response, { body, headers }) =>
        void response.writeHead(headers['x-partner-signature'] === signatureOf(body, SECRET) ? 200 : 401).end(),
      { anything: true },
    )
    const sandbox = await startSandbox(FROZEN)
    const { run } = cliAgainst(sandbox)
    expect(await run('delivery', 'probe')).toMatchObject({
      code: 1,
      err: expect.stringContaining('there is no delivery in the world'),
    })
    await register(sandbox, hook.url)
    await sandbox.sell()
    await settled(sandbox)
    const { code, out } = await run('delivery', 'probe')
    expect(code).toBe(0)
    expect(out).toMatch(
      /^delivery +dlv_\w+\n\nTAMPERING +VERDICT +STATUS +FAILURE\nsignature +refused +401 +-\nbody +refused +401 +-\nsecret +refused +401 +-\n\nyour receiver refused every forgery\n$/,
    )
    expect((await run('delivery', 'show', /dlv_\w+/.exec(out)?.[0] ?? '')).out).toMatch(/ \(a probe: wrong body\)\n/)
    const deaf = await startReceiver(undefined, { anything: true })
    await register(sandbox, deaf.url)
    expect(await run('delivery', 'probe', '--tampering', 'body')).toMatchObject({
      code: 1,
      out: expect.stringMatching(
        /body +accepted +200 +-\n\nyour receiver accepted a forgery \(body\): it does not verify the signature\n$/,
      ),
    })
    expect(await run('delivery', 'list')).toMatchObject({ out: expect.stringContaining('answered 200 (probe: body)') })
    const strict = await startReceiver((response) => void response.writeHead(401).end(), { anything: true })
    await register(sandbox, strict.url)
    await sandbox.sell()
    await settled(sandbox)
    expect(await run('delivery', 'probe')).toMatchObject({
      code: 1,
      out: expect.stringContaining('inconclusive: your receiver refused the correct delivery too'),
    })
    expect((await run('delivery', 'show', 'last')).out).toMatch(
      /\nto find out why it is refused: npx partner-sandbox receiver /,
    )
    const lost = await startReceiver((response) => void response.writeHead(500).end())
    await register(sandbox, lost.url)
    expect(await run('delivery', 'probe', '--tampering', 'body')).toMatchObject({
      code: 1,
      out: expect.stringContaining('inconclusive: only a 4xx answer'),
    })
    expect((await run('delivery', 'probe', '--help')).out).toMatch(/Exit codes: 0 .* 1\./)
  })
})
