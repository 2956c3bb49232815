import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { deliveriesOf, register, settled, startTelling } from '../../support/hooks.ts'
import { answers, deadUrl, pour, startRawReceiver, startReceiver } from '../../support/receiver.ts'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'
import { sampleOf } from '../../support/size.ts'
import { startTlsServer } from '../../support/tls-server.ts'

/** Makes the first attempt at a receiver and says what the log has of it. */
async function firstAttempt(url: string) {
  const sandbox = await startSandbox({ frozen: true })
  return attemptOf(sandbox, url)
}

async function attemptOf(sandbox: TestSandbox, url: string) {
  expect((await register(sandbox, url)).status).toBe(200)
  await sandbox.sell()
  await settled(sandbox)
  const [delivery] = await deliveriesOf(sandbox)
  expect(delivery).toMatchObject({ state: 'pending', attempt_count: 1 })
  return delivery!.attempts[0]!
}

const OK = 'HTTP/1.1 200 OK\r\n'

const BOMB = gzipSync(Buffer.alloc(100_000_000))

const BROKEN: [name: string, speak: (socket: Socket) => void, failure: RegExp][] = [
  ['resets', (socket) => socket.resetAndDestroy(), /connection was (reset|closed)/],
  ['closes without a word', (socket) => socket.end(), /connection was closed/],
  ['closes inside its body', (socket) => socket.end(`${OK}Content-Length: 100\r\n\r\nhello`), /connection was closed/],
  ['speaks garbage', (socket) => socket.end('\u0000\u0001 what?\r\n\r\n'), /not valid HTTP/],
  ['speaks HTTP/0.9', (socket) => socket.end('<h1>hello</h1>'), /not valid HTTP/],
  ['has a head of a megabyte', (socket) => socket.end(`${OK}X-A: ${'a'.repeat(1_000_000)}\r\n\r\n`), /head .* longer/],
  [
    'has a megabyte of headers',
    (socket) => pour(socket.write(OK) ? socket : socket, 'X-A: b\r\n'.repeat(1_000)),
    /head .* longer/,
  ],
  [
    'floods interim answers',
    (socket) => pour(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1_000)),
    /only interim ones/,
  ],
  [
    'switches protocols',
    (socket) => socket.end('HTTP/1.1 101 Up\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
    /another protocol/,
  ],
  [
    'switches protocols and resets',
    (socket) => {
      socket.write('HTTP/1.1 101 Up\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n', () => socket.resetAndDestroy())
    },
    /another protocol|connection was (reset|closed)/,
  ],
  [
    'never ends its body',
    (socket) => socket.write(`${OK}\r\n`) && pour(socket, 'x'.repeat(10_000)),
    /longer than 65536/,
  ],
  ['chunks without end', (socket) => endlessChunks(socket), /longer than 65536/],
  [
    'has two lengths',
    (socket) => socket.end(`${OK}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`),
    /not valid HTTP/,
  ],
  [
    'sends a bomb',
    (socket) => socket.end(Buffer.concat([Buffer.from(`${OK}Content-Encoding: gzip\r\n\r\n`), BOMB])),
    /longer than 65536/,
  ],
]

function endlessChunks(socket: Socket): void {
  socket.write(`${OK}Transfer-Encoding: chunked\r\n\r\n`)
  pour(socket, `3e8\r\n${'x'.repeat(1_000)}\r\n`)
}

test.each(sampleOf(BROKEN, 2))(
  'a receiver that %s has failed, and the sandbox goes on',
  async (_name, speak, failure) => {
    const raw = await startRawReceiver(speak)
    const attempt = await firstAttempt(raw.url)
    expect(attempt.failure).toMatch(failure)
    expect(attempt.failure).not.toBe('no whole answer in 5 seconds')
    expect(raw.heard()).toBe(1)
  },
)

test('a connection that changes its protocol is closed', async () => {
  const opened: Socket[] = []
  const raw = await startRawReceiver((socket) => {
    opened.push(socket.on('error', () => undefined))
    socket.write('HTTP/1.1 101 Up\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n')
  })
  expect((await firstAttempt(raw.url)).failure).toBe('the answer changes to another protocol')
  await expect.poll(() => opened.map(({ readableEnded }) => readableEnded)).toEqual([true])
})

test.each([
  ['204 with a body', 'HTTP/1.1 204 No Content\r\n\r\nok'],
  ['204 with chunks', 'HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
  ['body longer than its length', `${OK}Content-Length: 2\r\n\r\nokay`],
])('a %s is whole, whatever comes behind it', async (_what, answer) => {
  const raw = await startRawReceiver((socket) => socket.end(answer))
  const sandbox = await startTelling(raw.url, { frozen: true })
  await sandbox.sell()
  await settled(sandbox)
  expect(await deliveriesOf(sandbox)).toMatchObject([{ state: 'delivered' }])
})

test.each([
  ['100 Continue', 'HTTP/1.1 100 Continue'],
  ['103 Early Hints', 'HTTP/1.1 103 Early Hints'],
])('an interim %s before the answer is no failure', async (_what, interim) => {
  const raw = await startRawReceiver((socket) => socket.end(`${interim}\r\n\r\n${OK}Content-Length: 0\r\n\r\n`))
  const sandbox = await startTelling(raw.url, { frozen: true })
  await sandbox.sell()
  await settled(sandbox)
  expect(await deliveriesOf(sandbox)).toMatchObject([{ state: 'delivered', attempts: [{ status: 200 }] }])
})

test('nobody listening is a refused connection', async () => {
  expect(await firstAttempt(await deadUrl())).toMatchObject({ failure: 'the connection was refused', status: null })
})

test('a name that does not exist is a failure', async () => {
  const sandbox = await startSandbox({ frozen: true, webhookHosts: 'nowhere.invalid' })
  const { failure } = await attemptOf(sandbox, 'http://nowhere.invalid/hook')
  expect(failure).toMatch(/could not be resolved|no whole answer/)
})

test('a certificate that nobody vouches for is a failure', async () => {
  const tls = await startTlsServer(() => {})
  onTestFinished(() => tls.close())
  expect((await firstAttempt(`${tls.origin}/hook`)).failure).toMatch(/^the TLS connection failed \(/)
})

test.each(sampleOf([301, 302, 303, 307, 308], 3))('a %i is a failure and is not followed', async (status) => {
  const elsewhere = await startReceiver()
  const hook = await startReceiver(answers(status, { location: elsewhere.url }))
  const attempt = await firstAttempt(hook.url)
  expect(attempt).toMatchObject({ status, failure: `answered ${status}; redirects are not followed` })
  expect(elsewhere.received).toEqual([])
})

test.each(sampleOf([400, 404, 410, 429, 500, 503], 4))('a %i is a failure', async (status) => {
  const hook = await startReceiver(answers(status))
  expect(await firstAttempt(hook.url)).toMatchObject({ status, failure: `answered ${status}` })
})

test.each([
  ...[200, 201, 202, 204, 299].map((status) => [`a ${status}`, answers(status)] as const),
  ['an answer of 60 KiB', (response: ServerResponse) => void response.writeHead(200).end('x'.repeat(60 * 1024))],
] as const)('%s is a success', async (_what, answerer) => {
  const hook = await startReceiver(answerer)
  const sandbox = await startTelling(hook.url, { frozen: true })
  await sandbox.sell()
  await settled(sandbox)
  expect(await deliveriesOf(sandbox)).toMatchObject([{ state: 'delivered', next_attempt_at: null }])
})

test('the log has the first thousand characters of an answer, and unpacks nothing', async () => {
  const wordy = await startReceiver((response) => void response.writeHead(500).end('no '.repeat(1_000)))
  expect((await firstAttempt(wordy.url)).answer).toBe('no '.repeat(1_000).slice(0, 1_000))
  const packed = await startReceiver(
    (response) => void response.writeHead(500, { 'content-encoding': 'gzip' }).end(gzipSync('hello')),
  )
  expect((await firstAttempt(packed.url)).answer).toBe(`(${gzipSync('hello').length} bytes of gzip)`)
})
