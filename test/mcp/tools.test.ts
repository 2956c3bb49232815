import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Page } from '../../src/mcp/pages.ts'
import type { ToolContext } from '../../src/mcp/tool.ts'
import { JUDGE_RECEIVER } from '../../src/mcp/tools/judge.ts'
import { ONLY_COMMANDS } from '../../src/mcp/tools/operations.ts'
import { OPERATION_IDS, operationOf } from '../../src/operator-api/operations.ts'
import { cli } from '../cli/run.ts'
import { agent, sharedAgent } from '../support/mcp-agent.ts'
import { tempFolder } from '../support/temp-folder.ts'

const anyAgent = sharedAgent()

test('a hidden secret comes with the command that prints a new one', async () => {
  const { call } = await anyAgent()
  const { json: status } = await call('status')
  const { json: made } = await call('act_operator', { operation: 'worlds.create', input: { name: 'hidden' } })
  const command = 'npx partner-sandbox credential rotate'
  expect(made.data.credentials[0].secret).toBe('[secret: hidden]')
  expect(made.note).toContain(`${command} main --world hidden --sandbox ${status.operator_url}`)
  const { json: one } = await call('act_operator', {
    operation: 'credentials.create',
    world: 'hidden',
    input: { name: 'one more', scopes: [] },
  })
  expect(one.note).toContain(`${command} 'one more' --world hidden --sandbox `)
  const { json: changed } = await call('act_operator', { operation: 'hints.set', input: { hints: true } })
  expect(changed.note).toBeUndefined()
})

test('a secret that no answer shows is not made, so that the client keeps its old one', async () => {
  const { call } = await anyAgent()
  const { json: made } = await call('act_operator', { operation: 'worlds.create', input: { name: 'kept' } })
  const params = { key_id: made.data.main_key_id }
  const { isError, text } = await call('act_operator', { operation: 'credentials.rotate', world: 'kept', params })
  expect([isError, text]).toEqual([
    true,
    'operation: credentials.rotate has no tool; run npx partner-sandbox credential rotate NAME --world WORLD --sandbox OPERATOR_URL (OPERATOR_URL is operator_url of status)',
  ])
  const { json: acts } = await call('call_partner_api', { method: 'GET', path: '/orders', world: 'kept' })
  expect(acts.status).toBe(200)
})

test('what only a command does is found, with the command', async () => {
  const { call } = await anyAgent()
  for (const words of ['snapshot', 'export']) {
    const { json } = await call('find_operation', { words })
    expect(json.found[0]).toMatchObject({
      id: 'snapshots.save',
      tool: 'no tool; run npx partner-sandbox world snapshot WORLD FILE --sandbox OPERATOR_URL',
    })
  }
  const { json } = await call('find_operation', { words: 'csv' })
  expect(json.found[0].tool).toBe(
    'act_operator; for a CSV file run npx partner-sandbox domain import FILE --sandbox OPERATOR_URL',
  )
  expect((await call('read_operator', { operation: 'snapshots.save' })).text).toContain('world snapshot WORLD FILE')
})

test('every operation with files or streams has a command instead', () => {
  const withoutJson = OPERATION_IDS.filter((id) => {
    const { takes, gives } = operationOf(id)
    return [takes?.type, gives].some((type) => type === 'application/vnd.sqlite3' || type === 'text/event-stream')
  })
  expect(Object.keys(ONLY_COMMANDS).sort()).toEqual([...withoutJson, 'credentials.rotate'].sort())
})

test('a signed order without an Idempotency-Key comes with a note', async () => {
  const { call } = await anyAgent()
  const order = { method: 'POST', path: '/orders?a=1', body: {} }
  expect((await call('sign', order)).json.note).toContain('400 missing_idempotency_key')
  expect((await call('sign', { ...order, idempotency_key: 'order-1' })).json.note).toBeUndefined()
  expect((await call('sign', { method: 'POST', path: '/refunds', body: {} })).json.note).toBeUndefined()
})

test('an argument with a wrong value is named with the values that it has', async () => {
  const { call } = await anyAgent()
  const texts = [
    await call('sign', { method: 'DELETE', path: '/orders' }),
    await call('sign', { method: 'GET' }),
    await call('run_conformance', { only: 'auth/*' }),
    await call('run_conformance', { dry_run: 'yes' }),
  ].map(({ text }) => text.replace(/^.*tool \w+: /, ''))
  expect(texts).toEqual([
    'method: it must be one of GET, POST, PUT, not "DELETE"',
    'path: required',
    'only: it must be a list, such as ["one"], not "auth/*"',
    'dry_run: it must be true or false, not "yes"',
  ])
})

test('a dry run lists the scenarios that would run, page by page, and passes nothing', async () => {
  const { call } = await anyAgent()
  const { json: some } = await call('run_conformance', { only: ['replay/fresh-*'], dry_run: true })
  expect(some).toMatchObject({ passed: null, data: { would_run: ['replay/fresh-nonces'] }, cursor: null })
  expect(some.note).toBeUndefined()
  const { json: first } = await call('run_conformance', { dry_run: true })
  const { json: second } = await call('run_conformance', { dry_run: true, cursor: first.cursor })
  expect(first.data.would_run).not.toContain(second.data.would_run[0])
})

test('a receiver without a secret is refused with the flag of this command', async () => {
  const { call } = await anyAgent()
  const { text } = await call('judge_receiver', { url: 'http://127.0.0.1:9/hooks' })
  expect(text).toMatch(/^--webhook-secret-env: the environment has no PARTNER_WEBHOOK_SECRET/)
})

test('a further page of a run is read from that run, and sends nothing again', async () => {
  const check = { step: 'sent', requirement: 'RECV-01', verdict: 'fail', expected: 'a 2xx', actual: 'answered 500' }
  const scenarios = Array.from({ length: 300 }, (_, n) => ({ id: `valid/number-${n}`, checks: [check] }))
  const report = { verdict: 'non_conforming', summary: { checks: { fail: 300 }, requirements: {} }, scenarios }
  let runs = 0
  const judgeReceiver = async () => {
    runs += 1
    return { passed: false, out: JSON.stringify(report), err: '' }
  }
  const context = { judgeReceiver, latestRun: null } as unknown as ToolContext
  const judged = (input: object) =>
    JUDGE_RECEIVER.run({ url: 'http://127.0.0.1:9/hooks', ...input }, context, new AbortController().signal) as Promise<
      Page & { data: { failures: { scenario: string }[] } }
    >
  const first = await judged({})
  const shown = first.data.failures.length
  expect(shown).toBeGreaterThan(100)
  expect(first.page).toMatch(new RegExp(`^failures 1 to ${shown} of 300; there are more`))
  const second = await judged({ cursor: first.cursor })
  expect(second.data.failures[0]?.scenario).toBe(`valid/number-${shown}`)
  expect(runs).toBe(1)
  await expect(judged({ only: ['forged/*'], cursor: first.cursor })).rejects.toThrow(
    'cursor: it is not of the latest run',
  )
})

test('a run in which no check ran says why', async () => {
  const target = join(tempFolder(), 'target.yaml')
  const credential = '{ name: main, key_id: pk_sandbox_1, secret: sk_sandbox_1 }'
  writeFileSync(target, `url: http://127.0.0.1:1\ncredentials: [${credential}]\n`)
  const { call } = await agent(['--target', target], { PARTNER_WEBHOOK_SECRET: 'a-secret-of-sixteen' })
  const { json: judged } = await call('run_conformance', { only: ['replay/fresh-*'] })
  expect(judged).toMatchObject({
    passed: false,
    verdict: 'void',
    note: expect.stringMatching(/^http:\/\/127\.0\.0\.1:1 gives no answer .*ECONNREFUSED/),
  })
  const { json: received } = await call('judge_receiver', { url: 'http://127.0.0.1:1/hooks' })
  expect(received).toMatchObject({
    passed: false,
    verdict: 'void',
    note: expect.stringMatching(/^http:\/\/127\.0\.0\.1:1\/hooks: no connection/),
  })
})

test('a header that says where a message ends is refused, and the next call is none the worse', async () => {
  const { call } = await anyAgent()
  const orders = { method: 'GET', path: '/orders' }
  for (const name of ['Content-Length', 'transfer-encoding', 'Connection']) {
    const { isError, text } = await call('call_partner_api', { ...orders, headers: { [name]: '5' } })
    expect([isError, text]).toEqual([true, `headers: ${name} follows from the body and the connection; leave it out`])
  }
  expect((await call('call_partner_api', orders)).json.status).toBe(200)
})

test('words and names that nothing has are answered with what there is', async () => {
  const { call } = await anyAgent()
  expect((await call('find_operation', { words: 'zzzqqq' })).json).toMatchObject({
    found: [],
    note: expect.stringMatching(/Without words/),
  })
  expect((await call('status', { foo: 1 })).text).toContain('unknown argument "foo"; there is world')
  const { text } = await call('call_partner_api', { method: 'GET', path: '/orders', credential: 'only-serch' })
  expect(text).toBe('unknown credential "only-serch"; did you mean "only-search"?')
})

test('a target file that cannot be read ends the server at once', async () => {
  const { code, err } = await cli(['mcp', '--target', 'nope.yaml'])
  expect([code, err]).toEqual([4, 'error: --target nope.yaml: no such file\n'])
})
