import { EventEmitter, once } from 'node:events'
import type { Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { wallClock } from '../../src/clock/wall-clock.ts'
import { sendBurst } from '../../src/conformance/http/burst.ts'
import type { WireRequest } from '../../src/conformance/http/exchange.ts'
import { UnsendableRequestError } from '../../src/conformance/http/send.ts'
import { type RawServer, startRawServer } from '../support/raw-server.ts'
import { startTlsServer } from '../support/tls-server.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

const cleanUps: (() => unknown)[] = []

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function serve(onHead: (socket: Socket, head: string) => void): Promise<RawServer> {
  const server = await startRawServer(onHead)
  cleanUps.push(() => server.close())
  return server
}

function lanes(count: number, body = ''): WireRequest[] {
  const method = body === '' ? 'GET' : 'POST'
  return Array.from({ length: count }, (_, lane) => ({
    method,
    target: `/${lane}`,
    headers: [],
    body: Buffer.from(body),
  }))
}

function burst(origin: string, requests: WireRequest[], options: Partial<Parameters<typeof sendBurst>[0]> = {}) {
  return sendBurst({ origin, timeoutMs: 5_000, wall: wallClock, ...options }, requests)
}

/** The status of each lane, or why it has none. */
function told({ replies }: Awaited<ReturnType<typeof sendBurst>>): unknown[] {
  return replies.map(({ answer, broken }) => answer?.status ?? broken?.reason)
}

/** What each connection had sent when the first last byte came in. */
function beforeFirstLastByte(server: RawServer, isWhole: (text: string) => boolean): string[] {
  const soFar: string[] = []
  for (const { connection, text } of server.pieces) {
    const after = (soFar[connection] ?? '') + text
    if (isWhole(after)) return soFar
    soFar[connection] = after
  }
  return []
}

/** Resolves once every one of so many connections has sent what is held back of it, and nothing more. */
async function allHeld(server: RawServer, count: number, isHeld: (text: string) => boolean): Promise<void> {
  while (server.received.filter(isHeld).length < count) await new Promise((resolve) => setImmediate(resolve))
}

describe('a burst', () => {
  it('of 16 reads has the whole header block but its last byte at the target before any last byte', async () => {
    const server = await serve((socket) => socket.write(OK))
    const sent = await burst(server.origin, lanes(16), {
      settle: () => allHeld(server, 16, (text) => text.endsWith('\r\n\r')),
    })
    const held = beforeFirstLastByte(server, (text) => text.endsWith('\r\n\r\n'))
    expect(held).toHaveLength(16)
    for (const text of held) expect(text).toMatch(/^GET \/\d+ HTTP\/1\.1\r\nhost: .*\r\nconnection: close\r\n\r$/)
    expect(told(sent)).toEqual(Array(16).fill(200))
    expect(sent.overlapped).toBe(16)
  })

  it('of 16 writes has all but the last byte of each body at the target before any last byte', async () => {
    const server = await serve((socket) => socket.once('data', () => socket.write(OK)))
    const sent = await burst(server.origin, lanes(16, '{"a":1}'), {
      settle: () => allHeld(server, 16, (text) => text.endsWith('{"a":1')),
    })
    const held = beforeFirstLastByte(server, (text) => text.endsWith('}'))
    expect(held).toHaveLength(16)
    for (const text of held) expect(text).toMatch(/\r\ncontent-length: 7\r\n\r\n\{"a":1$/)
    expect(server.received.every((text) => text.endsWith('{"a":1}'))).toBe(true)
    expect(told(sent)).toEqual(Array(16).fill(200))
    expect(sent.overlapped).toBe(16)
  })

  it('keeps the order of the requests in its replies', async () => {
    const server = await serve((socket, head) => {
      const lane = / \/(\d+) /.exec(head)?.[1] ?? ''
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${lane.length}\r\n\r\n${lane}`)
    })
    const { replies } = await burst(server.origin, lanes(12))
    const bodies = replies.map(({ answer }) => answer && Buffer.from(answer.body).toString())
    expect(bodies).toEqual(lanes(12).map((_, lane) => String(lane)))
  })

  it('does not count as overlapped what was released after another was answered', async () => {
    // This target answers the first lane before its last byte: the others had not been sent wholly by then.
    const firstIsAnswered = new EventEmitter()
    const server = await serve((socket, head) => {
      if (head.startsWith('POST /0 ')) socket.once('close', () => firstIsAnswered.emit('closed')).write(OK)
      else socket.once('data', () => socket.write(OK))
    })
    const closed = once(firstIsAnswered, 'closed')
    const sent = await burst(server.origin, lanes(4, '{"a":1}'), {
      settle: async () => {
        await closed
        await allHeld(server, 4, (text) => text.endsWith('{"a":1'))
      },
    })
    expect(told(sent)).toEqual(Array(4).fill(200))
    expect(sent.overlapped).toBe(0)
  })

  it('goes without a lane that cannot be written before half of the time is over', async () => {
    const server = await serve((socket, head) => {
      if (head.startsWith('POST ')) socket.pause()
      else socket.write(OK)
    })
    const stuck: WireRequest = { method: 'POST', target: '/', headers: [], body: Buffer.alloc(16 * 1024 * 1024) }
    const sent = await burst(server.origin, [...lanes(2), stuck], { timeoutMs: 1_000 })
    expect(told(sent)).toEqual([200, 200, 'timeout'])
    expect(sent.overlapped).toBe(2)
  })

  it('judges each lane for itself: reset, malformed, silent and valid', async () => {
    const server = await serve((socket, head) => {
      if (head.startsWith('GET /0 ')) socket.resetAndDestroy()
      else if (head.startsWith('GET /1 ')) socket.write('nonsense')
      else if (head.startsWith('GET /3 ')) socket.write(OK)
    })
    const sent = await burst(server.origin, lanes(4), { timeoutMs: 400 })
    expect(told(sent)).toEqual(['reset', 'malformed', 'timeout', 200])
  })

  it('is unreachable in every lane where nobody listens', async () => {
    const server = await serve(() => {})
    await server.close()
    const sent = await burst(server.origin, lanes(3))
    expect(told(sent)).toEqual(Array(3).fill('unreachable'))
    expect(sent.overlapped).toBe(0)
  })

  it('of nothing is nothing', async () => {
    const server = await serve(() => {})
    expect(await burst(server.origin, [])).toEqual({ replies: [], overlapped: 0 })
  })

  it('sends nothing at all where one request is no HTTP', async () => {
    const server = await serve((socket) => socket.write(OK))
    const requests = [...lanes(2), { method: 'GET', target: '/\r\n', headers: [], body: new Uint8Array() }]
    await expect(burst(server.origin, requests)).rejects.toThrow(UnsendableRequestError)
    expect(server.sockets).toHaveLength(0)
  })

  it('goes over TLS too', async () => {
    const server = await startTlsServer((socket, text) => {
      if (text.endsWith('\n')) socket.write(OK)
    })
    cleanUps.push(() => server.close())
    const sent = await burst(server.origin, lanes(4), { insecure: true })
    expect(told(sent)).toEqual(Array(4).fill(200))
    expect(sent.overlapped).toBe(4)
  })
})
