import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BadServer } from './bad-server-targets.ts'

/** A server that answers alone, and one elsewhere that counts what arrives there. */
export interface RunningBadServer {
  url: string
  /** Requests that came to the server elsewhere. */
  elsewhere(): number
  close(): Promise<void>
}

/** Starts it on free ports of the loopback. */
export async function startBadServer(answer: NonNullable<BadServer['answer']>): Promise<RunningBadServer> {
  let requests = 0
  let strayed = 0
  const other = createServer((_, response) => {
    strayed += 1
    response.end('{}')
  })
  // Another name for the same machine: another host to a client that follows a redirect.
  const otherUrl = `http://localhost:${await listening(other)}`
  const server = createServer((request, response) => {
    requests += 1
    request.resume()
    // What the runner has given up on may be gone by the time it is answered.
    response.on('error', () => undefined)
    Promise.resolve(answer(request, response, requests, otherUrl)).catch(() => request.socket.destroy())
  })
  server.on('connection', (socket) => socket.on('error', () => undefined))
  return {
    url: `http://127.0.0.1:${await listening(server)}`,
    elsewhere: () => strayed,
    close: async () => void (await Promise.all([closed(server), closed(other)])),
  }
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}
