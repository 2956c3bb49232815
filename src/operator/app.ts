import { Readable } from 'node:stream'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { inNextTurn } from '../clock/wall-clock.ts'
import { decodeQuery, MalformedQueryError, splitTarget } from '../contract/canonical-string.ts'
import type { Operation } from '../operator-api/operation.ts'
import { OPERATION_IDS, type OperationId, operationOf } from '../operator-api/operations.ts'
import {
  answerTheUnusual,
  ChunkedHttp10,
  CONNECTION_LIMITS,
  type RefusalWords,
  unreadableHandler,
} from '../sandbox/app/connection.ts'
import { PROBLEM_TYPE } from '../sandbox/wire/error-answer.ts'
import { jsonObjectOf, requireJsonType } from '../sandbox/wire/json-body.ts'
import { validated, validatedQuery } from '../sandbox/wire/validation.ts'
import type { Redactor } from '../sandbox/worlds/redact.ts'
import { fileFinder, fileKindOf } from './console-files.ts'
import { type GuardOptions, guard, isWriting, SECURITY_HEADERS, typeOf } from './guard.ts'
import { HANDLERS } from './handlers.ts'
import { endLive, sendLive } from './live.ts'
import { problem, problemAnswer, unreadProblem } from './problems.ts'
import { isServedBy, needsSandbox } from './proxy-operations.ts'
import { type Handler, type Operator, type OperatorReply, serve } from './route.ts'

interface OperatorAppOptions extends Omit<Operator, 'startedAtMs'>, GuardOptions {
  readonly consoleFolder: string
}

const BODY_BYTES = 1024 * 1024

/**
 * The operator API as a Fastify application. The guard comes before everything, unknown
 * paths and undecodable ones included; bodies and queries are read as strictly as a partner's.
 *
 * @example const app = createOperatorApp({ worlds, wall, host: '127.0.0.1', token: null, apiUrl, version, newWorldDefaults })
 */
export function createOperatorApp(options: OperatorAppOptions): FastifyInstance {
  const operator: Operator = { ...options, startedAtMs: options.wall.nowMs() }
  const chunked = new ChunkedHttp10()
  const app: FastifyInstance = Fastify({
    ...CONNECTION_LIMITS,
    bodyLimit: BODY_BYTES,
    clientErrorHandler: unreadableHandler(WORDS),
    frameworkErrors: (error, request, reply) => {
      // Hooks are skipped for these, and what they do must not be.
      chunked.ends(request.raw, reply as FastifyReply)
      sendProblem(operator, reply as FastifyReply, refusalOf(options, request as FastifyRequest) ?? error)
    },
  })

  app.addHook('onRequest', chunked.refuse)
  app.addHook('onRequest', (request, _reply, done) => done(refusalOf(options, request)))
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  for (const id of OPERATION_IDS) mount(app, operator, id)
  const findFile = fileFinder(options.consoleFolder)
  app.setNotFoundHandler((request, reply) => {
    const file = findFile(request.raw)
    if (!file) return sendProblem(operator, reply, problem('no-endpoint'))
    return reply.code(200).headers(SECURITY_HEADERS).headers(file.headers).type(file.type).send(file.bytes)
  })
  app.setErrorHandler((error, request, reply) => sendProblem(operator, reply, withLimit(error, request)))
  app.addHook('preClose', (done) => {
    endLive(app.server)
    done()
  })
  answerTheUnusual(app.server, WORDS)
  return app
}

function refusalOf(options: GuardOptions, { raw, is404 }: FastifyRequest): Error | undefined {
  try {
    // Files are what no route takes.
    guard(raw, is404 ? fileKindOf(raw) : null, options)
    return undefined
  } catch (error) {
    return error as Error
  }
}

function mount(app: FastifyInstance, operator: Operator, id: OperationId): void {
  const row = operationOf(id)
  app.route({
    method: row.method,
    url: row.path.replaceAll('{', ':').replaceAll('}', ''),
    // A read answers HEAD as it answers GET, without the body.
    exposeHeadRoute: row.method === 'GET',
    bodyLimit: Math.max(BODY_BYTES, row.takes?.limitBytes ?? 0),
    handler: async (request, reply) => {
      if (operator.proxy && !isServedBy(operator.proxy, id)) throw needsSandbox(operator.proxy, id)
      const params = request.params as Record<string, string>
      const input = { operator, params, hungUp: hangUpOf(reply), ...readInput(row, request) }
      return send(reply, await serve(row, HANDLERS[id] as Handler, input), operator.worlds.redactor())
    },
  })
}

function hangUpOf({ raw }: FastifyReply): AbortSignal {
  const hangUp = new AbortController()
  raw.once('close', () => {
    if (!raw.writableEnded) hangUp.abort()
  })
  return hangUp.signal
}

/** What was sent to an operation, and nothing beside what its row takes. */
function readInput(row: Operation, request: FastifyRequest) {
  const { raw } = request
  const pairs = queryPairs(request)
  if (!row.query && pairs.length > 0) throw problem('no-query')
  const query = row.query ? validatedQuery(row.query, pairs) : {}
  const bytes = request.body instanceof Uint8Array ? request.body : new Uint8Array(0)
  if (row.takes && typeOf(raw) === row.takes.type) return { query, body: {}, bytes }
  if (isWriting(raw)) requireJsonType(raw)
  if (bytes.length > BODY_BYTES) throw problem('body-too-large', { mib: 1 })
  // No body at all is read as an empty object: what is required in it is then missed by name.
  const sent = bytes.length === 0 ? {} : jsonObjectOf({ rawHeaders: raw.rawHeaders, body: bytes })
  if (!row.body && Object.keys(sent).length > 0) throw problem('no-body')
  return { query, body: row.body ? validated(row.body, sent, 'body') : sent, bytes: null }
}

function queryPairs(request: FastifyRequest) {
  try {
    return decodeQuery(splitTarget(request.raw.url ?? '/').query)
  } catch (error) {
    if (error instanceof MalformedQueryError) throw problem('malformed-query', { message: error.message })
    throw error
  }
}

/** Only the answer that returns a secret shows it, in the member of that name. */
function send(reply: FastifyReply, answer: OperatorReply, redact: Redactor): FastifyReply {
  if ('live' in answer && reply.request.method !== 'HEAD') {
    sendLive(reply.server.server, reply.hijack().raw, answer.live)
    return reply
  }
  reply.code(answer.status).headers(SECURITY_HEADERS)
  if ('live' in answer) return reply.type('text/event-stream; charset=utf-8').send()
  if ('raw' in answer)
    return reply
      .headers(answer.headers ?? {})
      .type(answer.type)
      .send(typeof answer.raw === 'string' ? redact.text(answer.raw) : answer.raw)
  if (answer.body === undefined) return reply.send()
  const json = answerJson(answer.body, redact, answer.status === 201 ? 'secret' : undefined)
  return reply.type('application/json; charset=utf-8').send(json)
}

/** A route that takes files has a limit of its own. */
function withLimit(error: unknown, { routeOptions: { bodyLimit = BODY_BYTES } }: FastifyRequest): unknown {
  const isTooLarge = (error as { code?: string }).code === 'FST_ERR_CTP_BODY_TOO_LARGE' && bodyLimit > BODY_BYTES
  return isTooLarge ? problem('body-too-large', { mib: bodyLimit / 1024 / 1024 }) : error
}

function sendProblem({ worlds }: Operator, reply: FastifyReply, error: unknown): FastifyReply {
  const { method, url } = reply.request
  const redact = worlds.redactor()
  const { status, headers, body } = problemAnswer(error, redact.text(`${method} ${splitTarget(url).path}`))
  const shown = redact.text(body)
  return reply.code(status).headers(SECURITY_HEADERS).headers(headers).type(PROBLEM_TYPE).send(shown)
}

/** The operator API's words for what never became a call. */
const WORDS: RefusalWords = {
  headers: { ...SECURITY_HEADERS, 'content-type': PROBLEM_TYPE },
  body: (status, message) => problemAnswer(unreadProblem(status, message)).body,
}

/** An answer of more values than this is written in pieces, with other calls served in between. */
const VALUES_AT_ONCE = 5_000
const VALUES_A_PIECE = 500

/**
 * An answer as JSON without secrets: a text, or the pieces of a long one.
 *
 * @param kept name of the members that are left as they are.
 */
export function answerJson(body: unknown, redact: Redactor, kept?: string): string | Readable {
  const jsonOf = (value: unknown) => JSON.stringify(redact.all(value, kept))
  if (countValues(body, VALUES_AT_ONCE) < VALUES_AT_ONCE) return jsonOf(body)

  function piecesOf(value: unknown): TextPiece[] {
    if (countValues(value, VALUES_A_PIECE) < VALUES_A_PIECE) return [() => jsonOf(value ?? null)]
    if (Array.isArray(value)) return [() => '[', ...piecesOfItems(value), () => ']']
    const members = Object.entries(value as object).filter(([, member]) => member !== undefined)
    return [() => '{', ...members.flatMap(piecesOfMember), () => '}']
  }

  function piecesOfItems(items: readonly unknown[]): TextPiece[] {
    if (items.length === 1) return piecesOf(items[0])
    if (countValues(items, VALUES_A_PIECE) < VALUES_A_PIECE) return [() => jsonOf(items).slice(1, -1)]
    const half = items.length >>> 1
    return [...piecesOfItems(items.slice(0, half)), () => ',', ...piecesOfItems(items.slice(half))]
  }

  function piecesOfMember([name, value]: [string, unknown], at: number): TextPiece[] {
    const before = () => `${at === 0 ? '' : ','}${jsonOf(name)}:`
    return [before, ...(name === kept ? [() => JSON.stringify(value)] : piecesOf(value))]
  }

  return streamOf(piecesOf(body))
}

/** Writes a part of a JSON text. */
type TextPiece = () => string

/** A stream that writes one piece in each turn of the event loop. */
function streamOf(pieces: readonly TextPiece[]): Readable {
  let written = 0
  return new Readable({
    read() {
      inNextTurn(() => {
        try {
          this.push(pieces[written++]?.() ?? null)
        } catch (error) {
          this.destroy(error as Error)
        }
      })
    },
  })
}

/** The values inside a value, itself included; no more than `limit` are counted. */
function countValues(value: unknown, limit: number): number {
  if (typeof value !== 'object' || value === null) return 1
  let count = 1
  for (const member of Array.isArray(value) ? value : Object.values(value)) {
    count += countValues(member, limit - count)
    if (count >= limit) return limit
  }
  return count
}
