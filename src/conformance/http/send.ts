import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { connect as connectPlain, isIP, type LookupFunction, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectSecure, TLSSocket } from 'node:tls'
import { callAfter, type WallClock } from '../../clock/wall-clock.ts'
import { withoutBrackets } from '../../contract/host.ts'
import { resolveName } from './address.ts'
import type { Reply, WireRequest } from './exchange.ts'
import { parseJson } from './json-body.ts'

/** Where requests go. */
interface Origin {
  secure: boolean
  host: string
  port: number
  /** For the Host header: the port only where it is not the scheme's own. */
  authority: string
  /** Any certificate will do. */
  insecure: boolean
  /** Resolves the host where that is a name; absent for the machine's own way. */
  lookup?: LookupFunction
}

/**
 * Reads an origin such as `https://staging.example.test:8443`.
 *
 * @throws TypeError if it is not an http or https address, or has a user, path, query or fragment.
 */
export function parseOrigin(text: string, insecure: boolean): Origin {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new TypeError('the origin is not an http or https address')
  if (url.username !== '' || url.password !== '' || url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    throw new TypeError('the origin has more than scheme, host and port')
  }
  const secure = url.protocol === 'https:'
  return {
    secure,
    host: withoutBrackets(url.hostname),
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    authority: url.host,
    insecure,
  }
}

/** Begins to open a connection; for https, nothing is written before the certificate was checked. */
export function openConnection({ secure, host, port, insecure, lookup }: Origin): Socket {
  const to = { host, port, ...(lookup && { lookup }) }
  if (!secure) return connectPlain({ ...to, noDelay: true })
  const socket = connectSecure({
    ...to,
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: !insecure,
    ...(isIP(host) ? {} : { servername: host }),
  })
  return socket.setNoDelay(true)
}

/** Resolves names as the machine does, and leads only to addresses that may be reached, so that a name cannot change in between. */
function guardedLookup(mayReach: (address: string) => boolean, resolve: typeof resolveName): LookupFunction {
  return (name, options, done) => {
    resolve(name).then(
      (found) => {
        const refused = found.find(({ address }) => !mayReach(address))
        const [first] = found
        if (refused || !first) done(new Error(`${name} leads to an address that is not opened`), '')
        else if (options.all) done(null, [...found])
        else done(null, first.address, first.family)
      },
      (error) => done(error, ''),
    )
  }
}

export const DEFAULT_TIMEOUT_MS = 10_000
export const DEFAULT_MAX_BODY_BYTES = 1024 * 1024
const MAX_INTERIM_ANSWERS = 100
const MOST_PIECES = 50_000

interface AnswerOptions {
  wall: WallClock
  /** For the whole exchange, connecting included: a target that drips could keep an idle timer alive. Default 10 s. */
  timeoutMs?: number | undefined
  /** Longest body that is read; a longer one is broken as `too-large`. Default 1 MiB. */
  maxBodyBytes?: number | undefined
  signal?: AbortSignal | undefined
  /** When the exchange began, for its duration; unless given, when the connection was there. */
  beganAtMs?: () => number
  /** Called once, when the first byte of the answer is there. */
  onFirstByte?: () => void
}

/**
 * Resolves with what came of a request, however it ends. Node's parser refuses what could be read in two ways; the limits are ours.
 * A connection on which something is still to come or to be written is closed.
 */
export function awaitAnswer(request: ClientRequest, options: AnswerOptions): Promise<Reply> {
  const { wall, timeoutMs = DEFAULT_TIMEOUT_MS, maxBodyBytes = DEFAULT_MAX_BODY_BYTES, signal } = options
  return new Promise((resolve) => {
    let stage: 'connecting' | 'waiting' | 'answered' = 'connecting'
    let sinceMs = wall.monotonicMs()
    let interimAnswers = 0
    let answer: IncomingMessage | undefined
    let pieces: Buffer[] = []
    let length = 0

    const settle = (came: Pick<Reply, 'answer' | 'broken'>): void => {
      alarm.cancel()
      signal?.removeEventListener('abort', stop)
      request.socket?.off('data', onFirstByte)
      // An answer may come before the whole request was taken; what is still to be written would lead the next one.
      if (came.broken || !request.writableFinished) request.destroy()
      resolve({ ...came, tookMs: wall.monotonicMs() - (options.beganAtMs?.() ?? sinceMs) })
    }
    const fail = (reason: NonNullable<Reply['broken']>['reason'], message: string): void => {
      const stale = reason === 'reset' && request.reusedSocket && stage !== 'answered'
      settle({ answer: null, broken: { reason, message, ...(stale && { stale }) } })
    }
    const onError = (error: NodeJS.ErrnoException): void => {
      // What comes after a complete answer makes the connection useless, and not the answer.
      if (answer?.complete) return
      const { code = '', message, syscall } = error
      if (code === 'HPE_HEADER_OVERFLOW') fail('too-large', 'its header block is longer than 65536 bytes')
      else if (code.startsWith('HPE_')) fail('malformed', `${message.replace(/^Parse Error: /, '')} (${code})`)
      else if (stage === 'connecting')
        fail('unreachable', `no connection: ${[code, inOpenSsl(message)].filter(Boolean).join(' ') || message}`)
      else if (syscall) fail('reset', `the connection was lost before the answer was complete: ${code}`)
      else fail('reset', 'the connection was closed before the answer was complete')
    }
    const onConnection = (): void => {
      stage = 'waiting'
      sinceMs = wall.monotonicMs()
    }
    const onFirstByte = (): void => {
      stage = 'answered'
      options.onFirstByte?.()
    }
    const onBodyTooLong = (): void => fail('too-large', `its body is longer than ${maxBodyBytes} bytes`)
    const stop = (): void => fail('timeout', 'the run was stopped')
    const alarm = callAfter(timeoutMs, () => fail('timeout', `no complete answer within ${timeoutMs} ms`))

    request.on('error', onError)
    request.on('socket', (socket: Socket) => {
      if (request.reusedSocket) onConnection()
      else socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', onConnection)
      socket.once('data', onFirstByte)
    })
    request.on('information', () => {
      if (++interimAnswers > MAX_INTERIM_ANSWERS) fail('malformed', `more than ${MAX_INTERIM_ANSWERS} interim answers`)
    })
    request.on('upgrade', () => fail('malformed', 'it switches to a protocol that was not requested'))
    request.on('response', (message) => {
      answer = message
      message.on('error', onError)
      if (request.method !== 'HEAD' && Number(message.headers['content-length']) > maxBodyBytes) onBodyTooLong()
      message.on('data', (piece: Buffer) => {
        length += piece.length
        pieces.push(piece)
        // A million pieces of one byte must not become a million objects.
        if (pieces.length > MOST_PIECES) pieces = [Buffer.concat(pieces)]
        if (length > maxBodyBytes) onBodyTooLong()
      })
      message.on('end', () => {
        const { statusCode: status = 0, rawHeaders } = message
        if (!message.complete) return
        const bytes = Buffer.concat(pieces)
        const headers = Array.from(
          { length: rawHeaders.length / 2 },
          (_, n) => [rawHeaders[2 * n] ?? '', rawHeaders[2 * n + 1] ?? ''] as const,
        )
        settle({ answer: { op: null, status, headers, body: bytes, json: parseJson(bytes) }, broken: null })
      })
    })
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop)
  })
}

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
  resolve?: typeof resolveName
}

interface SendOptions extends Pick<AnswerOptions, 'timeoutMs' | 'signal'> {
  /** On a connection of its own: for calls that must not be lost and must not be sent again. */
  fresh?: boolean
}

/** Sends requests byte for byte to one origin: nothing is normalized, followed, inflated or stored. */
interface Sender {
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
      const asksToClose = wire.headers.some(([name, value]) => /^connection$/i.test(name) && /\bclose\b/i.test(value))
      const isAlone = fresh || asksToClose
      const carrier = isAlone ? { createConnection: () => openConnection(origin) } : { agent: kept }
      const request = startRequest(wire, origin.authority, carrier)
      const answered = awaitAnswer(request, { wall, timeoutMs, maxBodyBytes, ...own })
      request.end(wire.body)
      const reply = await answered
      if (request.socket) kept.idleSinceMs.set(request.socket, wall.monotonicMs())
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
  /** When the request of each was over. */
  readonly idleSinceMs = new WeakMap<Socket, number>()

  constructor(origin: Origin, wall: WallClock) {
    super({ keepAlive: true, maxFreeSockets: MAX_IDLE_CONNECTIONS, scheduling: 'lifo' })
    this.#origin = origin
    this.#wall = wall
  }

  override createConnection(): Socket {
    return openConnection(this.#origin)
  }

  /** Closes the connections that have been idle for longer than this. */
  closeIdle(longerThanMs: number): void {
    const nowMs = this.#wall.monotonicMs()
    for (const socket of Object.values(this.freeSockets).flatMap((sockets) => sockets ?? [])) {
      if (nowMs - (this.idleSinceMs.get(socket) ?? 0) > longerThanMs) socket.destroy()
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
  const names = new Set(wire.headers.map(([name]) => name.toLowerCase()))
  const hasLength = names.has('content-length') || names.has('transfer-encoding')
  const needsLength = !hasLength && (wire.body.length > 0 || VERBS_WITH_BODY.has(wire.method))
  // Names and values in turn.
  const headers = [
    ...(names.has('host') ? [] : ['host', authority]),
    ...(names.has('connection') ? [] : ['connection', carrier.agent ? 'keep-alive' : 'close']),
    ...wire.headers.flatMap(([name, value]) => [name, asBytes(value)]),
    ...(needsLength ? ['content-length', String(wire.body.length)] : []),
  ]
  try {
    const started = request({
      ...carrier,
      method: wire.method,
      path: asBytes(wire.target),
      headers,
      maxHeaderSize: MAX_HEAD_BYTES,
    })
    // Else Node drops headers beyond the 2,000th.
    started.maxHeadersCount = 0
    return started
  } catch (error) {
    throw new UnsendableRequestError(error instanceof Error ? error.message : String(error))
  }
}

/** What OpenSSL says of a handshake, which for some of its errors is in the message alone. */
function inOpenSsl(message: string): string | undefined {
  return /:SSL routines:[^:]*:([^:]+)/.exec(message)?.[1]
}

const IS_ASCII = /^[ -~]*$/

/** Text in UTF-8 with a character for each byte, which is how Node writes a head. */
function asBytes(text: string): string {
  return IS_ASCII.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1')
}
