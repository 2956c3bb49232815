import { Agent, type ClientRequest, request } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { WallClock } from '../../clock/wall-clock.ts'
import { type Resolve, resolveName } from './address.ts'
import { type AnswerOptions, awaitAnswer } from './await-answer.ts'
import { guardedLookup, type Origin, openConnection, parseOrigin } from './connection.ts'
import type { Reply, WireRequest } from './exchange.ts'

/** A write must not be lost in a connection that the target is about to close, since it may not be sent again. */
const MAX_IDLE_MS_FOR_WRITES = 100
/** Shorter than the five seconds after which common servers close an idle connection. */
const MAX_IDLE_MS = 4_000
const MAX_IDLE_CONNECTIONS = 8

export interface SenderOptions extends Pick<AnswerOptions, 'timeoutMs' | 'maxBodyBytes' | 'wall'> {
  /** Scheme, host and port of the target; anything more is refused. */
  origin: string
  /** Takes any certificate. Default false. */
  insecure?: boolean
  /** Whether a connection may be opened to an address that the host's name stands for; absent for any. */
  mayReach?: (address: string) => boolean
  /** How names are resolved where `mayReach` is given; the machine's way unless given. */
  resolve?: Resolve
}

interface SendOptions extends Pick<AnswerOptions, 'timeoutMs' | 'signal'> {
  /** On a connection of its own: for calls that must not be lost and must not be sent again. */
  fresh?: boolean
}

/** Sends requests byte for byte to one origin: nothing is normalized, followed, inflated or stored. */
export interface Sender {
  /**
   * Resolves for everything that the target does; rejects only with UnsendableRequestError. No request goes out
   * twice: a caller that meets a `stale` connection signs again.
   */
  send(request: WireRequest, options?: SendOptions): Promise<Reply>
  /** Closes all connections. */
  close(): void
}

/**
 * @throws TypeError if the origin is not one.
 * @example const sender = createSender({ origin: 'http://127.0.0.1:4600', wall: wallClock })
 */
export function createSender(options: SenderOptions): Sender {
  const { mayReach, resolve = resolveName, wall, timeoutMs, maxBodyBytes } = options
  const origin = {
    ...parseOrigin(options.origin, options.insecure ?? false),
    ...(mayReach && { lookup: guardedLookup(mayReach, resolve) }),
  }
  const kept = new KeptConnections(origin, wall)
  return {
    async send(wire, { fresh = false, ...own } = {}) {
      const isRead = wire.method === 'GET' || wire.method === 'HEAD'
      kept.closeIdle(isRead ? MAX_IDLE_MS : MAX_IDLE_MS_FOR_WRITES)
      const isAlone = fresh || asksToClose(wire)
      const carrier = isAlone ? { createConnection: () => openConnection(origin) } : { agent: kept }
      const request = startRequest(wire, origin.authority, carrier)
      const answered = awaitAnswer(request, { wall, timeoutMs, maxBodyBytes, ...own })
      request.end(wire.body)
      const reply = await answered
      if (request.socket) kept.noteIdle(request.socket)
      // The other connections have been idle as long.
      if (reply.broken?.stale) kept.closeIdle(0)
      return reply
    },
    close: () => kept.destroy(),
  }
}

/** Connections to one origin that serve one request after another. Node never sends a request again if its connection breaks. */
class KeptConnections extends Agent {
  readonly #origin: Origin
  readonly #wall: WallClock
  readonly #idleSinceMs = new WeakMap<Socket, number>()

  constructor(origin: Origin, wall: WallClock) {
    super({ keepAlive: true, maxFreeSockets: MAX_IDLE_CONNECTIONS, scheduling: 'lifo' })
    this.#origin = origin
    this.#wall = wall
  }

  override createConnection(): Socket {
    return openConnection(this.#origin)
  }

  /** To be called with the connection of each request that is over. */
  noteIdle(socket: Socket): void {
    this.#idleSinceMs.set(socket, this.#wall.monotonicMs())
  }

  /** Closes the connections that have been idle for longer than this. */
  closeIdle(longerThanMs: number): void {
    const nowMs = this.#wall.monotonicMs()
    for (const socket of Object.values(this.freeSockets).flatMap((sockets) => sockets ?? [])) {
      if (nowMs - (this.#idleSinceMs.get(socket) ?? 0) > longerThanMs) socket.destroy()
    }
  }
}

/** The request is not an HTTP message: a fault of the scenario or of the runner, never of the target. */
export class UnsendableRequestError extends Error {
  override name = 'UnsendableRequestError'
}

/** What carries a request: the connections of an agent, which are kept, or one of its own. */
type Carrier = { agent: Agent } | { agent?: never; createConnection: () => Duplex }

/** Longest head of an answer, and longest trailers. */
const MAX_HEAD_BYTES = 64 * 1024

const VERBS_WITH_BODY = new Set(['POST', 'PUT', 'PATCH'])

/**
 * Begins a request: text as UTF-8, names and values as they stand, and Host, Connection and Content-Length where the request has
 * none of its own. Its body is still to be sent. Node changes neither a target nor headers that it gets as an array.
 *
 * @throws UnsendableRequestError if a part would break out of its line.
 */
export function startRequest(wire: WireRequest, authority: string, carrier: Carrier): ClientRequest {
  if (wire.target === '') throw new UnsendableRequestError('the target is empty')
  try {
    const started = request({
      ...carrier,
      method: wire.method,
      path: asBytes(wire.target),
      headers: headersOf(wire, authority, carrier.agent ? 'keep-alive' : 'close'),
      maxHeaderSize: MAX_HEAD_BYTES,
    })
    // Else Node drops headers beyond the 2,000th.
    started.maxHeadersCount = 0
    return started
  } catch (error) {
    throw new UnsendableRequestError(error instanceof Error ? error.message : String(error))
  }
}

/** Whether the request itself asks for the connection to be closed. */
export function asksToClose(wire: WireRequest): boolean {
  return wire.headers.some(([name, value]) => name.toLowerCase() === 'connection' && /\bclose\b/i.test(value))
}

/** Names and values in turn. */
function headersOf(wire: WireRequest, authority: string, connection: 'keep-alive' | 'close'): string[] {
  const names = new Set(wire.headers.map(([name]) => name.toLowerCase()))
  const hasLength = names.has('content-length') || names.has('transfer-encoding')
  const needsLength = !hasLength && (wire.body.length > 0 || VERBS_WITH_BODY.has(wire.method))
  return [
    ...(names.has('host') ? [] : ['host', authority]),
    ...(names.has('connection') ? [] : ['connection', connection]),
    ...wire.headers.flatMap(([name, value]) => [name, asBytes(value)]),
    ...(needsLength ? ['content-length', String(wire.body.length)] : []),
  ]
}

/** Text in UTF-8 with a character for each byte, which is how Node writes a head. */
function asBytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}
