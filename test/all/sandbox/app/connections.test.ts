import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { DEFAULT_GAPS } from '../../../../src/contract/choices.ts'
import { MOST_CONNECTIONS, partnerWords, unreadableHandler } from '../../../../src/sandbox/app/connection.ts'
import { startSandbox, type TestSandbox } from '../../../support/sandbox.ts'

function opened(port: number, bytes = ''): Socket {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  if (bytes !== '') socket.write(bytes)
  onTestFinished(() => void socket.destroy())
  return socket
}

/** All that is answered until the server closes its side. */
async function answerOf(socket: Socket): Promise<string> {
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
  })
  await once(socket, 'end')
  return text
}

function portsOf(sandbox: TestSandbox): [partner: number, operator: number] {
  return [Number(new URL(sandbox.url).port), Number(new URL(sandbox.operator?.url ?? '').port)]
}

function post(port: number, path: string, ...lines: string[]): string {
  return [`POST ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, 'Content-Type: application/json', ...lines, '', ''].join(
    '\r\n',
  )
}

const PATHS = ['/api/partner/v1/quotes', '/v1/worlds'] as const

test('a body that is cut off is answered 400 at once, on both ports', async () => {
  const ports = portsOf(await startSandbox())
  for (const [i, port] of ports.entries()) {
    for (const cut of [
      `${post(port, PATHS[i] as string, 'Content-Length: 9')}{`,
      `${post(port, PATHS[i] as string, 'Transfer-Encoding: chunked')}5\r\nab`,
    ]) {
      const socket = opened(port)
      socket.end(cut)
      const answer = await answerOf(socket)
      expect(answer).toMatch(/^HTTP\/1\.1 400 /)
      expect(answer).toContain('the request ended before it was complete')
    }
  }
})

test('a body that is not valid chunked encoding is answered 400 at once, on both ports', async () => {
  const ports = portsOf(await startSandbox())
  for (const [i, port] of ports.entries()) {
    const answer = await answerOf(opened(port, `${post(port, PATHS[i] as string, 'Transfer-Encoding: chunked')}zz\r\n`))
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer).toContain('the body is not valid chunked encoding')
  }
})

test('the call before a cut one on the same connection has its answer first', async () => {
  const [port] = portsOf(await startSandbox())
  const socket = opened(port)
  socket.end(`GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n${post(port, PATHS[0], 'Content-Length: 9')}{`)
  expect((await answerOf(socket)).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400'])
})

test('a body that never ends is answered 408, and its connection is gone although the client keeps its side open', async () => {
  const server = createServer(
    { requestTimeout: 100, headersTimeout: 100, connectionsCheckingInterval: 20 },
    (incoming, response) => incoming.on('end', () => response.end()).resume(),
  )
  server.on('clientError', unreadableHandler(partnerWords(() => DEFAULT_GAPS['error-layout'])))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const socket = opened(port, `${post(port, '/', 'Content-Length: 9')}{`)
  expect(await answerOf(socket)).toMatch(/^HTTP\/1\.1 408 /)
  // Ends only once no connection is left.
  server.close()
  await once(server, 'close')
})

test('HTTP/1.0 with Transfer-Encoding is refused on both ports, pages included', async () => {
  const ports = portsOf(await startSandbox())
  for (const [port, path] of [
    [ports[0], '/api/partner/v1/quotes'],
    [ports[0], '/checkout'],
    [ports[1], '/v1/worlds'],
  ] as const) {
    const head = post(port, path, 'X-Partner-Key-Id: k', 'Transfer-Encoding: chunked').replace('HTTP/1.1', 'HTTP/1.0')
    const answer = await answerOf(opened(port, `${head}2\r\n{}\r\n0\r\n\r\n`))
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    if (path !== '/checkout') expect(answer).toContain('HTTP/1.0 does not allow Transfer-Encoding')
  }
})

test('a connection above the limit is closed without an answer, and one that ends makes room', async () => {
  const sandbox = await startSandbox()
  const [port] = portsOf(sandbox)
  const sockets: Socket[] = []
  while (sockets.length < MOST_CONNECTIONS) {
    // No more at a time than the system's queue of new connections holds.
    const some = Array.from({ length: 100 }, () => opened(port))
    await Promise.all(some.map((socket) => once(socket, 'connect')))
    sockets.push(...some)
  }
  const statusOf = () =>
    new Promise<number | undefined>((resolve) => {
      const call = request({ host: '127.0.0.1', port, path: '/healthz', agent: false }, ({ statusCode }) => {
        resolve(statusCode)
      })
      call.on('error', () => resolve(undefined)).end()
    })
  expect(await statusOf()).toBeUndefined()
  expect((await sandbox.operate('GET', '/v1/worlds')).status).toBe(200)
  for (const socket of sockets.splice(0, 10)) socket.destroy()
  await expect.poll(statusOf).toBe(200)
})
