import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { callAfter } from '../../clock/wall-clock.ts'
import type { GapChoices } from '../../contract/choices.ts'
import { errorBody, PROBLEM_TYPE } from '../wire/error-answer.ts'

/** Limits on a connection: a sandbox on a laptop must survive a client that never finishes its request. Times in milliseconds. */
export const CONNECTION_LIMITS = {
  requestTimeout: 30_000,
  keepAliveTimeout: 72_000,
  forceCloseConnections: true,
  exposeHeadRoutes: false,
  logger: false,
  // Nothing here is checked or written by Fastify's schemas, and to load their compilers is a tenth of a start.
  schemaController: { compilersFactory: { buildValidator: refuseSchemas, buildSerializer: refuseSchemas } },
  // Room in a parameter for the longest domain name, escaped.
  routerOptions: { maxParamLength: 1_000, caseSensitive: true, ignoreTrailingSlash: false },
  http: {
    // Counted from the connection on: on a starved machine ten seconds pass before a byte is read.
    headersTimeout: 30_000,
    connectionsCheckingInterval: 1_000,
    maxHeaderSize: 16 * 1024,
    // A request without a Host is ours to refuse, in our words.
    requireHostHeader: false,
  },
} as const

function refuseSchemas(): never {
  throw new Error('a route has a schema for Fastify; ours are checked in wire/validation.ts')
}

/**
 * Open connections of one port; further ones are closed as they come, without an answer. Both ports and all databases
 * together stay below 4,096 descriptors, a usual limit of a process.
 */
export const MOST_CONNECTIONS = 1_900

/** How one of the two APIs words a refusal that never became a call. */
export interface RefusalWords {
  readonly headers: Readonly<Record<string, string>>
  body(status: number, message: string): string
}

/**
 * The partner API's words, in the layout of all its refusals.
 *
 * @param layout asked each time: what never became a call belongs to no world, and is answered as the main one would.
 */
export function partnerWords(layout: () => GapChoices['error-layout']): RefusalWords {
  return {
    get headers() {
      return { 'content-type': layout() === 'problem' ? PROBLEM_TYPE : 'application/json; charset=utf-8' }
    },
    body: (status, message) => JSON.stringify(errorBody({ code: 'validation_error', message, status }, {}, layout())),
  }
}

/**
 * Answers on the connection what Node would refuse without our error body: an unknown expectation, a
 * tunnel. For the same reason no header line may be dropped unseen.
 */
export function answerTheUnusual(server: Server, words: RefusalWords): void {
  server.maxConnections = MOST_CONNECTIONS
  // Node would pass over lines beyond the two thousandth, a second nonce among them; the size limit bounds them anyway.
  server.maxHeadersCount = 0
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const body = words.body(417, 'this expectation cannot be met')
    const length = { 'content-length': Buffer.byteLength(body), connection: 'close' }
    response.writeHead(417, { ...words.headers, ...length }).end(body)
  })
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    answerAndClose(socket, 405, 'this is not a proxy', words)
  })
}

/** For Fastify's `clientErrorHandler`: bytes that are not an HTTP request get an error body too, and the connection is closed. */
export function unreadableHandler(words: RefusalWords) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy()
      return
    }
    const [status, message] = UNREADABLE[error.code ?? ''] ?? [400, 'this is not an HTTP request']
    afterEarlierAnswers(socket, () => answerAndClose(socket, status, message, words))
  }
}

/**
 * Calls that came before on the same connection are answered first. Node keeps the response that has its turn as a
 * property of the socket, and offers no other way to ask. It may be the response of the very request whose body cannot
 * be read to its end: that one never comes.
 */
function afterEarlierAnswers(socket: Socket & { _httpMessage?: ServerResponse | null }, answer: () => void): void {
  const earlier = socket._httpMessage
  if (!earlier?.req.complete) answer()
  else earlier.once('close', () => afterEarlierAnswers(socket, answer))
}

const UNREADABLE: Record<string, [status: number, message: string]> = {
  HPE_HEADER_OVERFLOW: [431, 'the address and the headers together are too large'],
  HPE_INVALID_METHOD: [400, 'this is not an HTTP request, or its verb is unknown'],
  HPE_INVALID_EOF_STATE: [400, 'the request ended before it was complete'],
  HPE_INVALID_CHUNK_SIZE: [400, 'the body is not valid chunked encoding'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request did not arrive in time'],
}

/** A client that neither reads the answer nor closes its side is not waited for, in real time. */
const LINGER_MS = 2_000

export function answerAndClose(socket: Socket, status: number, message: string, words: RefusalWords): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const body = words.body(status, message)
  const headers = { ...words.headers, 'content-length': Buffer.byteLength(body), connection: 'close' }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
  const alarm = callAfter(LINGER_MS, () => socket.destroy())
  socket.once('close', () => alarm.cancel())
}

/**
 * Refuses requests of HTTP/1.0 with Transfer-Encoding, and carries out nothing that follows them on their connection: a proxy
 * and Node may see different ends of such a request (RFC 9112, section 6.1).
 */
export class ChunkedHttp10 {
  /** Connections that close once the refusal is sent. Node hands over what they still hold. */
  readonly #ending = new WeakSet<Socket>()

  /** The first `onRequest` hook of an app. */
  readonly refuse = ({ raw }: FastifyRequest, reply: FastifyReply, next: (error?: Error) => void): void => {
    if (this.#ending.has(raw.socket)) reply.hijack()
    else if (this.ends(raw, reply)) {
      next(Object.assign(new Error('chunked HTTP/1.0'), { code: 'FST_ERR_CHUNKED_HTTP_1_0', statusCode: 400 }))
    } else next()
  }

  /** Whether the connection ends with this request. Of a request that no route takes, Fastify calls no hook. */
  ends(request: IncomingMessage, reply: FastifyReply): boolean {
    if (request.httpVersionMinor > 0 || request.headers['transfer-encoding'] === undefined) return false
    this.#ending.add(request.socket)
    reply.header('connection', 'close')
    return true
  }
}
