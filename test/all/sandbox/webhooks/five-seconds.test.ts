import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { wallClock } from '../../../../src/clock/wall-clock.ts'
import { createOutbound } from '../../../../src/sandbox/webhooks/address-policy.ts'
import { send } from '../../../../src/sandbox/webhooks/attempt.ts'
import { deliveriesOf, register, settled } from '../../../support/hooks.ts'
import { drip, startRawReceiver } from '../../../support/receiver.ts'
import { startSandbox } from '../../../support/sandbox.ts'

/** Makes the first attempt at a receiver and returns what the log has of it. */
async function firstAttempt(url: string) {
  const sandbox = await startSandbox({ frozen: true })
  expect((await register(sandbox, url)).status).toBe(200)
  await sandbox.sell()
  await settled(sandbox)
  const [delivery] = await deliveriesOf(sandbox)
  expect(delivery).toMatchObject({ state: 'pending', attempt_count: 1 })
  return delivery!.attempts[0]!
}

const OK = 'HTTP/1.1 200 OK\r\n'

const TOO_SLOW: [name: string, speak: (socket: Socket) => void, status: number | null][] = [
  ['says nothing', () => {}, null],
  ['drips its head', (socket) => socket.write(OK) && drip(socket, 'X-A: b\r\n', 100), null],
  ['drips its body', (socket) => socket.write(`${OK}Content-Length: 9999\r\n\r\n`) && drip(socket, 'x', 100), 200],
  ['never ends its body', (socket) => void socket.write(`${OK}Content-Length: 100\r\n\r\nhello`), 200],
]

const OUT_OF_TIME = 'no whole answer in 5 seconds'

test('a receiver whose answer is not whole after five seconds has failed, however it stalls', async () => {
  const seen = TOO_SLOW.map(async ([name, speak]) => {
    const { status, failure } = await firstAttempt((await startRawReceiver(speak)).url)
    return { name, status, failure }
  })
  expect(await Promise.all(seen)).toEqual(TOO_SLOW.map(([name, , status]) => ({ name, status, failure: OUT_OF_TIME })))
})

test('a name whose resolution never ends has failed after five seconds', async () => {
  const { failure } = await send(
    createOutbound({ resolve: () => {} }),
    { url: 'http://hooks.example.test/', body: Buffer.from('{}'), signature: 'none' },
    wallClock,
    new AbortController().signal,
  )
  expect(failure).toBe(OUT_OF_TIME)
})
