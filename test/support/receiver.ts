import { createServer as createHttpServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { expectDocumentedDelivery } from './documented.ts'

/** A delivery as it came over the wire. */
export interface Received {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: events are judged member by member
  json: any
}

export interface Receiver {
  url: string
  received: Received[]
  /** How many requests are being answered now, and the most there ever were. */
  open: () => number
  mostOpen: () => number
  /** Resolves when so many have come. */
  has(count: number): Promise<Received[]>
}

type Answerer = (response: ServerResponse, received: Received, n: number) => void | Promise<void>

export const accepts: Answerer = (response) => void response.writeHead(200).end()
export const answers =
  (status: number, headers: Record<string, string> = {}): Answerer =>
  (response) =>
    void response.writeHead(status, headers).end()
export const never: Answerer = () => {}

/**
 * A receiver that reads what it gets and answers as it is told. Whatever it gets must be what the OpenAPI document says a
 * delivery is, unless `anything` may come.
 */
export async function startReceiver(answerer: Answerer = accepts, { anything = false } = {}): Promise<Receiver> {
  const received: Received[] = []
  const undocumented: unknown[] = []
  const waiting = new Set<() => void>()
  let open = 0
  let mostOpen = 0
  const server = createHttpServer((request, response) => {
    const chunks: Buffer[] = []
    open += 1
    mostOpen = Math.max(mostOpen, open)
    response.on('close', () => {
      open -= 1
    })
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      const one: Received = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body,
        text: body.toString('utf8'),
        json: JSON.parse(body.toString('utf8')),
      }
      if (!anything) judged(body, undocumented)
      const n = received.push(one)
      for (const look of [...waiting]) look()
      void answerer(response, one, n)
    })
  })
  server.keepAliveTimeout = 1
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
    if (undocumented.length > 0) throw undocumented[0]
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    open: () => open,
    mostOpen: () => mostOpen,
    has: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (received.length < count) return
          waiting.delete(look)
          resolve(received)
        }
        waiting.add(look)
        look()
      }),
  }
}

function judged(body: Buffer, complaints: unknown[]): void {
  try {
    expectDocumentedDelivery(body)
  } catch (error) {
    complaints.push(error)
  }
}

/** A receiver that does what no HTTP server should, on the bare socket. `heard` counts connections. */
export async function startRawReceiver(speak: (socket: Socket) => void): Promise<{ url: string; heard: () => number }> {
  const sockets = new Set<Socket>()
  let heard = 0
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    heard += 1
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    let asked = false
    socket.on('data', () => {
      if (asked) return
      asked = true
      speak(socket)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, heard: () => heard }
}

/** An address of this machine where nobody listens. */
export async function deadUrl(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${port}/hook`
}

/** Writes a piece again and again for as long as somebody reads. */
export function pour(socket: Socket, piece: string | Buffer): void {
  const more = () => {
    while (socket.writable && socket.write(piece)) {
      if (socket.writableLength > 1_000_000) break
    }
  }
  socket.on('drain', more)
  more()
}

/** Writes a piece every so often for as long as the socket lives. */
export function drip(socket: Socket, piece: string, everyMs: number): void {
  const timer = setInterval(() => socket.write(piece), everyMs)
  socket.on('close', () => clearInterval(timer))
}
