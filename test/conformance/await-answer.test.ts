import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { wallClock } from '../../src/clock/wall-clock.ts'
import type { Reply } from '../../src/conformance/http/exchange.ts'
import { createSender } from '../../src/conformance/http/send.ts'
import { startRawServer } from '../support/raw-server.ts'
import { size } from '../support/size.ts'

const LIMIT = 1_000

/** What came of requests to a server that answers each with these bytes, one after another on a connection if that may be. */
async function read(
  pieces: readonly (string | Buffer)[],
  { method = 'GET', closed = false, times = 1, timeoutMs = 5_000 } = {},
): Promise<{ reply: Reply; connections: number }> {
  const server = await startRawServer(async (socket) => {
    for (const piece of pieces) {
      if (socket.destroyed) return
      await new Promise((resolve) => socket.write(piece as string, 'latin1', resolve))
    }
    if (closed) socket.end()
  })
  onTestFinished(() => server.close())
  const sender = createSender({ origin: server.origin, wall: wallClock, maxBodyBytes: LIMIT, timeoutMs })
  const wire = { method, target: '/', headers: [], body: new Uint8Array() }
  let reply = await sender.send(wire)
  for (let n = 1; n < times; n++) reply = await sender.send(wire)
  sender.close()
  await server.close()
  return { reply, connections: server.sockets.length }
}

async function bodyOf(...args: Parameters<typeof read>): Promise<string> {
  const { reply } = await read(...args)
  return reply.answer ? Buffer.from(reply.answer.body).toString('latin1') : JSON.stringify(reply)
}

const WITH_LENGTH = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Two:  a b \r\nx-two: c\r\n\r\nhello'
const CHUNKED =
  'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n' +
  '3;name=value\r\nhel\r\n02\r\nlo\r\n0\r\nTrailer: 1\r\n\r\n'

describe('an answer', () => {
  it('keeps status, headers in their order and spelling, and the bytes of the body', async () => {
    const { reply, connections } = await read([WITH_LENGTH], { times: 2 })
    expect(reply).toMatchObject({
      answer: {
        status: 200,
        headers: [
          ['Content-Length', '5'],
          ['X-Two', 'a b'],
          ['x-two', 'c'],
        ],
        body: Buffer.from('hello'),
      },
    })
    expect(connections).toBe(1)
  })

  it('passes over interim answers and puts chunks together, without extensions and trailers', async () => {
    const { reply } = await read([CHUNKED])
    expect(reply).toMatchObject({ answer: { status: 201, body: Buffer.from('hello') } })
    expect(await bodyOf(Array.from(CHUNKED))).toBe('hello')
  })

  it('is never longer than the limit, and always a reply, whatever bytes come', async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'HTTP/1.1 200 OK\r\n',
        'Content-Length: 3\r\n',
        'Transfer-Encoding: chunked\r\n',
        '\r\n',
        '\n',
        '5\r\n',
        'ffff\r\n',
        '0\r\n\r\n',
      ),
      fc.string({ maxLength: 8 }),
      fc.constant('x'.repeat(600)),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 10 }), async (pieces) => {
        const { reply } = await read([pieces.join('')], { closed: true })
        if (reply.answer) expect(reply.answer.body.length).toBeLessThanOrEqual(LIMIT)
        else expect(reply.broken?.reason).not.toBe('timeout')
      }),
      { numRuns: size(50, 1_000) },
    )
  })

  it.each([
    ['HEAD', 'HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n'],
    ['GET', 'HTTP/1.1 204 No Content\r\n\r\n'],
    ['GET', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n'],
  ])('without a body ends with its head: %s %j', async (method, text) => {
    const { reply, connections } = await read([text], { method, times: 2 })
    expect(reply).toMatchObject({ answer: { body: Buffer.alloc(0) } })
    expect(connections).toBe(1)
  })

  it('goes until the connection is closed where no length is given', async () => {
    const text = 'HTTP/1.1 200 OK\r\n\r\nall of it'
    expect(await read([text], { timeoutMs: 100 })).toMatchObject({ reply: { broken: { reason: 'timeout' } } })
    expect(await bodyOf([text], { closed: true })).toBe('all of it')
  })

  it.each([
    ['the target closes', 'HTTP/1.1 200 OK\r\nConnection: Close\r\nContent-Length: 0\r\n\r\n'],
    ['HTTP/1.0 without keep-alive', 'HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n'],
    ['bytes follow that belong to no answer', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabc'],
  ])('is the last one on its connection where %s', async (_why, text) => {
    const { reply, connections } = await read([text], { times: 2 })
    expect(reply).toMatchObject({ answer: { status: 200 } })
    expect(connections).toBe(2)
  })

  it('is not inflated', async () => {
    const packed = gzipSync(Buffer.alloc(100_000))
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${packed.length}\r\n\r\n`
    expect(await bodyOf([head, packed])).toBe(packed.toString('latin1'))
  })

  it('may have more headers than Node keeps unless told', async () => {
    const { reply } = await read([`HTTP/1.1 200 OK\r\n${'X: y\r\n'.repeat(3_000)}Content-Length: 0\r\n\r\n`])
    expect(reply.answer?.headers).toHaveLength(3_001)
  })

  it.each([
    ['a greeting of another protocol', '220 smtp.example.test ESMTP\r\n'],
    ['one wrong byte', 'HTTQ'],
    ['HTTP/2', 'HTTP/2 200\r\n\r\n'],
    ['no status', 'HTTP/1.1 OK\r\n\r\n'],
    ['a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\n'],
    ['lines that end in LF alone', 'HTTP/1.1 200 OK\nContent-Length: 0\n\n'],
    ['a folded header', 'HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\r\n'],
    ['a space before the colon', 'HTTP/1.1 200 OK\r\nContent-Length : 0\r\n\r\n'],
    ['a header without a colon', 'HTTP/1.1 200 OK\r\nnonsense\r\n\r\n'],
    ['an escape character in a value', 'HTTP/1.1 200 OK\r\nX: \u001b[31m\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'],
    ['a length with a sign', 'HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\n'],
    ['a negative length', 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n'],
    ['length and chunks', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['a chunk without a size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nhello\r\n'],
    ['a chunk longer than its size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhello\r\n'],
    ['a chunk line without end', `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(20_000)}`],
    ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'],
    ['101 interim answers', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(101)],
  ])('that is %s is malformed', async (_what, text) => {
    expect((await read([text])).reply).toMatchObject({ broken: { reason: 'malformed' } })
  })

  it('says what is wrong with it, in the words of the parser and with its code', async () => {
    const { reply } = await read(['HTTP/1.1 200 OK\nContent-Length: 0\n\n'])
    expect(reply).toMatchObject({
      broken: { message: expect.stringMatching(/^Missing expected CR .* \(HPE_CR_EXPECTED\)$/) },
    })
  })

  it('may follow a hundred interim answers', async () => {
    expect(await bodyOf(['HTTP/1.1 100 Continue\r\n\r\n'.repeat(100), WITH_LENGTH])).toBe('hello')
  })

  it.each([
    ['a body announced longer', `HTTP/1.1 200 OK\r\nContent-Length: ${LIMIT + 1}\r\n\r\n`],
    ['a length of fifteen digits', 'HTTP/1.1 200 OK\r\nContent-Length: 999999999999999\r\n\r\n'],
    [
      'chunks that add up to more',
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(LIMIT + 1)}`,
    ],
    ['a body without length that does not end', `HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(LIMIT + 1)}`],
    ['a header block over 64 KiB', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(64 * 1024)}`],
    ['many headers over 64 KiB', `HTTP/1.1 200 OK\r\n${'X: yyyyyyyyy\r\n'.repeat(8_000)}`],
    [
      'trailers over 64 KiB',
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n${'X: yyyyyyyyy\r\n'.repeat(8_000)}`,
    ],
  ])('with %s than the limit is too large', async (_what, text) => {
    expect((await read([text])).reply).toMatchObject({
      broken: {
        reason: 'too-large',
        message: expect.stringMatching(/longer than/),
      },
    })
  })

  it('may be exactly as long as the limit', async () => {
    const text = `HTTP/1.1 200 OK\r\nContent-Length: ${LIMIT}\r\n\r\n${'x'.repeat(LIMIT)}`
    expect(await bodyOf([text])).toHaveLength(LIMIT)
  })

  it.each([
    '',
    'HTTP/1.1 20',
    'HTTP/1.1 200 OK\r\nX: y\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf',
    CHUNKED.slice(0, -6),
  ])('whose connection is closed after %j is reset', async (text) => {
    expect((await read([text], { closed: true })).reply).toMatchObject({
      broken: {
        reason: 'reset',
        message: 'the connection was closed before the answer was complete',
      },
    })
  })
})
