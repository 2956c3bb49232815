import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { wallClock } from '../../src/clock/wall-clock.ts'
import { createPassThrough, type PassedCall, type PassThroughOptions } from '../../src/proxy/pass-through.ts'
import { listening } from '../support/listening.ts'

/** A pass-through before a target, and what it noted of each call. */
export async function passThrough(target: string, options: Partial<PassThroughOptions> = {}) {
  const finished: PassedCall[] = []
  const server = createPassThrough({
    target: new URL(target),
    ca: null,
    keepHost: false,
    keepBytes: 1024,
    silentMs: 5_000,
    refusal: () => null,
    wall: wallClock,
    onFinished: (passed) => finished.push(passed),
    ...options,
  })
  return { url: await listening(server), finished }
}

/** A target that speaks in bytes; `onBytes` gets all that a connection has sent so far, as Latin-1 text. */
export async function rawTarget(onBytes: (socket: Socket, received: string) => void) {
  const connections: string[] = []
  const sockets: Socket[] = []
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const index = connections.push('') - 1
    sockets.push(socket)
    socket.on('error', () => {})
    socket.on('end', () => socket.end())
    socket.on('data', (chunk) => {
      connections[index] += chunk.toString('latin1')
      onBytes(socket, connections[index] as string)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    return new Promise<void>((resolve) => void server.close(() => resolve()))
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, connections, sockets }
}

/** What a client gets that sends these bytes: all up to the end of the connection, or until `isEnough`. */
export function exchangeBytes(
  url: string,
  sent: string,
  { isEnough = () => false, end = false }: { isEnough?: (text: string) => boolean; end?: boolean } = {},
): Promise<{ received: string; error: string | null }> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(url)
    let received = ''
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true }, () => {
      if (end) socket.end(sent, 'latin1')
      else socket.write(sent, 'latin1')
    })
    const done = (error: string | null) => {
      socket.destroy()
      resolve({ received, error })
    }
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      if (isEnough(received)) done(null)
    })
    socket.on('end', () => done(null))
    socket.on('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message))
  })
}

/** Headers of a message as lines, without those that belong to one connection. */
export function linesOf(message: string): string[] {
  const [head = ''] = message.split('\r\n\r\n')
  return head.split('\r\n').filter((line) => !/^(connection|keep-alive):/i.test(line))
}

export function bodyOf(message: string): string {
  return message.slice(message.indexOf('\r\n\r\n') + 4)
}
