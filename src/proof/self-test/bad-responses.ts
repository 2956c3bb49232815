import type { IncomingMessage, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { sleep } from '../../clock/wall-clock.ts'
import { HOSTILE_HEADER, HOSTILE_LINE, HOSTILE_TEXT } from './hostile-text.ts'

/** A change that a server makes to one answer on the wire. */
export interface BadResponse {
  name: string
  /** It holds a connection open until the caller gives up. */
  slow?: true
  commit(request: IncomingMessage, response: ServerResponse): void | Promise<void>
}

const JSON_HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n'
const HUNDRED_MB = 100 * 1024 * 1024
const DRIP_MS = 5
const PIECE = Buffer.alloc(64 * 1024, 0x20)

/** 200 members of a MiB of zeros each: 200 kB on the wire, 200 MiB for a client that inflates them. */
const BOMB = Buffer.concat(Array.from({ length: 200 }, () => gzipSync(Buffer.alloc(1024 * 1024))))

/** What no correct server does to an answer; after each of these the answer is unknown. */
export const BAD_RESPONSES: readonly BadResponse[] = [
  { name: 'sends one byte at a time for ever', slow: true, commit: (request) => drip(request) },
  { name: 'takes the call and says nothing', slow: true, commit: () => undefined },
  {
    name: 'resets in the middle of the body',
    commit: ({ socket }) => void socket.write(half(), () => socket.resetAndDestroy()),
  },
  { name: 'sends half a response, then stops', slow: true, commit: (request) => raw(request, half()) },
  { name: 'promises more than it sends', slow: true, commit: (request) => raw(request, ofLength(500, '{"a":1}')) },
  { name: 'sends more than it promised', commit: (request) => raw(request, ofLength(3, '{"a":1}{"b":2}')) },
  {
    name: 'gives two lengths',
    commit: (request) => raw(request, `${JSON_HEAD}Content-Length: 7\r\nContent-Length: 9\r\n\r\n{"a":1}`),
  },
  {
    name: 'sends a Content-Length that is not a number',
    commit: (request) => raw(request, `${JSON_HEAD}Content-Length: -1e9\r\n\r\n{"a":1}`),
  },
  {
    name: 'sends bad chunks',
    commit: (request) => raw(request, `${JSON_HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`),
  },
  {
    name: 'sends a chunk size larger than memory',
    commit: (request) => raw(request, `${JSON_HEAD}Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n{}`),
  },
  {
    name: 'sends 100 MB that it has announced',
    commit: (request) => pour(request, `${JSON_HEAD}Content-Length: ${HUNDRED_MB}\r\n\r\n`),
  },
  {
    name: 'sends 100 MB without a length',
    commit: (request) => pour(request, `${JSON_HEAD}Connection: close\r\n\r\n`),
  },
  { name: 'sends a gzip bomb', commit: bomb },
  {
    name: 'never ends its headers',
    commit: (request) => pour(request, JSON_HEAD, Buffer.from(`X-More: ${'x'.repeat(1000)}\r\n`.repeat(60))),
  },
  {
    name: 'sends a header of a megabyte',
    commit: (request) => raw(request, `${JSON_HEAD}X-Long: ${'x'.repeat(1024 * 1024)}\r\nContent-Length: 2\r\n\r\n{}`),
  },
  {
    name: 'floods with 1xx',
    commit: (request) =>
      raw(request, `${'HTTP/1.1 102 Processing\r\n\r\n'.repeat(5_000)}${JSON_HEAD}Content-Length: 2\r\n\r\n{}`),
  },
  {
    name: 'sends invalid UTF-8',
    commit: (_, response) =>
      void response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(Buffer.from('7b22636f6465223a22c328ff80fe227d', 'hex')),
  },
  {
    name: 'sends brackets 100,000 deep',
    commit: (request) => raw(request, sized('['.repeat(100_000) + ']'.repeat(100_000))),
  },
  {
    name: 'sends numbers out of range',
    commit: (request) => raw(request, sized('{"price":1e400,"public_id":-1e400,"items":[1e-400]}')),
  },
  { name: 'puts hostile text into every field', commit: (request) => raw(request, hostile(401)) },
  {
    name: 'puts hostile text into headers and body',
    commit: (request) => raw(request, hostile(401, HOSTILE_HEADER)),
  },
  { name: 'accepts every call, with hostile text', commit: (request) => raw(request, hostile(200, HOSTILE_HEADER)) },
]

function raw({ socket }: IncomingMessage, bytes: string | Buffer): void {
  socket.write(bytes)
}

const ofLength = (length: number, body: string) => `${JSON_HEAD}Content-Length: ${length}\r\n\r\n${body}`
const sized = (body: string) => ofLength(Buffer.byteLength(body), body)
const half = () => ofLength(400, '{"public_id":"ord_1","sta')

async function drip({ socket }: IncomingMessage): Promise<void> {
  const head = Buffer.from(`${JSON_HEAD}X-Drip: `)
  for (let sent = 0; !socket.destroyed; sent++) {
    socket.write(sent < head.length ? head.subarray(sent, sent + 1) : 'x')
    await sleep(DRIP_MS)
  }
}

/** As fast as the caller reads, until it closes the connection. */
function pour({ socket }: IncomingMessage, head: string, piece = PIECE): void {
  let left = HUNDRED_MB
  const more = (): void => {
    while (left > 0 && !socket.destroyed) {
      left -= piece.length
      if (!socket.write(piece)) return void socket.once('drain', more)
    }
    socket.end()
  }
  socket.write(head)
  more()
}

function bomb(_: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(BOMB)
}

/** Status text, header names and values, code, message and everything else. */
function hostile(status: number, words = HOSTILE_LINE): Buffer {
  const body = JSON.stringify(hostileBody())
  const head = [
    `HTTP/1.1 ${status} ${words}`,
    `Content-Type: application/json; ${words}`,
    `X-Request-Id: ${words}`,
    `Retry-After: ${words}`,
    `Date: ${words}`,
    `Location: javascript:${words}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
}

function hostileBody() {
  const item = {
    public_id: HOSTILE_TEXT,
    domain: HOSTILE_TEXT,
    id: HOSTILE_TEXT,
    status: HOSTILE_TEXT,
    url: `javascript:${HOSTILE_TEXT}`,
    [HOSTILE_LINE]: HOSTILE_TEXT,
  }
  const lists = Object.fromEntries(
    ['orders', 'events', 'domains', 'transactions', 'links', 'cases', 'statements'].map((name) => [name, [item]]),
  )
  return {
    ...item,
    ...lists,
    code: HOSTILE_TEXT,
    message: HOSTILE_TEXT,
    request_id: HOSTILE_TEXT,
    next_cursor: HOSTILE_TEXT,
    available: HOSTILE_TEXT,
  }
}
