import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, onTestFinished, test } from 'vitest'
import { startProxy } from '../../../src/library/start-proxy.ts'
import { startSandbox } from '../../../src/library/start-sandbox.ts'
import { repoRoot } from '../../house/repo.ts'
import { type Answer, agent } from '../../support/mcp-agent.ts'
import { tempFolder } from '../../support/temp-folder.ts'

test('works with a sandbox that runs already, and lists in pages', async () => {
  const sandbox = await startSandbox({ seed: 'mcp' })
  onTestFinished(() => sandbox.close())
  await sandbox.defaultWorld.seed({ orders: 60 })
  const { call } = await agent(['--sandbox', sandbox.operatorUrl])
  expect((await call('status')).json.url).toBe(sandbox.url)
  const ids = new Set<string>()
  let cursor: string | null = null
  do {
    const page: Answer = await call('read_operator', {
      operation: 'orders.list',
      input: { limit: 50 },
      ...(cursor !== null && { cursor }),
    })
    for (const { public_id } of page.json.data.orders) ids.add(public_id)
    cursor = page.json.cursor
  } while (cursor !== null)
  expect(ids.size).toBe((await sandbox.defaultWorld.orders.all()).length)
})

test('through a proxy it explains the calls of the client, signs with PARTNER_SECRET, and refuses a live key', async () => {
  const sandbox = await startSandbox()
  const { keyId, secret } = sandbox.credentials.main
  const proxy = await startProxy({ target: sandbox.url, keyId, secret })
  const live = await startProxy({ target: sandbox.url, keyId: 'pk_live_abc123', secret: 'sk_live_abc123', live: true })
  onTestFinished(async () => {
    for (const one of [proxy, live, sandbox]) await one.close()
  })
  await fetch(`${proxy.url}/api/partner/v1/orders`, { headers: { 'X-Partner-Key-Id': keyId } })
  const signing = await agent(['--sandbox', proxy.operatorUrl], { PARTNER_SECRET: secret })
  expect((await signing.call('status')).json.proxy_target).toBe(sandbox.url)
  expect((await signing.call('explain_call')).json.answer).toBe('401 missing_signature_headers')
  const get = { method: 'GET', path: '/orders' }
  expect((await signing.call('call_partner_api', get)).json.status).toBe(200)
  const unsigned = await agent(['--sandbox', proxy.operatorUrl])
  expect((await unsigned.call('call_partner_api', get)).text).toContain('a proxy cannot sign; start')
  const refusing = await agent(['--sandbox', live.operatorUrl], { PARTNER_SECRET: 'sk_live_abc123' })
  expect((await refusing.call('call_partner_api', get)).text).toContain('a live key is never used by a tool')
})

test('judges a sandbox of its own with selected scenarios, and says what a wrong selection is', async () => {
  const { call } = await agent()
  const { json } = await call('run_conformance', { only: ['replay/*'] })
  expect(json).toMatchObject({ passed: true, data: { failures: [] } })
  expect((await call('run_conformance', { only: ['no/such'] })).isError).toBe(true)
  expect((await call('judge_receiver', { url: 'http://127.0.0.1:9/hooks' })).text).toContain('PARTNER_WEBHOOK_SECRET')
})

test('ends without an error where standard input is empty', () => {
  const { status, stderr } = spawnSync(process.execPath, [join(repoRoot, 'bin/partner-sandbox.js'), 'mcp'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  expect([status, stderr]).toEqual([0, ''])
})

test('without the SDK it says in one line how to install it', () => {
  const folder = tempFolder()
  for (const path of ['bin', 'dist/bundle', 'package.json'])
    cpSync(join(repoRoot, path), join(folder, path), { recursive: true })
  mkdirSync(join(folder, 'node_modules'))
  for (const name of ['better-sqlite3', '@faker-js'])
    symlinkSync(join(repoRoot, 'node_modules', name), join(folder, 'node_modules', name))
  const program = join(folder, 'bin/partner-sandbox.js')
  const { status, stderr } = spawnSync(process.execPath, [program, 'mcp'], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([
    4,
    'error: this command needs the package @modelcontextprotocol/server: npm install --save-dev @modelcontextprotocol/server\n',
  ])
})

test('a sandbox that is not there is an error of the call, and the next call looks again', async () => {
  const { call } = await agent(['--sandbox', 'http://127.0.0.1:9'])
  for (const _time of [1, 2]) {
    const { isError, text } = await call('status')
    expect([isError, text]).toEqual([true, expect.stringContaining('no sandbox answers at http://127.0.0.1:9')])
  }
})

test('the configuration of docs/mcp.md starts the server', async () => {
  const page = readFileSync(join(repoRoot, 'docs/mcp.md'), 'utf8')
  const { mcpServers } = JSON.parse(/```json\n([\s\S]+?)```/.exec(page)?.[1] ?? '')
  const client = new Client({ name: 'an-agent', version: '1.0.0' })
  await client.connect(new StdioClientTransport({ ...mcpServers['partner-sandbox'], cwd: repoRoot, stderr: 'pipe' }))
  onTestFinished(() => client.close())
  const { tools } = await client.listTools()
  const rows = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
  expect(tools.map(({ name }) => name)).toEqual(rows)
})
