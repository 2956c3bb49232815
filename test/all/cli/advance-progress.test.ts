import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { type CliOutcome, cli } from '../../cli/run.ts'
import { register } from '../../support/hooks.ts'
import { startReceiver } from '../../support/receiver.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { listen } from '../../support/stream.ts'

/** A jump that waits for a receiver until its progress has been told a few times. */
async function slowJump(...args: string[]): Promise<{ terminal: CliOutcome; piped: CliOutcome }> {
  const jump = async (terminal: boolean) => {
    const sandbox = await startSandbox({ clockMs: Date.UTC(2026, 0, 15, 12), frozen: true, inventory: 0 })
    let answer = () => {}
    const hook = await startReceiver((response) => {
      answer = () => void response.writeHead(200).end()
    })
    await sandbox.operate('PUT', '/v1/worlds/default/delivery-profile', { delay: '6h' })
    await register(sandbox, hook.url)
    await sandbox.sell()
    const live = await listen(sandbox, '?only=clock')
    const env = { PARTNER_SANDBOX_URL: sandbox.operator?.url ?? '' }
    const outcome = cli(['clock', 'advance', '1d', ...args], { env, terminal })
    await hook.has(1)
    await live.has('clock', 6)
    answer()
    return outcome
  }
  const [terminal, piped] = await Promise.all([jump(true), jump(false)])
  return { terminal, piped }
}

test('a long jump draws one line on a terminal, wipes it in the end, and is silent elsewhere', async () => {
  const { terminal, piped } = await slowJump()
  expect(terminal.err).toContain('\r\u001b[K2026-01-15T18:00:00.000Z (25%), 0 tasks done')
  expect(terminal.err.endsWith('\r\u001b[K')).toBe(true)
  expect(terminal.out).toMatch(/^from +2026-01-15T12:00:00\.000Z\nto +2026-01-16T12:00:00\.000Z\nhappened +2 \(/)
  expect(piped.err).toBe('')
  expect(piped.out.split('\n').slice(0, 3)).toEqual(terminal.out.split('\n').slice(0, 3))
}, 30_000)

test('with --json a terminal shows at most that the sandbox is waited for', async () => {
  const { terminal, piped } = await slowJump('--json')
  const drawn = terminal.err.split('\r\u001b[K').filter((line) => !line.startsWith('waiting for the sandbox'))
  expect(drawn.join('')).toBe('')
  expect(piped.err).toBe('')
  expect(JSON.parse(terminal.out).counts).toEqual({ 'delivery.attempt': 1, 'idempotency.expired': 1 })
}, 30_000)

test('a jump that is over at once is one call: nobody would see how far it has come', async () => {
  const asked: string[] = []
  const operator = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'))
  })
  onTestFinished(() => void operator.close())
  await once(operator.listen(0, '127.0.0.1'), 'listening')
  const { port } = operator.address() as AddressInfo
  const env = { PARTNER_SANDBOX_URL: `http://127.0.0.1:${port}` }
  const { code } = await cli(['clock', 'advance', '1m'], { env, terminal: true })
  expect(code).toBe(0)
  expect(asked).toEqual(['POST /v1/worlds/default/clock/advance'])
})
