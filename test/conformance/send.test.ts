import { once } from 'node:events'
import type { Socket } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { wallClock } from '../../src/clock/wall-clock.ts'
import type { Reply, WireRequest } from '../../src/conformance/http/exchange.ts'
import { createSender, type SenderOptions, UnsendableRequestError } from '../../src/conformance/http/send.ts'
import { type RawServer, startRawServer } from '../support/raw-server.ts'
import { startTlsServer } from '../support/tls-server.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
const GET: WireRequest = { method: 'GET', target: '/', headers: [], body: new Uint8Array() }
const POST: WireRequest = { method: 'POST', target: '/', headers: [], body: Buffer.from('{}') }

const cleanUps: (() => unknown)[] = []

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function serve(onHead: (socket: Socket, head: string, ordinal: number) => unknown): Promise<RawServer> {
  const server = await startRawServer(onHead)
  cleanUps.push(() => server.close())
  return server
}

function senderTo(origin: string, options: Partial<SenderOptions> = {}): ReturnType<typeof createSender> {
  const sender = createSender({ origin, timeoutMs: 5_000, wall: wallClock, ...options })
  cleanUps.push(() => sender.close())
  return sender
}

/** One request to a server that answers every request with these bytes. */
async function answered(text: string | Buffer, wire = GET, options: Partial<SenderOptions> = {}): Promise<Reply> {
  const server = await serve((socket) => socket.write(text))
  return senderTo(server.origin, options).send(wire)
}

function bodyOf(reply: Reply): string {
  return reply.answer ? Buffer.from(reply.answer.body).toString('latin1') : JSON.stringify(reply)
}

describe('what is sent', () => {
  it('is the request byte for byte, with Host, Connection and Content-Length where it has none', async () => {
    const server = await serve((socket) => socket.write(OK))
    const wire: WireRequest = {
      method: 'POST',
      target: "/api/../a//b/%2f/./?q=it's+%zz&&x#frag",
      headers: [
        ['X-Partner-Nonce', 'one'],
        ['x-partner-nonce', ' two '],
      ],
      body: Buffer.from([0x7b, 0xff, 0x00, 0x7d]),
    }
    await senderTo(server.origin).send(wire)
    expect(server.received[0]).toBe(
      `POST /api/../a//b/%2f/./?q=it's+%zz&&x#frag HTTP/1.1\r\nhost: ${new URL(server.origin).host}\r\n` +
        'connection: keep-alive\r\nX-Partner-Nonce: one\r\nx-partner-nonce:  two \r\ncontent-length: 4\r\n\r\n{\xff\0}',
    )
  })

  it('has a Content-Length for a POST without body and none for a GET', async () => {
    const server = await serve((socket) => socket.write(OK))
    const sender = senderTo(server.origin)
    await sender.send({ ...POST, body: new Uint8Array() })
    await sender.send(GET)
    const [post, get] = (server.received[0] ?? '').split('\r\n\r\n')
    expect(post).toContain('\r\ncontent-length: 0')
    expect(get).not.toContain('content-length')
  })

  it('leaves Host, Connection and Content-Length of the request alone', async () => {
    const server = await serve((socket) => socket.write(OK))
    const headers = [
      ['Host', 'other.example'],
      ['Connection', 'close'],
      ['Content-Length', '2'],
    ] as const
    await senderTo(server.origin).send({ ...POST, headers })
    expect(server.received[0]).toBe(
      'POST / HTTP/1.1\r\nHost: other.example\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}',
    )
  })

  it.each<[string, Partial<WireRequest>]>([
    ['a line end in the target', { target: '/a\r\nX: y' }],
    ['an empty target', { target: '' }],
    ['a line end in a header value', { headers: [['X', 'a\nb']] }],
    ['a NUL in a header value', { headers: [['X', 'a\0b']] }],
    ['a header name that is no token', { headers: [['X y', 'a']] }],
    ['a method that is no token', { method: 'GET /' }],
  ])('is never a request with %s', async (_what, part) => {
    const server = await serve((socket) => socket.write(OK))
    await expect(senderTo(server.origin).send({ ...GET, ...part })).rejects.toThrow(UnsendableRequestError)
    expect(server.sockets).toHaveLength(0)
  })
})

describe('what is received', () => {
  it('is the answer, with how long it took', async () => {
    const reply = await answered(OK)
    expect(reply).toMatchObject({ answer: { status: 200, headers: [['Content-Length', '2']] } })
    expect(bodyOf(reply)).toBe('ok')
    expect(reply.tookMs > 0).toBe(true)
  })

  it('is a redirect itself: nothing arrives where it points', async () => {
    const elsewhere = await serve((socket) => socket.write(OK))
    const reply = await answered(`HTTP/1.1 302 Found\r\nLocation: ${elsewhere.origin}/\r\nContent-Length: 0\r\n\r\n`)
    expect(reply).toMatchObject({ answer: { status: 302 } })
    expect(elsewhere.sockets).toHaveLength(0)
  })

  it('is an answer that comes before the body was taken; the connection is not used again', async () => {
    const server = await serve((socket) => {
      socket.pause()
      socket.write('HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n')
    })
    const sender = senderTo(server.origin)
    const reply = await sender.send({ ...POST, body: Buffer.alloc(16 * 1024 * 1024) })
    expect(reply).toMatchObject({ answer: { status: 413 } })
    await sender.send(POST)
    expect(server.sockets).toHaveLength(2)
  })
})

describe('a broken target', () => {
  it('that resets the connection in the middle of an answer is reset', async () => {
    const server = await serve((socket) => socket.write(OK.slice(0, -1), () => socket.resetAndDestroy()))
    expect(await senderTo(server.origin).send(GET)).toMatchObject({ broken: { reason: 'reset' } })
    expect(server.sockets).toHaveLength(1)
  })

  it.each<[string, (socket: Socket) => unknown, object]>([
    [
      'that closes in the middle of an answer is reset',
      (socket) => socket.end(OK.slice(0, -1)),
      { reason: 'reset', message: 'the connection was closed before the answer was complete' },
    ],
    [
      'that announces 100 MB is cut off before it sends them',
      (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 104857600\r\n\r\n'),
      { reason: 'too-large', message: 'its body is longer than 1048576 bytes' },
    ],
    [
      'that stays silent is out of time at the deadline',
      () => {},
      { reason: 'timeout', message: 'no complete answer within 150 ms' },
    ],
  ])('%s', async (_what, onHead, broken) => {
    const server = await serve(onHead)
    const reply = await senderTo(server.origin, { timeoutMs: 150 }).send(GET)
    expect(reply).toMatchObject({ broken: { ...broken } })
  })

  it.each([
    ['without a length', ''],
    ['in chunks', 'Transfer-Encoding: chunked\r\n'],
  ])('that sends without end %s is cut off at the limit', async (_how, header) => {
    const piece =
      header === ''
        ? Buffer.alloc(65_536)
        : Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536), Buffer.from('\r\n')])
    let sentBytes = 0
    const server = await serve(async (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${header}\r\n`)
      while (!socket.destroyed && sentBytes < 100 * 1024 * 1024) {
        sentBytes += piece.length
        if (!socket.write(piece)) await Promise.race([once(socket, 'drain'), once(socket, 'close')])
      }
    })
    expect(await senderTo(server.origin).send(GET)).toMatchObject({ broken: { reason: 'too-large' } })
    expect(sentBytes).toBeLessThan(50 * 1024 * 1024)
  })

  it('that drips is out of time all the same: the deadline is for the whole answer', async () => {
    const server = await serve(async (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n')
      while (!socket.destroyed) {
        await new Promise((resolve) => socket.write('x', resolve))
        await new Promise((resolve) => setImmediate(resolve))
      }
    })
    const reply = await senderTo(server.origin).send(GET, { timeoutMs: 150 })
    expect(reply).toMatchObject({ broken: { reason: 'timeout', message: 'no complete answer within 150 ms' } })
  })

  it('that nobody runs is unreachable', async () => {
    const server = await serve(() => {})
    await server.close()
    expect(await senderTo(server.origin).send(GET)).toMatchObject({
      broken: {
        reason: 'unreachable',
        message: 'no connection: ECONNREFUSED',
      },
    })
  })

  it('is left at once when the run is stopped', async () => {
    const stop = new AbortController()
    const server = await serve(() => stop.abort())
    const reply = await senderTo(server.origin).send(GET, { signal: stop.signal })
    expect(reply).toMatchObject({ broken: { reason: 'timeout', message: 'the run was stopped' } })
  })

  it('gets no request at all when the run was stopped before', async () => {
    const server = await serve((socket) => socket.write(OK))
    const reply = await senderTo(server.origin).send(GET, { signal: AbortSignal.abort() })
    expect(reply).toMatchObject({ broken: { reason: 'timeout', message: 'the run was stopped' } })
    expect(server.received.join('')).toBe('')
  })
})

describe('connections', () => {
  it('are used again, reads and writes alike', async () => {
    const server = await serve((socket) => socket.write(OK))
    const sender = senderTo(server.origin)
    for (const wire of [GET, POST, GET, POST]) expect(bodyOf(await sender.send(wire))).toBe('ok')
    expect(server.sockets).toHaveLength(1)
  })

  it.each([
    ['the target says close', OK.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'), GET],
    ['the request says close', OK, { ...GET, headers: [['Connection', 'close']] } satisfies WireRequest],
    ['more bytes came than the answer has', `${OK}HTTP/1.1 500 Smuggled\r\n\r\n`, GET],
  ])('are not used again where %s', async (_why, text, wire) => {
    const server = await serve((socket) => socket.write(text))
    const sender = senderTo(server.origin)
    for (let i = 0; i < 2; i++) expect(await sender.send(wire)).toMatchObject({ answer: { status: 200 } })
    expect(server.sockets).toHaveLength(2)
  })

  it('that the target closes while idle are replaced, for a write too', async () => {
    const server = await serve((socket) => socket.end(OK))
    const sender = senderTo(server.origin)
    await sender.send(POST)
    await closedBy(server.sockets[0])
    expect(bodyOf(await sender.send(POST))).toBe('ok')
    expect(server.sockets).toHaveLength(2)
  })

  it('that turn out to be stale are told of, for a read as for a write: no request goes out twice', async () => {
    const server = await serve((socket, _head, ordinal) => (ordinal === 0 ? socket.write(OK) : socket.destroy()))
    const sender = senderTo(server.origin)
    for (const wire of [GET, POST]) {
      await sender.send(GET)
      expect(await sender.send(wire)).toMatchObject({ broken: { reason: 'reset', stale: true } })
    }
    expect(server.received.join('').match(/POST/g)).toHaveLength(1)
    expect(server.received.join('').match(/GET/g)).toHaveLength(3)
  })

  it('that are new are never stale, and a request may ask for one', async () => {
    const server = await serve((socket, _head, ordinal) => (ordinal === 0 ? socket.write(OK) : socket.destroy()))
    const sender = senderTo(server.origin)
    await sender.send(GET)
    expect(bodyOf(await sender.send(GET, { fresh: true }))).toBe('ok')
    expect(server.sockets).toHaveLength(2)
  })

  it('are given up for a read too once a byte of the answer was there', async () => {
    const server = await serve((socket, _head, ordinal) => (ordinal === 0 ? socket.write(OK) : socket.end('HTTP')))
    const sender = senderTo(server.origin)
    await sender.send(GET)
    expect(await sender.send(GET)).toMatchObject({ broken: { reason: 'reset' } })
    expect(server.sockets).toHaveLength(1)
  })

  it('that were idle for more than a tenth of a second serve reads, but no writes', async () => {
    let nowMs = 0
    const wall = { nowMs: () => nowMs, monotonicMs: () => nowMs }
    const server = await serve((socket) => socket.write(OK))
    const sender = senderTo(server.origin, { wall })
    await sender.send(POST)
    nowMs += 100
    await sender.send(POST)
    expect(server.sockets).toHaveLength(1)
    nowMs += 101
    await sender.send(GET)
    expect(server.sockets).toHaveLength(1)
    nowMs += 101
    await sender.send(POST)
    expect(server.sockets).toHaveLength(2)
  })

  it('that were idle for more than four seconds serve nothing and are closed', async () => {
    let nowMs = 0
    const server = await serve((socket) => socket.write(OK))
    const sender = senderTo(server.origin, { wall: { nowMs: () => nowMs, monotonicMs: () => nowMs } })
    await sender.send(GET)
    nowMs += 4_001
    await sender.send(GET)
    expect(server.sockets).toHaveLength(2)
    await closedBy(server.sockets[0])
  })

  it('are kept idle in a small number only', async () => {
    const waiting: Socket[] = []
    const server = await serve((socket) => {
      waiting.push(socket)
      if (waiting.length === 20) for (const each of waiting) each.write(OK)
    })
    const sender = senderTo(server.origin)
    const replies = await Promise.all(Array.from({ length: 20 }, () => sender.send(GET)))
    expect(replies.map(bodyOf)).toEqual(Array(20).fill('ok'))
    await vi.waitFor(() => expect(server.sockets.filter((socket) => !socket.destroyed)).toHaveLength(8))
  })

  it('are all closed by close()', async () => {
    const server = await serve((socket) => socket.write(OK))
    const sender = senderTo(server.origin)
    await sender.send(GET)
    sender.close()
    await closedBy(server.sockets[0])
  })
})

describe('an origin', () => {
  it.each(['ftp://a.test', 'a.test', 'http://a.test/path', 'http://user:pw@a.test', 'http://a.test?x', ''])(
    '%j is refused',
    (origin) => {
      expect(() => createSender({ origin, wall: wallClock })).toThrow(TypeError)
    },
  )

  it('with a certificate nobody vouches for gets no request, unless certificates are not to be checked', async () => {
    const server = await startTlsServer((socket) => socket.write(OK))
    cleanUps.push(() => server.close())
    expect(await senderTo(server.origin).send(GET)).toMatchObject({
      broken: {
        reason: 'unreachable',
        message: 'no connection: DEPTH_ZERO_SELF_SIGNED_CERT',
      },
    })
    expect(server.received).toEqual([])
    const insecure = senderTo(server.origin, { insecure: true })
    for (let i = 0; i < 2; i++) expect(bodyOf(await insecure.send(GET))).toBe('ok')
    expect(server.received).toHaveLength(2)
  })
})

/** Resolves when the server sees the connection closed. */
async function closedBy(socket: Socket | undefined): Promise<void> {
  if (socket && !socket.closed) await once(socket, 'close')
}
