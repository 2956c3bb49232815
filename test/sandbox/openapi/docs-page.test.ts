import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { GAPS } from '../../../src/contract/choices.ts'
import { ENDPOINT_IDS } from '../../../src/contract/endpoint-ids.ts'
import { ERROR_CODES } from '../../../src/contract/errors.ts'
import { EVENT_TYPES } from '../../../src/contract/event-types.ts'
import type { HandedCredential } from '../../../src/server.ts'
import { rawAnswer } from '../../operator/raw-answer.ts'
import { sandboxOfFile, startSandbox, type TestSandbox } from '../../support/sandbox.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const shared = sandboxOfFile()
let answer: Response
let html: string

beforeAll(async () => {
  answer = await fetch(`${shared.url}/docs`)
  html = await answer.text()
})

/** The Host headers of loopback. */
function hostsOf({ url }: TestSandbox): string[] {
  const { port } = new URL(url)
  return [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]
}

/** Every key id and secret on the page that a request with these headers gets. */
async function shownTo({ url }: TestSandbox, ...headers: string[]): Promise<string[]> {
  const { status, body } = await rawAnswer(url, ['GET /docs HTTP/1.1', ...headers, 'Connection: close'])
  expect(status).toBe(200)
  return [...new Set(body.match(/\b[ps]k_[a-z]+_[0-9a-z]{10,}/g))]
}

describe('/docs', () => {
  it('is one page with one script of its own, under a policy that allows nothing else', async () => {
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect([...html.matchAll(/<script[^>]*>/g)].map(([tag]) => tag)).toEqual([
      '<script type="module" src="docs/docs.js">',
    ])
    expect(html).not.toMatch(/javascript:|\son\w+=|\sstyle=/i)
    expect(html).not.toMatch(/\b(?:src|href)="(?:https?:)?\/\//)
    const policy = answer.headers.get('content-security-policy')
    expect(policy?.replace(/sha256-[^']+/, 'HASH')).toBe(
      "default-src 'none'; style-src 'HASH'; script-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    )
  })

  it('has an anchor for every operation, delivery, code and open point, and no link that leads nowhere', async () => {
    const ids = [...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)
    expect(ids).toEqual([...new Set(ids)])
    const wanted = [
      ...ENDPOINT_IDS,
      ...EVENT_TYPES.map((type) => `deliver.${type}`),
      ...ERROR_CODES.map((code) => `code-${code}`),
      ...Object.keys(GAPS).map((id) => `open-${id}`),
    ]
    expect(ids).toEqual(expect.arrayContaining(wanted))
    const links = [...html.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id)
    expect([...new Set(links)].filter((id) => !ids.includes(id))).toEqual([])
    expect(links).toEqual(expect.arrayContaining([...ENDPOINT_IDS]))
  })

  it('shows how to sign every call with the address of the sandbox', async () => {
    const commands = [...html.matchAll(/<pre>(npx partner-sandbox sign [\s\S]*?)<\/pre>/g)].map(
      ([, command]) => command,
    )
    expect(commands.length).toBe(ENDPOINT_IDS.length)
    expect(
      commands.every((command) => command?.includes(`${shared.url}/api/partner/`) && command.endsWith('--curl | sh')),
    ).toBe(true)
    expect(commands.filter((command) => command?.includes('--idempotency-key docs-1'))).toHaveLength(1)
    expect(html).toContain('<code>PARTNER_KEY_ID</code> is the key id that the sandbox shows')
    expect(html).toContain(`sign GET '${shared.url}/api/partner/v1/pricing?domain=stalls-1.test'`)
  })

  it('shows one credential, the fixed one, to who opens it on the machine of the sandbox', async () => {
    const { key_id, secret } = shared.credentials[0] as HandedCredential
    for (const host of hostsOf(shared)) expect(await shownTo(shared, `Host: ${host}`)).toEqual([key_id, secret])
  })

  it('shows no secret and no key id under a foreign name, through a proxy, or where others can reach it', async () => {
    const [own = ''] = hostsOf(shared)
    const { port } = new URL(shared.url)
    for (const host of [
      '127.0.0.1',
      'localhost:1',
      `foreign.test:${port}`,
      `foreign.localhost:${port}`,
      `LOCALHOST:${port}`,
    ]) {
      expect([host, ...(await shownTo(shared, `Host: ${host}`))]).toEqual([host])
    }
    for (const header of [
      'X-Forwarded-For: 10.0.0.7',
      'X-Forwarded-Host: sandbox.example.com',
      'Forwarded: for=10.0.0.7',
      'Via: 1.1 proxy',
    ]) {
      expect([header, ...(await shownTo(shared, `Host: ${own}`, header))]).toEqual([header])
    }
    const open = await startSandbox({ host: '0.0.0.0' })
    expect(await shownTo(open, `Host: ${hostsOf(open)[0]}`)).toEqual([])
    const published = await startSandbox({ publicUrl: 'https://sandbox.example.com' })
    expect(await shownTo(published, `Host: ${hostsOf(published)[0]}`)).toEqual([])
    const shard = await startSandbox({ shard: 'a' })
    expect(await shownTo(shard, `Host: ${hostsOf(shard)[0]}`)).toEqual([])
  })

  it('shows no fixed credential that a folder still has when a proxy is put in front of it', async () => {
    const dataDir = tempFolder()
    const alone = await startSandbox({ dataDir })
    const { key_id, secret } = alone.credentials[0] as HandedCredential
    await alone.close()
    const published = await startSandbox({ dataDir, publicUrl: 'https://sandbox.example.com' })
    expect(published.credentials[0]).toMatchObject({ key_id, secret })
    expect(await shownTo(published, `Host: ${hostsOf(published)[0]}`)).toEqual([])
  })

  it('shows no credential that is not the same in every sandbox, and none that was revoked', async () => {
    const changes = [
      ['POST', '/rotate', {}],
      ['PATCH', '', { revoked: true }],
      ['DELETE', ''],
    ] as const
    for (const [method, more, body] of changes) {
      const sandbox = await startSandbox()
      const path = `/v1/worlds/default/credentials/${sandbox.credentials[0]?.key_id}${more}`
      expect((await sandbox.operate(method, path, body)).status).toBeLessThan(300)
      expect(await shownTo(sandbox, `Host: ${hostsOf(sandbox)[0]}`)).toEqual([])
    }
  })

  it('starts with ten lines that run as they stand', async () => {
    const [, shown = ''] = /<pre>(import [\s\S]*?)<\/pre>/.exec(html) ?? []
    const lines = shown.replaceAll('&amp;', '&').replaceAll('&lt;', '<').replaceAll('&quot;', '"')
    expect(lines.split('\n').filter(Boolean)).toHaveLength(10)
    const { key_id, secret } = shared.credentials[0] as HandedCredential
    const env = { ...process.env, PARTNER_KEY_ID: key_id, PARTNER_SECRET: secret }
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', lines], { env })
    expect(stdout).toMatch(/^200 \{\s+domain: 'stalls-1\.test'/)
  })

  it('shows all that a delivery carries, and of which type it is', async () => {
    const delivery = html.slice(html.indexOf('id="deliver.order.settled"'), html.indexOf('id="deliver.order.refunded"'))
    for (const field of ['id', 'partner_id', 'data.order.public_id'])
      expect(delivery).toContain(`<code>${field}</code>`)
    expect(delivery).toContain('<p class="type">order.settled</p>')
  })

  it('reads well where an error body is nested', async () => {
    const { url } = await startSandbox({ gaps: { 'error-layout': 'nested', 'replay-status': 403 } })
    expect(await (await fetch(`${url}/docs`)).text()).toMatch(/<strong>403<\/strong> .*?replay_detected/)
  })
})
