import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'
import { listen } from '../../support/stream.ts'

const START = { clockMs: Date.UTC(2026, 0, 15, 12), frozen: true, inventory: 0 }
const WORLD = '/v1/worlds/default'

test('a hundred listeners hear the same, and one that hangs up is forgotten', async () => {
  const sandbox = await startSandbox(START)
  const streams = await Promise.all(Array.from({ length: 100 }, () => listen(sandbox, '?only=event')))
  streams[0]!.hangUp()
  await Promise.all(Array.from({ length: 10 }, () => sandbox.sell()))
  const heard = await Promise.all(streams.slice(1).map((live) => live.has('event', 10)))
  for (const events of heard) expect(events).toEqual(heard[0])
})

/** Asks for a stream and reads nothing of it until it is told to. */
async function deafListener(sandbox: TestSandbox, query: string) {
  const { hostname, port, host } = new URL(sandbox.operator?.url as string)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  await new Promise<void>((resolve) => socket.once('connect', resolve))
  await new Promise<void>((resolve) => {
    socket.once('data', () => {
      socket.pause()
      resolve()
    })
    socket.write(`GET ${WORLD}/stream${query} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
  })
  return socket
}

test('a listener that does not read is hung up on, and others are not disturbed', async () => {
  const sandbox = await startSandbox(START)
  const deaf = await deafListener(sandbox, '?only=request')
  const closed = new Promise<void>((resolve) => deaf.once('close', () => resolve()))
  deaf.on('error', () => {})
  const live = await listen(sandbox, '?only=request')
  // Each call makes a message of some 14 kB, and nobody has signed it.
  const call = `GET /api/partner/v1/domains?q=${'x'.repeat(14_000)} HTTP/1.1\r\nHost: api\r\n\r\n`
  const { hostname, port } = new URL(sandbox.url)
  const caller = connect(Number(port), hostname, () => caller.write(call.repeat(1_500)))
  onTestFinished(() => void caller.destroy())
  caller.resume()
  await live.has('request', 1_500)
  deaf.resume()
  await closed
}, 60_000)
