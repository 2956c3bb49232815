import {
  Agent,
  type ClientRequest,
  createServer,
  type IncomingMessage,
  type InformationEvent,
  request,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import type { Socket } from 'node:net'
import { rootCertificates } from 'node:tls'
import type { WallClock } from '../clock/wall-clock.ts'
import { headerPairsOf, type RawHeaders } from '../contract/headers.ts'
import { whyNoAnswer, withoutBrackets } from '../contract/host.ts'
import { answerAndClose, type RefusalWords, unreadableHandler } from '../sandbox/app/connection.ts'
import { forwarded, hasHeader } from './forwarded-headers.ts'
import { KeptBody, SignedBody } from './kept-body.ts'

/** Where calls go, and how. */
export interface PassThroughOptions {
  /** Origin of the target. */
  readonly target: URL
  /** Certificates in PEM to trust besides those of Node; null for none. */
  readonly ca: string | null
  /** Whether the target gets the Host that the client sent. */
  readonly keepHost: boolean
  /** So many bytes of each body are kept for the judge. */
  readonly keepBytes: number
  /** A target that is silent for so long before its answer begins gets a 504 in its place. */
  readonly silentMs: number
  /** Why a call is not passed on; null for one that is. */
  readonly refusal: (incoming: IncomingMessage) => string | null
  readonly wall: WallClock
  /** Called once for each call, when nothing of it will pass any more. */
  readonly onFinished: (passed: PassedCall) => void
}

/** How a call ended. */
export type Ending =
  /** The answer of the target passed whole. */
  | 'answered'
  /** The target gave no answer; the proxy gave one of its own. */
  | 'no-answer'
  /** The proxy refused the call and did not pass it on. */
  | 'refused'
  /** The connection to the target broke, and so did that of the client. */
  | 'broken'
  /** The client closed its connection first. */
  | 'client-left'

/** A call that has passed through, with what was kept of it. */
export interface PassedCall {
  readonly method: string
  /** The request target, byte for byte. */
  readonly target: string
  readonly rawHeaders: RawHeaders
  readonly body: SignedBody
  /** Wall time of its arrival in milliseconds. */
  readonly receivedAtMs: number
  readonly startedMs: number
  tookMs: number
  ending: Ending
  /** Why there is no whole answer of the target; null if there is one. */
  problem: string | null
  /** 0 until an answer begins. */
  status: number
  answerHeaders: RawHeaders
  readonly answerBody: KeptBody
}

/** Marks an answer that is the proxy's own. Its value says why there is one. */
const OWN_ANSWER = 'X-Partner-Sandbox-Proxy'

const WORDS: RefusalWords = {
  headers: { 'content-type': 'text/plain; charset=utf-8', [OWN_ANSWER]: 'refused' },
  body: (_status, message) => `partner-sandbox proxy: ${message}\n`,
}

/** More than any target takes: it is for the target to refuse. */
const MOST_HEADER_BYTES = 64 * 1024

/** The connections of a client and of its calls to the target: one for one, so that the end of the one is the end of the other. */
interface ConnectionPair {
  readonly agent: Agent
  /** Calls that are under way. */
  calls: number
  /** Whether the proxy itself has opened the connection of the client. */
  readonly isOwn: boolean
  /** Notes a connection to the target. Its end is, between two calls, that of the connection of the client. */
  readonly follow: (socket: Socket) => void
}

/**
 * An HTTP server that passes each call on to the target and each answer back, with their bytes as they are. Only headers of a
 * connection and the Host are replaced. Nothing that is kept of a call delays it.
 */
export function createPassThrough(options: PassThroughOptions): Server {
  const pairs = new WeakMap<Socket, ConnectionPair>()
  const server = createServer({
    maxHeaderSize: MOST_HEADER_BYTES,
    requestTimeout: 0,
    keepAliveTimeout: 0,
    requireHostHeader: false,
  })
  server.maxHeadersCount = 0
  // A client that has closed its sending side still reads its answer.
  Object.assign(server, { httpAllowHalfOpen: true })
  const connectionTo = agentMaker(options)
  const opened = new Set<string>()
  const serve = (incoming: IncomingMessage, response: ServerResponse) => {
    const { socket } = incoming
    const pair = pairs.get(socket) ?? pairOf(socket, connectionTo(), opened)
    pairs.set(socket, pair)
    pass(incoming, response, pair, options)
  }
  server.on('request', serve)
  server.on('checkContinue', serve)
  server.on('checkExpectation', serve)
  server.on('clientError', unreadableHandler(WORDS))
  server.on('connect', (_request, socket) => {
    answerAndClose(socket as Socket, 405, 'this proxy stands in front of one server and opens no tunnels', WORDS)
  })
  return server
}

/** @param opened the ends of every connection to the target, by which the proxy knows its own where it comes back. */
function pairOf(client: Socket, agent: Agent, opened: Set<string>): ConnectionPair {
  const followed = new WeakSet<Socket>()
  const pair: ConnectionPair = {
    agent,
    calls: 0,
    isOwn: opened.has(endsOf(client.remoteAddress, client.remotePort, client.localAddress, client.localPort)),
    follow(socket) {
      if (followed.has(socket)) return
      followed.add(socket)
      let ends = ''
      socket.once('connect', () => {
        ends = endsOf(socket.localAddress, socket.localPort, socket.remoteAddress, socket.remotePort)
        opened.add(ends)
      })
      socket.once('close', () => {
        opened.delete(ends)
        if (pair.calls === 0) client.end()
      })
    },
  }
  client.once('close', () => agent.destroy())
  return pair
}

/** A port that listens on every address of IPv6 sees those of IPv4 in another form. */
function endsOf(...ends: readonly (string | number | undefined)[]): string {
  return ends.join(' ').replaceAll('::ffff:', '')
}

function agentMaker({ target, ca }: PassThroughOptions): () => Agent {
  const keep = { keepAlive: true, maxSockets: 1 }
  if (target.protocol !== 'https:') return () => new Agent(keep)
  // TLS takes some milliseconds to load.
  const https = process.getBuiltinModule('node:https')
  // The environment of the process cannot switch the check of certificates off.
  const trust = { rejectUnauthorized: true, ...(ca !== null && { ca: [...rootCertificates, ca] }) }
  return () => new https.Agent({ ...keep, ...trust })
}

/** The way of a call: its head, its body beside the answer, and its end. */
function pass(
  incoming: IncomingMessage,
  response: ServerResponse,
  pair: ConnectionPair,
  options: PassThroughOptions,
): void {
  const { wall, keepBytes, onFinished } = options
  const passed: PassedCall = {
    method: incoming.method ?? '',
    target: incoming.url ?? '',
    rawHeaders: incoming.rawHeaders,
    body: new SignedBody(keepBytes),
    receivedAtMs: wall.nowMs(),
    startedMs: wall.monotonicMs(),
    tookMs: 0,
    ending: 'client-left',
    problem: 'the client closed its connection before it had the answer',
    status: 0,
    answerHeaders: [],
    answerBody: new KeptBody(keepBytes),
  }
  pair.calls += 1
  response.once('close', () => {
    pair.calls -= 1
    passed.tookMs = wall.monotonicMs() - passed.startedMs
    onFinished(passed)
  })
  const upgrade = incoming.headers.upgrade
  // Some clients offer HTTP/2 with every call; a server that does not take the offer answers as usual.
  if (upgrade !== undefined && upgrade.toLowerCase() !== 'h2c') {
    const message = `an upgrade to ${upgrade} is not passed on; the API has none`
    answerInstead(passed, response, { status: 501, reason: 'refused', message })
    return
  }
  if (pair.isOwn) {
    const message = `the call came from this proxy itself: ${options.target.host} leads back to it`
    answerInstead(passed, response, { status: 508, reason: 'refused', message })
    return
  }
  const refusal = options.refusal(incoming)
  if (refusal !== null) {
    answerInstead(passed, response, {
      status: 403,
      reason: 'refused',
      message: `the call is not passed on: ${refusal}`,
    })
    return
  }
  const sent = open(incoming, pair.agent, options)
  response.once('close', () => sent.destroy())
  sendBody(incoming, sent, passed)
  sent.on('continue', () => response.writeContinue())
  sent.on('information', (interim) => sendInterim(interim, response))
  sent.on('response', (answer) => {
    try {
      sendAnswer(answer, response, passed)
    } catch (error) {
      const message = `what the target ${options.target.host} answered cannot be passed on: ${(error as Error).message}`
      answerInstead(passed, response, { status: 502, reason: 'no-answer', message })
    }
  })
  sent.on('upgrade', (_answer, socket) => {
    socket.destroy()
    const message = `the target ${options.target.host} switches to a protocol that was not asked for`
    answerInstead(passed, response, { status: 502, reason: 'no-answer', message })
  })
  sent.on('timeout', () => {
    if (response.headersSent) return
    const message = `the target did not answer within ${options.silentMs / 1_000} seconds`
    answerInstead(passed, response, { status: 504, reason: 'no-answer', message })
    sent.destroy()
  })
  sent.on('error', (error: NodeJS.ErrnoException) => {
    if (response.headersSent || response.destroyed) return
    const message = `the target ${options.target.host} gave no answer: ${wordsOf(error, options.target)}`
    // The target has closed a connection that it had kept open. The client retries as it would without a proxy.
    if (sent.reusedSocket) breakOff(passed, response, message)
    else answerInstead(passed, response, { status: 502, reason: 'no-answer', message })
  })
  sent.once('socket', pair.follow)
}

function open(
  incoming: IncomingMessage,
  agent: Agent,
  { target, keepHost, silentMs }: PassThroughOptions,
): ClientRequest {
  const { protocol, hostname, port, host } = target
  const headers = forwarded(incoming.rawHeaders, (name, value) => {
    if (name === 'host' && !keepHost) return host
    // Without chunks there are no trailers, and Node refuses to announce them.
    return name === 'trailer' && incoming.headers['transfer-encoding'] === undefined ? null : value
  })
  const { method = '' } = incoming
  const hasBody = hasHeader(headers, 'content-length') || hasHeader(headers, 'transfer-encoding')
  // Node would announce chunks for a write that announces nothing.
  if (!hasBody && !BODILESS.has(method)) headers.push('Content-Length', '0')
  const sent = request({
    protocol,
    host: withoutBrackets(hostname),
    port,
    method,
    path: incoming.url ?? '/',
    headers,
    agent,
    setHost: false,
    maxHeaderSize: MOST_HEADER_BYTES,
    timeout: silentMs,
  })
  sent.maxHeadersCount = 0
  return sent
}

const BODILESS = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE'])

function sendBody(incoming: IncomingMessage, outgoing: ClientRequest, { body }: PassedCall): void {
  sendHead(outgoing)
  incoming.on('data', (chunk: Buffer) => body.add(chunk))
  incoming.pipe(outgoing, { end: false })
  incoming.once('end', () => {
    body.hasEnded = true
    outgoing.addTrailers(headerPairsOf(incoming.rawTrailers))
    outgoing.end()
  })
  incoming.once('error', () => outgoing.destroy())
}

/**
 * Sends a head that is written before there is anything of a body. Node's `flushHeaders` would send it as UTF-8, and bytes of
 * headers are read as Latin-1.
 */
function sendHead(message: ClientRequest | ServerResponse): void {
  message.write(new Uint8Array(0))
}

/** Node has no way to write any interim answer but 100 with its own bytes. A client that waits for an earlier answer gets none. */
function sendInterim(
  { statusCode, statusMessage, rawHeaders }: InformationEvent,
  { socket, req }: ServerResponse,
): void {
  if (statusCode === 100 || req.httpVersionMinor === 0) return
  const lines = headerPairsOf(forwarded(rawHeaders, (_name, value) => value)).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  socket?.write(`HTTP/1.1 ${statusCode} ${statusMessage}\r\n${lines.join('')}\r\n`, 'latin1')
}

function sendAnswer(answer: IncomingMessage, response: ServerResponse, passed: PassedCall): void {
  const { req: incoming } = response
  const { statusCode = 0, statusMessage = '', rawHeaders } = answer
  passed.status = statusCode
  passed.answerHeaders = rawHeaders
  const encoding = answer.headers['transfer-encoding']
  const isChunked = encoding !== undefined && incoming.httpVersionMinor > 0
  const isEmpty = statusCode === 204 || statusCode === 304
  const hasTrailers = isChunked && !isEmpty && /\bchunked\b/i.test(encoding)
  const headers = forwarded(rawHeaders, (name, value) =>
    (name === 'transfer-encoding' && !isChunked) || (name === 'trailer' && !hasTrailers) ? null : value,
  )
  const isBodiless = incoming.method === 'HEAD' || isEmpty
  const isFramed = isChunked || isBodiless || answer.headers['content-length'] !== undefined
  response.sendDate = false
  // An answer that ends with its connection ends so for the client, too.
  if (!isFramed) response.removeHeader('transfer-encoding')
  const isUnread = incoming.headers.expect !== undefined && !incoming.complete
  if (!isFramed || isUnread || answer.headers.connection?.toLowerCase() === 'close') response.shouldKeepAlive = false
  response.writeHead(statusCode, statusMessage, headers)
  sendHead(response)
  answer.on('data', (chunk: Buffer) => passed.answerBody.add(chunk))
  answer.pipe(response, { end: false })
  answer.once('end', () => {
    passed.ending = 'answered'
    passed.problem = null
    response.addTrailers(headerPairsOf(answer.rawTrailers))
    response.end()
    // The target has answered without the rest of the body.
    if (!incoming.complete) incoming.unpipe().resume()
  })
  answer.once('error', () =>
    breakOff(passed, response, 'the connection to the target broke before the answer was whole'),
  )
}

/** The client sees what the proxy saw: a connection that broke. */
function breakOff(passed: PassedCall, response: ServerResponse, problem: string): void {
  passed.ending = 'broken'
  passed.problem = problem
  response.socket?.resetAndDestroy()
}

interface OwnAnswer {
  readonly status: number
  readonly reason: 'refused' | 'no-answer'
  readonly message: string
}

function answerInstead(passed: PassedCall, response: ServerResponse, { status, reason, message }: OwnAnswer): void {
  const body = Buffer.from(WORDS.body(status, message))
  const headers = { ...WORDS.headers, [OWN_ANSWER]: reason, 'content-length': body.length, connection: 'close' }
  passed.ending = reason
  passed.problem = message
  passed.status = status
  passed.answerHeaders = Object.entries(headers).flatMap(([name, value]) => [name, String(value)])
  passed.answerBody.add(body)
  // The words of the target may still be set where it was they that could not be written.
  response.writeHead(status, STATUS_CODES[status] ?? '', headers).end(body)
}

/** Of an error of TLS or of a socket without words, its code: the message is that of OpenSSL. */
function wordsOf({ code = '', message }: NodeJS.ErrnoException, { href }: URL): string {
  return whyNoAnswer(`${code} ${message}`, href, '--ca') ?? (code || message)
}
