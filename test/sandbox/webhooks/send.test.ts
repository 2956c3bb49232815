import { expect, test } from 'vitest'
import { wallClock } from '../../../src/clock/wall-clock.ts'
import type { Resolve } from '../../../src/sandbox/kernel/world.ts'
import { createOutbound } from '../../../src/sandbox/webhooks/address-policy.ts'
import { send } from '../../../src/sandbox/webhooks/attempt.ts'
import { startReceiver } from '../../support/receiver.ts'

const going = new AbortController().signal

function resolvesTo(...addresses: string[]): Resolve {
  return (_name, done) =>
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
}

/** A receiver, and the address of it by a name. */
async function startNamed() {
  const hook = await startReceiver(undefined, { anything: true })
  const port = Number(new URL(hook.url).port)
  return { hook, port, url: `http://hooks.example.test:${port}/hook` }
}

async function sendTo(url: string, options: Parameters<typeof createOutbound>[0]) {
  return send(createOutbound(options), { url, body: Buffer.from('{}'), signature: 'none' }, wallClock, going)
}

test('a name is judged by the addresses it stands for when the connection is made', async () => {
  const { url } = await startNamed()
  expect(await sendTo(url, { resolve: resolvesTo('127.0.0.1') })).toMatchObject({ status: 200, failure: null })
  expect(await sendTo(url, { resolve: resolvesTo('10.0.0.1') })).toMatchObject({
    status: null,
    failure: 'webhooks may not be sent to 10.0.0.1; --webhook-hosts allows loopback',
  })
})

test('one forbidden address among those of a name is enough to refuse it', async () => {
  const { hook, url } = await startNamed()
  for (const addresses of [
    ['127.0.0.1', '169.254.169.254'],
    ['169.254.169.254', '127.0.0.1'],
    ['127.0.0.1', '::ffff:10.0.0.1'],
  ]) {
    expect((await sendTo(url, { resolve: resolvesTo(...addresses) })).failure).toMatch(/^webhooks may not be sent to/)
  }
  expect(hook.received).toEqual([])
})

test('a name that leads to the operator port is refused, and one that stands for nothing', async () => {
  const { hook, port, url } = await startNamed()
  const outbound = createOutbound({ hosts: 'any', resolve: resolvesTo('127.0.0.1') })
  outbound.policy.operatorPort = port
  const message = { url, body: Buffer.from('{}'), signature: 'none' }
  expect(await send(outbound, message, wallClock, going)).toMatchObject({
    failure: 'the operator port of this sandbox takes no webhooks',
  })
  expect(await sendTo(url, { resolve: resolvesTo() })).toMatchObject({ failure: 'the host name stands for no address' })
  expect(hook.received).toEqual([])
})

test('an address in the URL is judged although no name is resolved for it', async () => {
  for (const host of ['10.0.0.1', '0xa.1', '[::ffff:10.0.0.1]', '[64:ff9b::7f00:1]']) {
    expect((await sendTo(`http://${host}/hook`, {})).failure).toMatch(/^webhooks may not be sent to/)
  }
})

test('an attempt does not fail because this process stood still', async () => {
  const { url } = await startNamed()
  const answering = resolvesTo('127.0.0.1')
  const outbound = createOutbound({
    resolve(name, done) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_200)
      answering(name, done)
    },
  })
  const message = { url, body: Buffer.from('{}'), signature: 'none', deadlineMs: 1_000 }
  expect(await send(outbound, message, wallClock, going)).toMatchObject({ status: 200, timedOut: false })
})

test('an attempt that is stopped ends at once', async () => {
  const hook = await startReceiver(() => {}, { anything: true })
  const stop = new AbortController()
  const message = { url: hook.url, body: Buffer.from('{}'), signature: 'none' }
  const sending = send(createOutbound(), message, wallClock, stop.signal)
  await hook.has(1)
  stop.abort()
  expect((await sending).failure).toBe('the sandbox stopped')
})

test('an answer that is read long after the deadline counts as none, however long this process stood still', async () => {
  const { url } = await startNamed()
  const outbound = createOutbound({ resolve: resolvesTo('127.0.0.1') })
  const message = { url, body: Buffer.from('{}'), signature: 'none', deadlineMs: 1_000 }
  const after = (ms: number) => {
    const times = [0, ms]
    return send(outbound, message, { ...wallClock, monotonicMs: () => times.shift() ?? ms }, going)
  }
  expect(await after(1_499)).toMatchObject({ status: 200, failure: null, timedOut: false })
  expect(await after(1_501)).toMatchObject({ failure: 'no whole answer in 1 seconds', timedOut: true })
})
