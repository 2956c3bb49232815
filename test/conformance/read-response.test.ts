import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createResponseReader, type ReadState } from '../../src/conformance/http/read-response.ts'
import { size } from '../support/size.ts'

const LIMIT = 1_000

/** Reads an answer that comes in the given pieces; `closed` closes the connection after them. */
function read(pieces: readonly (string | Buffer)[], { method = 'GET', closed = false } = {}): ReadState {
  const reader = createResponseReader(method, LIMIT)
  let state: ReadState = { kind: 'more' }
  for (const piece of pieces) {
    state = reader.push(Buffer.from(piece as string, 'latin1'))
    if (state.kind !== 'more') return state
  }
  return closed ? reader.end() : state
}

function bodyOf(state: ReadState): string {
  return state.kind === 'done' ? Buffer.from(state.response.body).toString('latin1') : JSON.stringify(state)
}

const WITH_LENGTH = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Two:  a b \r\nx-two: c\r\n\r\nhello'
const CHUNKED =
  'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n' +
  '3;name=value\r\nhel\r\n02\r\nlo\r\n0\r\nTrailer: 1\r\n\r\n'

describe('the response reader', () => {
  it('keeps status, headers in their order and spelling, and the bytes of the body', () => {
    expect(read([WITH_LENGTH])).toEqual({
      kind: 'done',
      reusable: true,
      response: {
        status: 200,
        headers: [
          ['Content-Length', '5'],
          ['X-Two', 'a b'],
          ['x-two', 'c'],
        ],
        body: Buffer.from('hello'),
      },
    })
  })

  it('passes over interim answers and puts chunks together, without extensions and trailers', () => {
    const state = read([CHUNKED])
    expect(state).toMatchObject({ kind: 'done', reusable: true, response: { status: 201 } })
    expect(bodyOf(state)).toBe('hello')
  })

  it('reads the same however the bytes are cut', () => {
    const cuts = fc.tuple(fc.constantFrom(WITH_LENGTH, CHUNKED), fc.array(fc.nat(CHUNKED.length), { maxLength: 12 }))
    fc.assert(
      fc.property(cuts, ([text, at]) => {
        const edges = [0, ...at.map((cut) => Math.min(cut, text.length)).sort((a, b) => a - b), text.length]
        const pieces = edges.slice(1).map((edge, index) => text.slice(edges[index], edge))
        expect(read(pieces)).toEqual(read([text]))
      }),
      { numRuns: size(100, 1_000) },
    )
    expect(read(Array.from(CHUNKED))).toEqual(read([CHUNKED]))
  })

  it('never throws and never gives more than the limit, whatever bytes come', () => {
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
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 10 }), (pieces) => {
        const state = read(pieces, { closed: true })
        expect(state.kind).not.toBe('more')
        if (state.kind === 'done') expect(state.response.body.length).toBeLessThanOrEqual(LIMIT)
      }),
      { numRuns: size(300, 3_000) },
    )
  })

  it.each([
    ['HEAD', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n'],
    ['GET', 'HTTP/1.1 204 No Content\r\n\r\n'],
    ['GET', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n'],
  ])('waits for no body: %s %j', (method, text) => {
    expect(read([text], { method })).toMatchObject({
      kind: 'done',
      reusable: true,
      response: { body: Buffer.alloc(0) },
    })
  })

  it('reads until the connection is closed where no length is given, and does not use the connection again', () => {
    const text = 'HTTP/1.1 200 OK\r\n\r\nall of it'
    expect(read([text])).toEqual({ kind: 'more' })
    expect(read([text], { closed: true })).toMatchObject({ kind: 'done', reusable: false })
    expect(bodyOf(read([text], { closed: true }))).toBe('all of it')
  })

  it.each([
    ['the target closes', 'HTTP/1.1 200 OK\r\nConnection: Close\r\nContent-Length: 0\r\n\r\n'],
    ['HTTP/1.0 without keep-alive', 'HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n'],
    ['bytes follow that belong to no answer', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabc'],
  ])('does not use the connection again where %s', (_why, text) => {
    expect(read([text])).toMatchObject({ kind: 'done', reusable: false, response: { status: 200 } })
  })

  it('inflates nothing', () => {
    const packed = gzipSync(Buffer.alloc(100_000))
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${packed.length}\r\n\r\n`
    const state = read([head, packed])
    expect(state.kind === 'done' && Buffer.from(state.response.body).equals(packed)).toBe(true)
  })

  it.each([
    ['a greeting of another protocol', '220 smtp.example.test ESMTP\r\n'],
    ['one wrong byte', 'HTTQ'],
    ['HTTP/2', 'HTTP/2 200\r\n\r\n'],
    ['no status', 'HTTP/1.1 OK\r\n\r\n'],
    ['a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\n'],
    ['a status below 100', 'HTTP/1.1 099 OK\r\n\r\n'],
    ['lines that end in LF alone', 'HTTP/1.1 200 OK\nContent-Length: 0\n\n'],
    ['a folded header', 'HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\r\n'],
    ['a space before the colon', 'HTTP/1.1 200 OK\r\nContent-Length : 0\r\n\r\n'],
    ['a header without a colon', 'HTTP/1.1 200 OK\r\nnonsense\r\n\r\n'],
    ['an escape character in a value', 'HTTP/1.1 200 OK\r\nX: \u001b[31m\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'],
    ['a length with a sign', 'HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\n'],
    ['a negative length', 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n'],
    ['length and chunks', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['a coding beside chunked', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n'],
    ['chunks in HTTP/1.0', 'HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['a chunk without a size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nhello\r\n'],
    ['a chunk longer than its size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhello\r\n'],
    ['a chunk line without end', `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(5_000)}`],
    ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n'],
    ['101 interim answers', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(101)],
  ])('takes %s for malformed', (_what, text) => {
    expect(read([text])).toMatchObject({ kind: 'broken', reason: 'malformed', message: expect.stringMatching(/./) })
  })

  it('accepts a hundred interim answers', () => {
    expect(read(['HTTP/1.1 100 Continue\r\n\r\n'.repeat(100), WITH_LENGTH])).toMatchObject({ kind: 'done' })
  })

  it.each([
    ['a body announced longer', `HTTP/1.1 200 OK\r\nContent-Length: ${LIMIT + 1}\r\n\r\n`],
    ['a length of fifteen digits', 'HTTP/1.1 200 OK\r\nContent-Length: 999999999999999\r\n\r\n'],
    ['a chunk announced longer', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n'],
    [
      'chunks that add up to more',
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(LIMIT + 1)}`,
    ],
    ['a body without length that does not end', `HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(LIMIT + 1)}`],
    ['a header block over 64 KiB', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(64 * 1024)}`],
    ['many headers over 64 KiB', `HTTP/1.1 200 OK\r\n${'X: y\r\n'.repeat(11_000)}`],
    ['trailers over 64 KiB', `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n${'X: y\r\n'.repeat(11_000)}`],
  ])('takes %s than the limit for too large', (_what, text) => {
    expect(read([text])).toMatchObject({
      kind: 'broken',
      reason: 'too-large',
      message: expect.stringMatching(/longer than/),
    })
  })

  it('reads a body that is exactly as long as the limit', () => {
    expect(bodyOf(read([`HTTP/1.1 200 OK\r\nContent-Length: ${LIMIT}\r\n\r\n${'x'.repeat(LIMIT)}`]))).toHaveLength(
      LIMIT,
    )
  })

  it.each([
    '',
    'HTTP/1.1 20',
    'HTTP/1.1 200 OK\r\nX: y\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf',
    CHUNKED.slice(0, -6),
  ])('takes a connection closed after %j for reset', (text) => {
    expect(read(text === '' ? [] : [text], { closed: true })).toEqual({
      kind: 'broken',
      reason: 'reset',
      message: 'the connection was closed before the answer was complete',
    })
  })
})
