import type { AddressInfo } from 'node:net'
import { createServer, type Server, type Socket } from 'node:net'

/** A server that speaks in bytes: what it sends is what the test says, HTTP or not. */
export interface RawServer {
  origin: string
  /** Every connection so far. */
  sockets: Socket[]
  /** What each connection has sent so far, as Latin-1 text, in the order of the connections. */
  received: string[]
  /** The same, piece by piece as it came. */
  pieces: { connection: number; text: string }[]
  close(): Promise<void>
}

/**
 * Starts a server on a free port of the loopback. The handler is called once for each whole request head that has
 * come on a connection (the body, if any, may still be on its way), with the head and its number on the connection.
 */
export async function startRawServer(
  onHead: (socket: Socket, head: string, ordinal: number) => unknown,
): Promise<RawServer> {
  const sockets: Socket[] = []
  const received: string[] = []
  const pieces: RawServer['pieces'] = []
  const server = createServer((socket) => {
    const index = sockets.push(socket) - 1
    received[index] = ''
    let heads = 0
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      pieces.push({ connection: index, text: chunk.toString('latin1') })
      received[index] += chunk.toString('latin1')
      const complete = (received[index] ?? '').split('\r\n\r\n').slice(0, -1)
      for (const head of complete.slice(heads)) onHead(socket, head, heads++)
    })
  })
  await listening(server)
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sockets,
    received,
    pieces,
    close: () => closed(server, sockets),
  }
}

function listening(server: Server): Promise<void> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
}

function closed(server: Server, sockets: readonly Socket[]): Promise<void> {
  for (const socket of sockets) socket.destroy()
  return new Promise((resolve) => server.close(() => resolve()))
}
