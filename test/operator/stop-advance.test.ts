import { request } from 'node:http'
import { expect, test } from 'vitest'
import { cli } from '../cli/run.ts'
import { register, settled } from '../support/hooks.ts'
import { startReceiver } from '../support/receiver.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'

const CLOCK = '/v1/worlds/default/clock'
const NOON_MS = Date.UTC(2026, 0, 15, 12)
/** Where the second attempt of an event of noon is made, which never ends. */
const STUCK_AT = '2026-01-15T12:00:10.000Z'

/** A world whose jump does not come further than ten seconds after noon. */
async function stuckWorld(): Promise<{ sandbox: TestSandbox; isStuck: Promise<unknown> }> {
  const hook = await startReceiver((response, _received, n) => {
    if (n === 1) response.writeHead(500).end()
  })
  const sandbox = await startSandbox({ clockMs: NOON_MS, frozen: true })
  await register(sandbox, hook.url)
  await sandbox.sell()
  await settled(sandbox)
  return { sandbox, isStuck: hook.has(2) }
}

async function now(sandbox: TestSandbox) {
  return (await sandbox.operate('GET', CLOCK)).json.now
}

test('a jump that waits for a receiver is stopped where it has come to, and the world is free again', async () => {
  const { sandbox, isStuck } = await stuckWorld()
  const jump = sandbox.operate('POST', `${CLOCK}/advance`, { by: '2d' })
  await isStuck
  expect((await sandbox.operate('POST', `${CLOCK}/advance`, { by: '1s' })).status).toBe(409)
  const stopped = await sandbox.operate('DELETE', `${CLOCK}/advance`)
  expect([stopped.status, stopped.json]).toEqual([
    200,
    { from: '2026-01-15T12:00:00.000Z', to: STUCK_AT, stopped: true, counts: {}, truncated: false, happened: [] },
  ])
  expect((await jump).json).toEqual(stopped.json)
  expect((await sandbox.operate('PUT', CLOCK, { mode: 'frozen' })).json.now).toBe(STUCK_AT)
  expect((await sandbox.operate('POST', '/v1/worlds/default/reset', {})).status).toBe(200)
})

test('where no jump is under way there is none to stop', async () => {
  const sandbox = await startSandbox({ clockMs: NOON_MS, frozen: true })
  const { status, json } = await sandbox.operate('DELETE', `${CLOCK}/advance`)
  expect([status, json.detail]).toEqual([409, 'the clock of this world is not being advanced'])
})

test('a move of the clock that was stopped is no success', async () => {
  const { sandbox, isStuck } = await stuckWorld()
  const move = sandbox.operate('PUT', CLOCK, { mode: 'running', now: '2026-01-20' })
  await isStuck
  await sandbox.operate('DELETE', `${CLOCK}/advance`)
  const { status, json } = await move
  expect([status, json.detail]).toEqual([409, `the clock was stopped on its way: it is ${STUCK_AT} there`])
  expect((await sandbox.operate('GET', CLOCK)).json).toMatchObject({ mode: 'frozen', now: STUCK_AT })
})

test('a client that goes away stops its jump', async () => {
  const { sandbox, isStuck } = await stuckWorld()
  const { hostname: host, port } = new URL(sandbox.operator!.url)
  const headers = { 'content-type': 'application/json' }
  const client = request({ host, port, method: 'POST', path: `${CLOCK}/advance`, headers, agent: false })
  client.on('error', () => {})
  client.end('{"by":"2d"}')
  await isStuck
  client.destroy()
  let status = 409
  while (status === 409) status = (await sandbox.operate('PUT', CLOCK, { mode: 'frozen' })).status
  expect([status, await now(sandbox)]).toEqual([200, STUCK_AT])
})

test('a signal stops the jump of the command line, which prints its receipt', async () => {
  const { sandbox, isStuck } = await stuckWorld()
  const signal = new AbortController()
  const env = { PARTNER_SANDBOX_URL: sandbox.operator!.url }
  const command = cli(['clock', 'advance', '2d'], { env, stop: signal.signal })
  await isStuck
  signal.abort()
  const { code, out, err } = await command
  expect([code, err]).toEqual([1, ''])
  expect(out).toContain(`to        ${STUCK_AT} (stopped)\n`)
  expect(await now(sandbox)).toBe(STUCK_AT)
})
